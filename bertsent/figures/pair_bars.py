"""A pair's rows in, its evidence and its differences as bars out; two points on a map in, the arrow
between them out.

The bars are several charts and not one for the reason that ``curves`` gives.
"""

import json

import altair as alt
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, wrapped
from bertsent.figures.learning_curves import AROUND, LEFT
from bertsent.figures.maps import BARE_AXIS, dots, dressed

SHOWN = 32  # rows of the alignment that have room side by side
PANEL, NAMED = 120, 90
TEXTS = {"first": CLUSTERS[2], "second": CLUSTERS[1]}
MORE, LESS = "#5E3C99", "#E66101"  # the ends of PuOr
_SIGNS = {"same": "{0}", "changed": "{0} → {1}", "removed": "− {0}", "added": "+ {1}"}


def pair_charts(
    table: pd.DataFrame, *, looks_from: str, sheet: bool = False
) -> tuple[alt.LayerChart, ...]:
    """Evidence of both texts, its difference, and the difference of attention, over the same rows
    (``Pair.frame``, at most ``SHOWN``).

    Args:
        looks_from: the name of the word whose attention it is.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    rows = table.assign(
        position=range(1, len(table) + 1),
        row=[row_name(*row) for row in table[["first", "second", "change"]].to_numpy()],
    )
    titles = (
        "What each word adds to P(positive): first and second text",
        "Difference of that, second minus first",
        f"Difference of the attention from {looks_from}, second minus first",
    )
    both = rows.melt(
        ["position", "row"], ["evidence_first", "evidence_second"], "text", "value"
    ).dropna()
    both["text"] = both["text"].str.removeprefix("evidence_")
    hidden, named = _axis(rows, shown=False), _axis(rows, shown=True)
    return (
        _both(both, titles[0], hidden, sheet),
        _difference(rows, "evidence_difference", titles[1], hidden, sheet, last=False),
        _difference(rows, "attention_difference", titles[2], named, sheet, last=True),
    )


def row_name(first: str, second: str, change: str) -> str:
    """A row of the alignment in words: "boring → gripping", "− not", "+ very"."""
    return _SIGNS[change].format(shorten(first, 20), shorten(second, 20))


def pair_map(
    points: pd.DataFrame,
    places: tuple[tuple[float, float], tuple[float, float]],
    texts: tuple[str, str],
) -> go.Figure:
    """The two texts on a flat map of reviews (``Atlas.points``), with an arrow from the first to
    the second.
    """
    figure = go.Figure(dots(points, "label", "default", size=6))
    figure.update_traces(opacity=0.35)
    for name, place, symbol, text in zip(
        ("first", "second"), places, ("star", "star-diamond"), texts, strict=True
    ):
        mark = {
            "symbol": symbol,
            "size": 17,
            "color": HIGHLIGHT,
            "line": {"width": 1, "color": QUIET},
        }
        figure.add_scatter(
            x=[place[0]],
            y=[place[1]],
            mode="markers",
            marker=mark,
            name=f"{name} text",
            hoverinfo="text",
            hovertext=[wrapped(text)],
        )
    (ax, ay), (x, y) = places
    if places[0] != places[1]:
        figure.add_annotation(
            x=x,
            y=y,
            ax=ax,
            ay=ay,
            xref="x",
            yref="y",
            axref="x",
            ayref="y",
            showarrow=True,
            arrowhead=2,
            arrowsize=1.4,
            arrowwidth=2,
            arrowcolor=HIGHLIGHT,
            standoff=9,
            startstandoff=9,
            text="",
        )
    figure.update_xaxes(**BARE_AXIS).update_yaxes(**BARE_AXIS, scaleanchor="x", scaleratio=1)
    return dressed(figure, 440, "pair")


def _axis(rows: pd.DataFrame, *, shown: bool) -> alt.X:
    """The rows in their order; the axis knows positions, because a word may come twice."""
    if not shown:
        return alt.X("position:O", axis=alt.Axis(labels=False, ticks=False, title=None))
    slanted = {"labelAngle": -45, "labelAlign": "right"} if len(rows) > 6 else {"labelAngle": 0}
    look = {
        "title": None,
        "ticks": False,
        "labelOverlap": False,
        "labelLimit": 120,
        "labelFontSize": 12,
    }
    return alt.X(
        "position:O",
        axis=alt.Axis(
            labelExpr=f"{json.dumps(list(rows['row']))}[datum.value - 1]", **look, **slanted
        ),
    )


def _y() -> alt.Y:
    axis = alt.Axis(
        title=None, format="+.2f", minExtent=LEFT, maxExtent=LEFT, tickCount=4, labelPadding=6
    )
    return alt.Y("value:Q", axis=axis, scale=alt.Scale(nice=True))


def _both(rows: pd.DataFrame, title: str, x: alt.X, sheet: bool) -> alt.LayerChart:
    legend = alt.Legend(title=None, orient="top", symbolType="square")
    bars = (
        alt.Chart(rows)
        .mark_bar()
        .encode(
            x=x,
            y=_y(),
            xOffset=alt.XOffset("text:N", sort=list(TEXTS)),
            color=alt.Color(
                "text:N",
                scale=alt.Scale(domain=list(TEXTS), range=list(TEXTS.values())),
                legend=legend,
            ),
            tooltip=[
                "row:N",
                "text:N",
                alt.Tooltip("value:Q", title="adds to P(positive)", format="+.4f"),
            ],
        )
    )
    return _framed(bars, title, PANEL + AROUND if sheet else PANEL + 60)


def _difference(
    rows: pd.DataFrame, column: str, title: str, x: alt.X, sheet: bool, *, last: bool
) -> alt.LayerChart:
    data = rows[["position", "row"]].assign(value=rows[column])
    bars = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=x,
            y=_y(),
            color=alt.condition("datum.value >= 0", alt.value(MORE), alt.value(LESS)),
            tooltip=["row:N", alt.Tooltip("value:Q", title="second minus first", format="+.4f")],
        )
    )
    return _framed(bars, title, PANEL + AROUND if sheet else PANEL + 36 + (NAMED if last else 0))


def _framed(bars: alt.Chart, title: str, height: int) -> alt.LayerChart:
    zero = alt.Chart(pd.DataFrame({"value": [0.0]})).mark_rule(color=QUIET).encode(y="value:Q")
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    return alt.layer(bars, zero, title=heading, height=height, background="transparent")
