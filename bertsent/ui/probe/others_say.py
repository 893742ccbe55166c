"""Others say: five bars for one review, what became of the others' training, and four ways to look
closer.
"""

import time
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS
from bertsent.data.splits import duplicate_key
from bertsent.errors import BertsentError
from bertsent.probing.baselines.trainer import FAMILIES, FROZEN_BERT, FROZEN_HEADS, TrainedBaseline
from bertsent.ui.probe.others_say_baselines import Ring, lesson_key, ring_of, taught, teach
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.jobs import jobs, wait_for
from bertsent.ui.shared.model_picker import loaded_model

WORDS, PART, COMPARE, WHEN = (
    "Word weights",
    "Where do they disagree?",
    "Comparison",
    "When to use which",
)
LOOKS = (WORDS, PART, COMPARE, WHEN)
_HOW = r"""
- **BOW + SVM** counts words and adds up weights: $s = \sum_i w_i x_i + b$ (linear support vector machine, Cortes and Vapnik 1995). A score
  becomes a probability by Platt's sigmoid (1999), $P = \sigma(\alpha s + \beta)$, fitted on scores of training reviews that the machine
  had not learned from (5 folds, minimal pairs kept together).
- **TF-IDF + logistic regression** weighs words and word pairs by how rare they are (Spärck Jones 1972); $P = \sigma(s)$.
- **LSTM** reads word after word in both directions (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005). It begins with
  random word vectors and stops where a tenth of the training reviews, kept aside, is answered best.
- **Frozen BERT** is the pretrained encoder, not fine-tuned: the mean of its last layer is a review's vector, and only a small
  classifier on top learned (Devlin et al. 2019, section 5.3).
- **BERT** is the model chosen above. Milliseconds are one answer to this review on this machine, after a first one for warming up.
"""


@dataclass(frozen=True)
class Said:
    """One answer and the milliseconds it took."""

    p_positive: float
    milliseconds: float


def others_say(name: str, text: str) -> None:
    """Draw the duel of the model of that registry name with the others over one review.

    Raises:
        BertsentError: the model does not answer, or its reviews cannot be read.
    """
    model, ring = loaded_model(name), ring_of(name)
    bert = f"BERT: {shorten(model.name, 40)}"
    ready, waiting = _gather(ring)
    said = {
        each: _ask(trained.key, text, trained.contestant.p_positive)
        for each, trained in ready.items()
    }
    said[bert] = _ask(model.key, text, lambda texts: model.probabilities(texts)[:, 1])
    _bars(ring, said, bert, text)
    _training(ring, waiting)
    look = st.segmented_control(
        "Look closer",
        LOOKS,
        default=WORDS,
        required=True,
        key="duel_look",
        bind="query-params",
        persist_state="session",
    )
    _closer(look, ring, ready, said, (bert, name, text), settled=not waiting)


def _closer(
    look: str,
    ring: Ring,
    ready: dict[str, TrainedBaseline],
    said: dict[str, Said],
    chosen: tuple[str, str, str],
    *,
    settled: bool,
) -> None:
    bert, name, text = chosen
    if look == WORDS:
        from bertsent.ui.probe.others_say_word_weights import word_weights

        word_weights(
            ready,
            ring.arena.reviews,
            text,
            bert,
            loaded_model(name),
            lambda key, of, answer: _ask(key, of, answer).p_positive,
        )
    elif look == WHEN:
        from bertsent.ui.probe.others_say_when_to_use import when_to_use

        when_to_use({each: found.milliseconds for each, found in said.items()}, bert)
    else:
        from bertsent.ui.probe.others_say_comparison import compare, disagree

        five = [each for each in said if each not in FROZEN_HEADS or each == chosen_head(said)]
        (disagree if look == PART else compare)(ring, ready, bert, name, five, settled=settled)


def _gather(ring: Ring) -> tuple[dict[str, TrainedBaseline], list[str]]:
    """Who can answer, in the order of the lessons, and which lessons are still being taken; quick
    ones begin by themselves.
    """
    ready, waiting = {}, []
    for lesson in FAMILIES:
        try:
            found = taught(ring, lesson)
            if found is None and ring.quick and jobs().find(lesson_key(ring, lesson)) is None:
                teach(ring, lesson)
        except BertsentError as error:
            show_error(error)
            continue
        if found is None:
            waiting.append(lesson)
        ready |= found or {}
    return ready, waiting


@st.cache_data(max_entries=2_000, show_spinner=False)
def _ask(key: str, text: str, _answer) -> Said:  # noqa: ANN001 - a function of texts
    _answer([text])
    began = time.perf_counter()
    p = float(_answer([text])[0])
    return Said(p, 1_000 * (time.perf_counter() - began))


