"""How good the built-in model is, on the home page: measured when it was made, beside two
classifiers that count words. Drawn as HTML, so that the home page needs no chart library.
"""

import html

import pandas as pd
import streamlit as st

from bertsent.figures.colours import CLUSTERS, POSITIVE
from bertsent.probing.shipped_scores import (
    BUILTIN_TEST,
    BUILTIN_VALIDATION,
    MODELS,
    ONE_LINERS,
    shipped_scores,
    side_by_side,
    slice_of,
)
from bertsent.probing.slices import Slice
from bertsent.ui.shared import choose, download_menu, number_columns, result, show_help

PUBLIC = "public"
PARTS = {
    BUILTIN_VALIDATION: "Validation part",
    PUBLIC: "Public sets",
    ONE_LINERS: "One-liners",
    BUILTIN_TEST: "Test part",
}
MARKS = dict(
    zip(MODELS, (("●", POSITIVE), ("◆", CLUSTERS[0]), ("■", CLUSTERS[1])), strict=True)
)  # of each model: its sign and colour


def scores() -> None:
    """Draw the comparison; nothing where no model ships."""
    table = shipped_scores()
    if table is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="scores_row"):
        st.header("How good is the built-in model?", anchor=False, width="content")
        of = choose("Reviews", PARTS, "scores_of", bind=None, label_visibility="collapsed")
    sentence, drawn = _drawn(of)
    with result("scores"):
        st.caption(sentence)
        st.html(drawn)
    with st.container(horizontal=True, gap="small"):
        show_help("home", "scores", title="How is this measured?")
        download_menu("scores", None, "bertsent-scores", tables={"All scores": table})
    numbers = st.expander("The numbers", key="scores_numbers", on_change="rerun")
    if numbers.open and of != PUBLIC:
        columns = number_columns(dict.fromkeys(MODELS, "%.1f"))
        numbers.dataframe(side_by_side(table, of), column_config=columns)


@st.cache_data(max_entries=len(PARTS), show_spinner=False)
def _drawn(of: str) -> tuple[str, str]:
    """The sentence and the figure; scores ship, so a server makes them once."""
    table = shipped_scores()
    assert table is not None
    rows = score_rows(table, of)
    return scores_sentence(rows), scores_html(rows)


def score_rows(table: pd.DataFrame, of: str) -> dict[str, dict[str, Slice]]:
    """The score of each model by row: the slices of one set, or the public sets as a whole."""
    if of == PUBLIC:
        wanted = {name: (name, "all") for name in table["set"].unique() if name not in PARTS}
    else:
        wanted = {name: (of, name) for name in side_by_side(table, of).index}
    found = {
        row: {model: slice_of(table, *place, model) for model in MODELS}
        for row, place in wanted.items()
    }
    return {
        row: {model: score for model, score in scores.items() if score is not None}
        for row, scores in found.items()
    }


def scores_sentence(rows: dict[str, dict[str, Slice]]) -> str:
    """What the first row says, with intervals."""
    name, found = next(iter(rows.items()))
    said = "; ".join(f"{model} {_percent(score)}" for model, score in found.items())
    count = next(iter(found.values())).n
    where = f"all {count:,} reviews" if name == "all" else f"{name} ({count:,} reviews)"
    return f"Right answers on {where}, with 95 % intervals: {said}."


def scores_html(rows: dict[str, dict[str, Slice]]) -> str:
    """One row a slice, one dot a model on the line of its interval; a dotted line at 50 %."""
    legend = "".join(
        f'<span><b style="color:{colour}">{sign}</b> {html.escape(model)}</span>'
        for model, (sign, colour) in MARKS.items()
    )
    drawn = "".join(_row_html(name, found) for name, found in rows.items())
    axis = "".join(f'<span style="left:{at}%">{at} %</span>' for at in range(0, 101, 25))
    return (
        f'<div class="home-legend">{legend}</div><div class="home-scores" role="list">{drawn}</div>'
        f'<div class="home-axis" aria-hidden="true"><span></span><div>{axis}</div></div>'
    )


def _row_html(name: str, found: dict[str, Slice]) -> str:
    lanes = []
    for place, (model, score) in enumerate(found.items()):
        (low, high), (sign, colour) = score.interval, MARKS[model]
        said = html.escape(f"{model}: {_percent(score)}")
        top = 100 * (place + 0.5) / len(found)
        lanes.append(
            f'<i style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%;top:{top:.0f}%;'
            f'background:{colour}"></i><b style="left:{100 * score.accuracy:.1f}%;top:{top:.0f}%;'
            f'color:{colour}" title="{said}">{sign}</b>'
        )
    count = next(iter(found.values())).n
    said = "; ".join(f"{model} {_percent(score)}" for model, score in found.items())
    label = html.escape(f"{name}, {count:,} reviews: {said}")
    return (
        f'<div role="listitem" aria-label="{label}"><span>{html.escape(name)} ({count:,})</span>'
        f'<div class="lanes">{"".join(lanes)}</div></div>'
    )


def _percent(score: Slice) -> str:
    low, high = score.interval
    return f"{100 * score.accuracy:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
