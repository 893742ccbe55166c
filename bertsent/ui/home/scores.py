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
    COMMENTS,
    FILTERED,
    MODELS,
    NO_OPINION,
    ONE_LINERS,
    shipped_confidence,
    shipped_scores,
    side_by_side,
    slice_of,
    title_of,
)
from bertsent.probing.slices import Slice
from bertsent.ui.shared import choose, download_menu, number_columns, result, show_help

PUBLIC, ERROR = "public", "calibration error"
PARTS = {
    BUILTIN_VALIDATION: "Validation part",
    PUBLIC: "Public sets",
    COMMENTS: "Comments",
    ONE_LINERS: "One-liners",
    BUILTIN_TEST: "Test part, filtered",
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
        tables = {"All scores": table}
        if (confidence := shipped_confidence()) is not None:
            tables["Confidence"] = confidence
        download_menu("scores", None, "bertsent-scores", tables=tables)
    numbers = st.expander("The numbers", key="scores_numbers", on_change="rerun")
    if numbers.open and of != PUBLIC:
        columns = number_columns(dict.fromkeys(MODELS, "%.1f"))
        numbers.dataframe(side_by_side(table, of), column_config=columns)
    if numbers.open and confidence is not None:
        numbers.caption(confidence_sentence(confidence))
        shown = confidence_rows(confidence)
        columns = number_columns(dict.fromkeys(shown.columns[2:], "%.1f") | {ERROR: "%.3f"})
        columns["set"] = st.column_config.TextColumn(width="large")  # "filtered" stays in sight
        numbers.dataframe(shown, column_config=columns, hide_index=True)


@st.cache_data(max_entries=len(PARTS), show_spinner=False)
def _drawn(of: str) -> tuple[str, str]:
    """The sentence and the figure; scores ship, so a server makes them once."""
    table = shipped_scores()
    assert table is not None
    rows = score_rows(table, of)
    said = scores_sentence(rows)
    if of == BUILTIN_TEST:
        said += f" This part was {FILTERED}: compare on the validation part."
    return said, scores_html(rows)


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
    return f"Balanced accuracy on {where}, with 95 % intervals: {said}."


def confidence_sentence(table: pd.DataFrame) -> str:
    """How often a text without an opinion gets a sure answer, and how sure and right the model is
    on one-liners.
    """
    rows = table.set_index("set")
    nothing, lines = rows.loc[NO_OPINION], rows.loc[ONE_LINERS]
    return (
        f"How sure the built-in model is: {100 * nothing['sure'] / nothing['n']:.0f} % of "
        f"{nothing['n']:,.0f} texts without an opinion, which have no right side, get an answer "
        f"over 90 % sure. On one-liners it is {100 * lines['confidence']:.0f} % sure and "
        f"{100 * lines['right'] / lines['n']:.0f} % right."
    )


def confidence_rows(table: pd.DataFrame) -> pd.DataFrame:
    """One row a set, in per cent but for the calibration error."""
    n, sure = table["n"], table["sure"]
    return pd.DataFrame(
        {
            "set": table["set"].map(title_of),
            "n": n,
            "mean confidence": 100 * table["confidence"],
            "right": 100 * table["right"] / n,
            "over 90 % sure": 100 * sure / n,
            "right of these": 100 * table["sure_right"] / sure,
            ERROR: table["error"],
        }
    )


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
        (low, high), (sign, colour) = score.score_interval, MARKS[model]
        said = html.escape(f"{model}: {_percent(score)}")
        top = 100 * (place + 0.5) / len(found)
        lanes.append(
            f'<i style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%;top:{top:.0f}%;'
            f'background:{colour}"></i><b style="left:{100 * score.score:.1f}%;top:{top:.0f}%;'
            f'color:{colour}" title="{said}">{sign}</b>'
        )
    count = _count(next(iter(found.values())))
    said = "; ".join(f"{model} {_percent(score)}" for model, score in found.items())
    label = html.escape(f"{name}, {count}: {said}")
    return (
        f'<div role="listitem" aria-label="{label}"><span>{html.escape(name)} ({count})</span>'
        f'<div class="lanes">{"".join(lanes)}</div></div>'
    )


def _count(score: Slice) -> str:
    """How many reviews are negative and positive, or how many pairs there are."""
    known = [each.n for each in score.labels]
    return " + ".join(f"{n:,}" for n in known) if any(known) else f"{score.n:,}"


def _percent(score: Slice) -> str:
    low, high = score.score_interval
    return f"{100 * score.score:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