def _bars(ring: Ring, said: dict[str, Said], bert: str, text: str) -> None:
    from bertsent.figures.baseline_charts import answer_bars, different

    head = _head(said)
    shown = {
        each: found for each, found in said.items() if each not in FROZEN_HEADS or each == head
    }
    answers = {each: found.p_positive for each, found in shown.items()}
    notes = {each: f"{found.milliseconds:.1f} ms" for each, found in shown.items()}
    figure = answer_bars(answers, against=bert, notes=notes)
    st.plotly_chart(
        figure,
        key="duel_bars",
        config=UNSEEN_BAR,
        alt="; ".join(f"{each} {_label(p)} {max(p, 1 - p):.1%}" for each, p in answers.items()),
    )
    names = list(answers)
    st.caption(
        escape_markdown(
            verdict(answers, [names[i] for i in different(answers, bert)], bert)
            + _truth(ring, text)
        )
    )
    st.caption(escape_markdown(_source(ring)))
    download_menu("duel_bars", figure, "bertsent-others-say")
    table = answer_table(said, bert)
    numbers, how = st.columns(2, gap="medium")
    with numbers.expander("The numbers and milliseconds"):
        formats = {"P(positive)": "%.4f", "ms": "%.2f"}
        st.dataframe(
            table,
            hide_index=True,
            column_config={c: st.column_config.NumberColumn(format=f) for c, f in formats.items()},
        )
        st.download_button(
            "Answers as CSV",
            safe_csv(table),
            "bertsent-others-say.csv",
            "text/csv",
            key="duel_csv",
            on_click="ignore",
        )
    how.expander("How is this computed?").markdown(_HOW)


def _head(said: dict[str, Said]) -> str:
    """Which classifier on the frozen vectors stands in the duel."""
    heads = [name for name in FROZEN_HEADS if name in said]
    if not heads:
        return ""
    short = {name: name.removeprefix(f"{FROZEN_BERT} + ") for name in heads}
    chosen = st.segmented_control(
        "On top of the frozen BERT",
        list(short.values()),
        default=short[heads[0]],
        required=True,
        key="duel_frozen",
        bind="query-params",
        persist_state="session",
        help="Three classifiers learned from the same frozen vectors; one of them is drawn.",
    )
    return next((name for name, words in short.items() if words == chosen), heads[0])


def chosen_head(said: dict[str, Said]) -> str:
    """The classifier on the frozen vectors that was chosen above."""
    heads = [name for name in FROZEN_HEADS if name in said]
    return next(
        (name for name in heads if name.endswith(f" + {st.session_state.get('duel_frozen')}")),
        heads[0] if heads else "",
    )


def verdict(answers: dict[str, float], differ: list[str], bert: str) -> str:
    """Who says what, in a sentence; who differs from the chosen BERT is named."""
    positive = sum(p > 0.5 for p in answers.values())
    if not differ:
        return (
            f"All {len(answers)} say {_label(answers[bert])}."
            if len(answers) > 1
            else f"{bert} says {_label(answers[bert])}."
        )
    names = " and ".join([", ".join(differ[:-1]), differ[-1]] if len(differ) > 1 else differ)
    return (
        f"{positive} of {len(answers)} say POSITIVE. Framed: {names} "
        f"{'differ' if len(differ) > 1 else 'differs'} from {bert}."
    )


def answer_table(said: dict[str, Said], bert: str) -> pd.DataFrame:
    """One row a method: method, says, P(positive), ms, same as BERT."""
    own = said[bert].p_positive > 0.5
    rows = [
        (each, _label(s.p_positive), s.p_positive, s.milliseconds, (s.p_positive > 0.5) == own)
        for each, s in said.items()
    ]
    return pd.DataFrame(rows, columns=["method", "says", "P(positive)", "ms", "same as BERT"])


def _label(p: float) -> str:
    return LABELS[int(p > 0.5)]


def _truth(ring: Ring, text: str) -> str:
    label, where = ring.known.get(duplicate_key(text), (None, ""))
    return (
        f" The truth is {LABELS[label]}: this review is one of {where}."
        if label is not None
        else ""
    )


def _source(ring: Ring) -> str:
    if ring.shared:
        return f"All of them learned from the same {ring.learned}."
    return (
        f"The others learned from {ring.learned}; the model chosen above may have learned from "
        "more. A run of yours is compared evenly."
    )


def _training(ring: Ring, waiting: list[str]) -> None:
    """The first lesson that is under way with its progress; a button for what was cancelled, failed
    or never begun.
    """
    idle = []
    for lesson in waiting:
        job = jobs().find(lesson_key(ring, lesson))
        if job is not None and job.state == "failed":
            show_error(BertsentError(job.error))
        if job is None or job.over:
            idle.append(lesson)
    busy = [lesson for lesson in waiting if lesson not in idle]
    if busy:
        after = f", then {', '.join(busy[1:])}" if len(busy) > 1 else ""
        wait_for(lesson_key(ring, busy[0]), f"Training {busy[0]}{after}")
    if idle:
        st.caption(
            escape_markdown(
                f"Not trained yet: {', '.join(idle)}. They learn from {ring.learned} once and are "
                "kept for everybody."
            )
        )
        if st.button("Train them", type="primary", key="duel_train"):
            for lesson in idle:
                teach(ring, lesson)
            st.rerun()
