"""Why: attention, integrated gradients and leaving words out, as three bars over one row of words,
and how far they agree.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.ui.probe.why_faithfulness import agreement, trusted
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.jobs import JobRequest, outcome
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.why.carry import carry

if TYPE_CHECKING:
    import numpy as np

    from bertsent.probing.attribution.attributions import Attributions
    from bertsent.probing.loaded_model import LoadedModel

ROLLOUT, MEAN_OF_ALL, MEAN_OF_LAYER, HEAD = (
    "rollout",
    "mean of all heads",
    "mean of a layer",
    "one head",
)
STRETCH, BLOCK = 32, 128  # units that are drawn side by side, and that are compared at once
LAST = "last"
_BY = {"words": "Whole words", "pieces": "Word pieces"}
_HOW = """
- **Attention** is what the vector that the head reads takes from each word: the row of [CLS] (the mean of all rows when the model
  pools all tokens). *Rollout* adds the residual connection to each layer's head mean, ½A + ½I, and multiplies the layers (Abnar and
  Zuidema 2020). What is left to 100 % rests on [CLS], [SEP] and on words that are not drawn.
- **Integrated gradients** (Sundararajan, Taly and Yan 2017): the gradient of P(positive) summed up on the straight line from the word
  vectors of a review of nothing but [PAD] to this one. Its bars over all words add up to the difference of P between both ends; how
  much they miss is the completeness error. The line is cut finer where P jumps, until the error is below 0.02.
- **Leaving it out** (Zeiler and Fergus 2014; Li et al. 2016): P(positive) of the review minus P(positive) without the word.
"""


def show_why(name: str, text: str) -> None:
    """Draw the evidence for the answer of the model of that registry name to a review.

    Raises:
        BertsentError: the model does not answer, gives no attention, or finds no word in the
            review.
    """
    from bertsent.probing.attribution.units import segment_review

    model = loaded_model(name)
    by, units, attention, first = _controls(model, text, segment_review)
    reading = segment_review(model, text, by)
    block = first // BLOCK * BLOCK
    compared = min(BLOCK, units - block)
    key = _key("why", model, reading.text, by, block)

    def work(progress):  # noqa: ANN001, ANN202 - as Jobs wants it
        from bertsent.probing.attribution.attributions import attribute_review

        return attribute_review(model, text, by=by, first=block, count=BLOCK, progress=progress)

    st.caption(
        escape_markdown(
            _extent(
                model,
                units,
                reading.cut,
                by,
                (first, min(units, first + STRETCH)),
                (block, block + compared),
            )
        )
    )
    tokens = len(reading.ids) * (compared + 250)  # a gradient costs about three times an answer
    evidence = outcome(
        JobRequest(key, work, "Gathering the evidence", "Gather the evidence", tokens)
    )
    if evidence is not None:
        _shown(model, evidence, attention, first, key)


def _key(kind: str, model: "LoadedModel", *parts: object) -> str:
    from bertsent.data.cache import cache_key

    return f"{kind}-{cache_key(model.key, model.max_length, *parts)}"


def _controls(
    model: "LoadedModel", text: str, read
) -> tuple[str, int, tuple[str, int | None, int | None], int]:  # noqa: ANN001
    """Draw the row of controls: kind of unit, how many there are, which attention (name, layer,
    head), first unit drawn.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        by = st.segmented_control(
            "Units",
            list(_BY),
            default="words",
            required=True,
            format_func=_BY.get,
            key="why_by",
            bind="query-params",
            persist_state="session",
        )
        kind = st.selectbox(
            "Attention",
            (ROLLOUT, MEAN_OF_ALL, MEAN_OF_LAYER, HEAD),
            key="why_attention",
            bind="query-params",
            persist_state="session",
            width=190,
        )
        layer = head = None
        if kind in (MEAN_OF_LAYER, HEAD):
            layer = _number("Layer", model.layers, "why_layer")
        if kind == HEAD:
            head = _number("Head", model.heads, "why_head")
        units = len(read(model, text, by).units)
        first = _stretch(units)
    name = {ROLLOUT: "rollout", MEAN_OF_ALL: "mean of all heads"}.get(kind) or (
        f"head {layer + 1}·{head + 1}" if head is not None else f"mean of layer {layer + 1}"
    )
    return by, units, (name, layer, head), first


def _number(label: str, count: int, key: str) -> int:
    """A layer or a head, from 0; the last layer and the first head are usual."""
    options = list(range(1, count + 1))
    if st.session_state.get(key) not in (None, *options):
        st.session_state.pop(key)
    usual = count - 1 if label == "Layer" else 0
    return (
        st.selectbox(
            label, options, usual, key=key, bind="query-params", persist_state="session", width=90
        )
        - 1
    )


