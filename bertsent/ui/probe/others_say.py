"""Others say: one bar for each classifier's answer to the review, what each costs, and four ways to
look closer.
"""

from datetime import UTC, datetime

import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.figures.classification import answer_bars
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
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    choose,
    downloads_and_help,
    escape_markdown,
    number_columns,
)


def others_say(name: str, text: str) -> None:
    """Draw what the baselines say of one review beside the model of that registry name.

    Raises:
        BertsentError: the model does not answer, or its reviews cannot be read.
    """
    group = classifier_group(name)
    answers = {each.name: answer_of(each, text) for each in group.classifiers}
    times = _timed(group.classifiers, text)
    _bars(group, answers, times, text)
    training_progress(group)
    views = {
        "Word weights": lambda: word_weights(group, text),
        "Where do they disagree?": lambda: disagree(group),
        "Comparison": lambda: compare(group),
        "When to use which": lambda: when_to_use(
            {each: spread.median for each, spread in times[0].items()}, group.bert.name
        ),
    }
    views[choose("Look closer", list(views), "duel_look")]()


@st.cache_data(max_entries=500, show_spinner="Timing the answers …", hash_funcs=BY_CONTENT)
def _timed(classifiers: list[Classifier], text: str) -> tuple[dict[str, TimingSpread], str]:
    """The milliseconds of one answer by classifier, and when they were measured."""
    return (
        time_answers({each.name: each.p_positive for each in classifiers}, [text]),
        f"{datetime.now(UTC):%H:%M:%S} UTC",
    )


def _bars(
    group: ClassifierGroup,
    answers: dict[str, float],
    times: tuple[dict[str, TimingSpread], str],
    text: str,
) -> None:
    if options := [name.removeprefix(f"{FROZEN_BERT} + ") for name in group.frozen_heads]:
        choose(
            "On top of the frozen BERT",
            options,
            "duel_frozen",
            help="Three classifiers were trained on the same frozen vectors; one of them is drawn.",
        )
    bert, shown = group.bert.name, {name: answers[name] for name in group.drawn()}
    spreads, when = times
    figure = answer_bars(
        shown,
        outlined=differing(shown, bert),
        notes={name: f"{spreads[name].median:.1f} ms" for name in shown},
    )
    alt = (
        f"{name} {LABELS[int(p > 0.5)]} {100 * max(p, 1 - p):.1f} %" for name, p in shown.items()
    )
    st.plotly_chart(figure, key="duel_bars", config=UNSEEN_BAR, alt="; ".join(alt))
    st.caption(
        escape_markdown(f"{answers_sentence(shown, bert)} {group.setup.truth_sentence(text)}")
    )
    st.caption(escape_markdown(group.setup.source_sentence))
    table = answer_table(answers, spreads, bert)
    downloads_and_help(
        "duel_bars",
        figure,
        "bertsent-others-say",
        ("probe", "others_say"),
        tables={"Answers": table},
    )
    with st.expander("The numbers and milliseconds"):
        st.dataframe(
            table,
            hide_index=True,
            column_config=number_columns(
                {"P(positive)": "%.4f", "ms": "%.2f", "ms from": "%.2f", "ms to": "%.2f"}
            ),
        )
        st.caption(
            f"Median of {next(iter(spreads.values())).count} answers by each at {when}, with the "
            "quartiles. The load of other people at that time is included."
        )
        st.button(
            "Time again",
            key="duel_time_again",
            on_click=_timed.clear,
            args=(group.classifiers, text),
        )
