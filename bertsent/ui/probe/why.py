"""Why: the words of the review coloured by leave-one-out, integrated gradients and attention, how
far the three agree, and which of them finds the words that matter.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.figures.attribution_bars import COLUMNS, attribution_charts, deletion_chart
from bertsent.probing.attribution.attributions import (
    ATTENTION,
    GRADIENTS,
    LEAVE_ONE_OUT,
    Attributions,
    agreement_sentence,
    attribute_review,
    faithfulness_curves,
    kendall_taus,
    largest_word,
)
from bertsent.probing.attribution.faithfulness import faithfulness_sentence
from bertsent.probing.attribution.units import (
    SegmentedReview,
    UnitKind,
    coverage_sentence,
    segment_review,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.no_answer import knows_no_word
from bertsent.ui.probe.why_heads import show_heads
from bertsent.ui.probe.why_words import words_html
from bertsent.ui.shared import (
    JobRequest,
    altair_chart,
    choose,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    result,
    select,
    settings,
    show_errors,
)

AttentionChoice = tuple[str, int | None, int | None]  # its name; layer and head from 0
ROLLOUT, MEAN_OF_ALL, MEAN_OF_LAYER, HEAD = (
    "rollout",
    "mean of all heads",
    "mean of a layer",
    "one head",
)
STRETCH, BLOCK = 32, 128  # units that are drawn as bars, and that are compared at once
UNITS: dict[UnitKind, str] = {"words": "Whole words", "pieces": "Word pieces"}
UNITS_HELP = "The model reads word pieces: parts of words from its vocabulary."
AOPC = st.column_config.NumberColumn(
    format="%.3f",
    help="Area over the perturbation curve: how far P(answer) falls on average while words are "
    "left out. Higher means an earlier fall.",
)


def show_why(name: str, text: str) -> None:
    """Draw the attributions of the answer of the model of that registry name to a review.

    Raises:
        BertsentError: the model does not answer, gives no attention, or finds no word in the
            review.
    """
    model = loaded_model(name)
    if knows_no_word(model, text):
        return
    with settings():
        by = choose("Units", UNITS, "why_by", help=UNITS_HELP)
        attention = _attention_choice(model)
        review = segment_review(model, text, by)
        units = len(review.units)
        first = _first_drawn(units)
    block = first // BLOCK * BLOCK
    compared = min(BLOCK, units - block)
    key = f"why-{cache_key(model.key, model.max_length, review.text, by, block)}"
    with result("words"):
        found = outcome(
            JobRequest(
                key,
                lambda progress: attribute_review(
                    model, text, by=by, first=block, count=BLOCK, progress=progress
                ),
                "Attributing the answer to the words",
                "Attribute the answer to the words",
                len(review.ids) * (compared + 250),  # a gradient costs about three times an answer
            )
        )
        if found is not None:
            table = found.table(_weights(found, attention))
            _show_words(found, table, attention[0])
    _about(model, review, by, (first, block, compared))
    if found is None:
        return
    _show_bars(found, table, attention[0], first)
    _show_agreement(table, attention[0])
    with show_errors():
        _show_faithfulness(model, found, table, f"faithfulness-{key}-{attention[0]}")
    with show_errors():
        show_heads(name, model, review.text)


def _attention_choice(model: LoadedModel) -> AttentionChoice:
    kind = select(
        "Attention", (ROLLOUT, MEAN_OF_ALL, MEAN_OF_LAYER, HEAD), "why_attention", width=190
    )
    if kind in (ROLLOUT, MEAN_OF_ALL):
        return kind, None, None
    layer = _number("Layer", model.layers, "why_layer", model.layers - 1)
    if kind == MEAN_OF_LAYER:
        return f"mean of layer {layer + 1}", layer, None
    head = _number("Head", model.heads, "why_head", 0)
    return f"head {layer + 1}·{head + 1}", layer, head


def _number(label: str, count: int, key: str, usual: int) -> int:
    """A layer or a head, from 0."""
    return select(label, range(1, count + 1), key, index=usual, width=90) - 1


def _first_drawn(units: int) -> int:
    if units <= STRETCH:
        return 0
    named = {
        start: f"{start} to {min(units, start + STRETCH - 1)}"
        for start in range(1, units + 1, STRETCH)
    }
    return select("Drawn", named, "why_from", width=130) - 1


def _weights(found: Attributions, attention: AttentionChoice) -> np.ndarray:
    name, layer, head = attention
    return found.attention.rollout if name == ROLLOUT else found.attention.of(layer, head)


def _show_words(found: Attributions, table: pd.DataFrame, attention: str) -> None:
    details = {
        LEAVE_ONE_OUT: "points of P(positive)",
        GRADIENTS: "points of P(positive)",
        ATTENTION: attention,
    }
    st.html(words_html(table, details))
    st.caption(
        escape_markdown(
            f"{found.sentence(table)} Blue and + speak for positive, orange and − for negative; "
            "attention has no direction."
        )
    )


def _about(
    model: LoadedModel, review: SegmentedReview, by: UnitKind, drawn: tuple[int, int, int]
) -> None:
    first, block, compared = drawn
    last = min(len(review.units), first + STRETCH)
    said = coverage_sentence(model, review, by, (first, last), (block, block + compared))
    st.caption(escape_markdown(said))


def _show_bars(found: Attributions, table: pd.DataFrame, attention: str, first: int) -> None:
    rows = table[table["position"].between(first + 1, first + STRETCH)].reset_index(drop=True)
    titles = found.titles(attention)
    with st.expander("The same as bars and in numbers"):
        charts = attribution_charts(rows, titles)
        for chart, title, column in zip(charts, titles, COLUMNS, strict=True):
            altair_chart(
                chart,
                width="stretch",
                key=f"why-{column}",
                alt=f"{title}: most at “{largest_word(rows, column)}”",
            )
        st.dataframe(table, hide_index=True, key="why_table")
    downloads_and_help(
        "attributions",
        lambda: attribution_charts(rows, titles, sheet=True),
        "attributions",
        ("probe", "why"),
        tables={"All words": table},
        finding=found.sentence(table),
        completeness=escape_markdown(found.completeness_sentence()),
    )


def _show_agreement(table: pd.DataFrame, attention: str) -> None:
    taus = kendall_taus(table)
    with result("agreement"):
        st.markdown("**Do the three agree?** Attention is not an explanation.")
        for place, (pair, tau) in zip(st.columns(3), taus.items(), strict=True):
            place.metric(
                f"τ, {pair[0]} and {pair[1]}",
                "n/a" if tau is None else f"{tau:+.2f}",
                help="Kendall's τ: how similarly two methods rank the words by size. 1: the same "
                "order, 0: no relation, −1: the reverse.",
            )
        st.caption(escape_markdown(agreement_sentence(taus, attention)))


def _show_faithfulness(
    model: LoadedModel, found: Attributions, table: pd.DataFrame, key: str
) -> None:
    with result("faithfulness"):
        st.markdown("**Which one finds the words that matter?**")
        curves = outcome(
            JobRequest(
                key,
                lambda progress: faithfulness_curves(model, found, table, progress=progress),
                "Leaving words out one by one",
                "Leave words out one by one",
                len(found.review.ids) * 13 * (min(10, len(table)) + 1),
            )
        )
        if curves is None:
            return
        points = pd.concat([each.frame() for each in curves], ignore_index=True)
        areas = pd.DataFrame({"order": [c.name for c in curves], "AOPC": [c.aopc for c in curves]})
        said = faithfulness_sentence(curves)
        left, right = st.columns([3, 2], gap="medium")
        altair_chart(
            deletion_chart(points), width="stretch", key="why-deletion", alt=said, place=left
        )
        right.dataframe(areas, hide_index=True, key="why_aopc", column_config={"AOPC": AOPC})
        right.caption(escape_markdown(said))
    downloads_and_help(
        "aopc",
        lambda: [deletion_chart(points)],
        "aopc",
        ("probe", "why_faithfulness"),
        tables={"Curves": points, "AOPC": areas},
    )