def _stretch(units: int) -> int:
    """The first unit that is drawn, from 0."""
    if units <= STRETCH:
        return 0
    starts = list(range(1, units + 1, STRETCH))
    if st.session_state.get("why_from") not in (None, *starts):
        st.session_state.pop("why_from")
    return (
        st.selectbox(
            "Drawn",
            starts,
            key="why_from",
            bind="query-params",
            persist_state="session",
            width=130,
            format_func=lambda start: f"{start} to {min(units, start + STRETCH - 1)}",
        )
        - 1
    )


def _extent(
    model: "LoadedModel",
    units: int,
    cut: bool,
    by: str,
    drawn: tuple[int, int],
    compared: tuple[int, int],
) -> str:
    """What of the review is covered."""
    named = {"words": "words and marks", "pieces": "word pieces"}[by]
    said = [f"{model.name} · {units:,} {named}."]
    if drawn != (0, units):
        said.append(f"Drawn: {drawn[0] + 1} to {drawn[1]}.")
    if compared != (0, units):
        said.append(
            f"Compared with each other: {compared[0] + 1} to {compared[1]}; the model always reads "
            f"all {units:,}."
        )
    if cut:
        said.append(
            f"The review goes on, but this model reads no more than {model.max_length} tokens."
        )
    return " ".join(said)


def _shown(
    model: "LoadedModel",
    evidence: "Attributions",
    attention: tuple[str, int | None, int | None],
    first: int,
    key: str,
) -> None:
    from bertsent.figures.attribution_bars import attribution_charts
    from bertsent.probing.attribution.attributions import kendall_taus

    name, layer, head = attention
    weights = _weights(evidence, attention)
    table = evidence.table(weights)
    part = table[(table["position"] > first) & (table["position"] <= first + STRETCH)].reset_index(
        drop=True
    )
    found = evidence.gradients
    titles = (
        f"Attention, {name}",
        f"Integrated gradients (completeness error {found.error:.4f})",
        "Change of P(positive) by leaving it out",
    )
    for chart, title in zip(attribution_charts(part, titles), titles, strict=True):
        st.altair_chart(
            chart,
            width="stretch",
            key=f"why-{title.split(',')[0].split(' (')[0]}",
            alt=f"{title}: {_loudest(part, chart)}",
        )
    st.caption(escape_markdown(_caption(evidence, table)))
    st.caption(
        ":blue[▲ up: speaks for positive] · :orange[▼ down: speaks for negative] · attention has "
        "no direction"
    )
    agreement(kendall_taus(table), name)
    carry("evidence", {"All words": table}, lambda: attribution_charts(part, titles, sheet=True))
    with st.expander("How is this computed?"):
        st.markdown(_HOW)
        st.markdown(escape_markdown(_arithmetic(evidence)))
    with st.expander("All words in numbers"):
        st.dataframe(table, hide_index=True, key="why_table")
    with show_errors():
        trusted(model, evidence, table, f"{key}-{name}")


def _weights(
    evidence: "Attributions", attention: tuple[str, int | None, int | None]
) -> "np.ndarray":
    name, layer, head = attention
    return evidence.looks.rollout if name == ROLLOUT else evidence.looks.of(layer, head)


def _loudest(table: pd.DataFrame, chart) -> str:  # noqa: ANN001 - an Altair chart
    column = chart.layer[0].data["value"]
    return (
        f"most at “{table['word'].iloc[int(column.abs().to_numpy().argmax())]}”"
        if len(table)
        else "no words"
    )


def _caption(evidence: "Attributions", table: pd.DataFrame) -> str:
    """What to see in the bars of this review."""
    from bertsent.probing.attribution.attributions import ATTENTION, GRADIENTS, LEFT_OUT

    def word(column: str) -> str:
        return shorten(str(table["word"].iloc[int(table[column].abs().to_numpy().argmax())]), 30)

    left = table[LEFT_OUT].iloc[int(table[LEFT_OUT].abs().to_numpy().argmax())]
    share = evidence.occlusion.p_positive
    label = "POSITIVE" if evidence.positive else "NEGATIVE"
    return (
        f"{label}, P(positive) {100 * share:.1f} %. Leaving out “{word(LEFT_OUT)}” changes it "
        f"most, to {100 * (share - left):.1f} %; "
        f"integrated gradients say “{word(GRADIENTS)}”, attention says “{word(ATTENTION)}”."
    )


def _arithmetic(evidence: "Attributions") -> str:
    """The completeness of this review in numbers."""
    found = evidence.gradients
    enough = "" if found.complete else " The error stayed above 0.02: read these bars with care."
    return (
        f"Here the bars of all words add up to {found.tokens.sum():+.4f}; P(positive) is "
        f"{found.p_positive:.4f}, that of the empty review "
        f"{found.p_baseline:.4f}, the difference {found.p_positive - found.p_baseline:+.4f}: error "
        f"{found.error:.4f} after "
        f"{found.steps} points.{enough}"
    )
