"""Others say: one bar for each classifier's answer to the review, what each costs, and four ways to
look closer.
"""

from datetime import UTC, datetime

import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.probing.baselines.answers import (
    Classifier,
    answer_table,
    answers_sentence,
    differing,
)
from bertsent.probing.baselines.trainer import FROZEN_BERT
from bertsent.probing.timing import TimingSpread, time_answers
from bertsent.ui.probe.others_say_comparison import compare, disagree, when_to_use
from bertsent.ui.probe.others_say_training import (
    ClassifierGroup,
    answer_of,
    classifier_group,
    training_progress,
)
from bertsent.ui.probe.others_say_word_weights import word_weights
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown

WORDS, DISAGREE, COMPARE, WHEN = (
    "Word weights",
    "Where do they disagree?",
    "Comparison",
    "When to use which",
)
_HOW = r"""
- **BOW + SVM** counts words and adds up weights: $s = \sum_i w_i x_i + b$ (linear support vector
  machine, Cortes and Vapnik 1995). A score becomes a probability by Platt's sigmoid (1999), $P =
  \sigma(\alpha s + \beta)$, fitted on scores of training reviews that the machine was not trained
  on (5 folds, minimal pairs kept together).
- **TF-IDF + logistic regression** weights words and word pairs by how rare they are (Spärck Jones
  1972); $P = \sigma(s)$.
- **LSTM** reads word after word in both directions (Hochreiter and Schmidhuber 1997; Graves and
  Schmidhuber 2005). It begins with random word vectors and keeps the epoch that does best on a
  held-out tenth of the training reviews.
- **Frozen BERT** is the pretrained encoder, not fine-tuned: the mean of its last layer is the
  vector of a review, and only a small classifier on top is trained (Devlin et al. 2019, section
  5.3).
- **BERT** is the model chosen above.
- **Milliseconds** are the median of up to five answers to this review after one
  warm-up answer. The classifiers take turns, so that other load on the machine affects all of
  them.
"""


def others_say(name: str, text: str) -> None:
    """Draw what the baselines say of one review beside the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or its reviews cannot be read.
    """
    group = classifier_group(name)
    answers = {each.name: answer_of(each, text) for each in group.classifiers}
    times = _timed(tuple(each.key for each in group.classifiers), text, group.classifiers)
    _bars(group, answers, times, text)
    training_progress(group)
    look = st.segmented_control(
        "Look closer",
        (WORDS, DISAGREE, COMPARE, WHEN),
        default=WORDS,
        required=True,
        key="duel_look",
        bind="query-params",
        persist_state="session",
    )
    if look == DISAGREE:
        disagree(group)
    elif look == COMPARE:
        compare(group)
    elif look == WHEN:
        when_to_use({each: spread.median for each, spread in times[0].items()}, group.bert.name)
    else:
        word_weights(group, text)


@st.cache_data(max_entries=500, show_spinner="Timing the answers …")
def _timed(
    keys: tuple[str, ...],  # noqa: ARG001 - of the classifiers
    text: str,
    _classifiers: list[Classifier],
) -> tuple[dict[str, TimingSpread], str]:
    """The milliseconds of one answer by classifier, and when they were measured."""
    spreads = time_answers({each.name: each.p_positive for each in _classifiers}, [text])
    return spreads, f"{datetime.now(UTC):%H:%M:%S} UTC"


def _bars(
    group: ClassifierGroup,
    answers: dict[str, float],
    times: tuple[dict[str, TimingSpread], str],
    text: str,
) -> None:
    from bertsent.figures.baseline_charts import answer_bars

    _frozen_choice(group)
    bert, shown = group.bert.name, {name: answers[name] for name in group.drawn()}
    notes = {name: f"{times[0][name].median:.1f} ms" for name in shown}
    figure = answer_bars(shown, outlined=differing(shown, bert), notes=notes)
    alt = (f"{name} {LABELS[int(p > 0.5)]} {max(p, 1 - p):.1%}" for name, p in shown.items())
    st.plotly_chart(figure, key="duel_bars", config=UNSEEN_BAR, alt="; ".join(alt))
    sentence = f"{answers_sentence(shown, bert)} {group.setup.truth_sentence(text)}"
    st.caption(escape_markdown(sentence))
    st.caption(escape_markdown(group.setup.source_sentence))
    download_menu("duel_bars", figure, "bertsent-others-say")
    numbers, how = st.columns(2, gap="medium")
    with numbers.expander("The numbers and milliseconds"):
        _numbers(group, answers, times, text)
    how.expander("How is this computed?").markdown(_HOW)


def _numbers(
    group: ClassifierGroup,
    answers: dict[str, float],
    times: tuple[dict[str, TimingSpread], str],
    text: str,
) -> None:
    spreads, when = times
    table = answer_table(answers, spreads, group.bert.name)
    formats = {"P(positive)": "%.4f", "ms": "%.2f", "ms from": "%.2f", "ms to": "%.2f"}
    st.dataframe(
        table,
        hide_index=True,
        column_config={c: st.column_config.NumberColumn(format=f) for c, f in formats.items()},
    )
    count = next(iter(spreads.values())).count
    st.caption(
        f"Median of {count} answers by each at {when}, with the quartiles. The load of other "
        "people at that time is included."
    )
    keys = tuple(each.key for each in group.classifiers)
    st.button("Time again", key="duel_time_again", on_click=_timed.clear, args=(keys, text))
    st.download_button(
        "Answers as CSV",
        safe_csv(table),
        "bertsent-others-say.csv",
        "text/csv",
        key="duel_csv",
        on_click="ignore",
    )


def _frozen_choice(group: ClassifierGroup) -> None:
    """Which classifier on the frozen vectors has a bar."""
    options = [name.removeprefix(f"{FROZEN_BERT} + ") for name in group.frozen_heads]
    if options:
        st.segmented_control(
            "On top of the frozen BERT",
            options,
            default=options[0],
            required=True,
            key="duel_frozen",
            bind="query-params",
            persist_state="session",
            help="Three classifiers were trained on the same frozen vectors; one of them is drawn.",
        )
