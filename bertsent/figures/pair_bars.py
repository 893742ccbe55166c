"""A pair's rows in, its attributions and their differences as bars out; two points on a map in, the
arrow between them out.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.altair_panels import AROUND, bar_panel, edge_axis, legend, word_axis
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, wrapped
from bertsent.figures.maps import BARE_AXIS, dots, dressed

SHOWN = 32  # rows of the alignment that have room side by side
PANEL, NAMED = 120, 90
TEXTS = {"first": CLUSTERS[2], "second": CLUSTERS[1]}
MORE, LESS = "#5E3C99", "#E66101"  # the ends of PuOr
_SIGNS = {"same": "{0}", "changed": "{0} → {1}", "removed": "− {0}", "added": "+ {1}"}


def pair_charts(
    table: pd.DataFrame, *, attention_from: str, sheet: bool = False
) -> tuple[alt.LayerChart, ...]:
    """Attributions of both texts, their difference, and the difference of attention, over the same
    rows (``PairComparison.frame``, at most ``SHOWN``).

    Args:
        attention_from: the name of the word whose attention it is.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    rows = table.assign(
        position=range(1, len(table) + 1),
        row=[row_name(*row) for row in table[["first", "second", "change"]].to_numpy()],
    )
    both = rows.melt(
        ["position", "row"], ["attribution_first", "attribution_second"], "text", "value"
    ).dropna()
    both["text"] = both["text"].str.removeprefix("attribution_")
    colours = alt.Scale(domain=list(TEXTS), range=list(TEXTS.values()))
    value = alt.Tooltip("value:Q", title="adds to P(positive)", format="+.4f")
    sides = _bars(
        both,
        rows["row"],
        named=False,
        xOffset=alt.XOffset("text:N", sort=list(TEXTS)),
        color=alt.Color("text:N", scale=colours, legend=legend(symbolType="square")),
        tooltip=["row:N", "text:N", value],
    )
    title = "What each word adds to P(positive): first and second text"
    charts = [bar_panel(title, sides, PANEL + (AROUND if sheet else 60))]
    for column, title, last in (
        ("attribution_difference", "Difference of that, second minus first", False),
        (
            "attention_difference",
            f"Difference of the attention from {attention_from}, second minus first",
            True,
        ),
    ):
        bars = _bars(
            rows[["position", "row"]].assign(value=rows[column]),
            rows["row"],
            named=last,
            color=alt.condition("datum.value >= 0", alt.value(MORE), alt.value(LESS)),
            tooltip=[
                "row:N",
                alt.Tooltip("value:Q", title="second minus first", format="+.4f"),
            ],
        )
        height = PANEL + (AROUND if sheet else 36 + (NAMED if last else 0))
        charts.append(bar_panel(title, bars, height))
    return tuple(charts)


def row_name(first: str, second: str, change: str) -> str:
    """A row of the alignment in words: "boring → gripping", "− not", "+ very"."""
    return _SIGNS[change].format(shorten(first, 20), shorten(second, 20))


def pair_map(
    points: pd.DataFrame,
    places: tuple[tuple[float, float], tuple[float, float]],
    texts: tuple[str, str],
) -> go.Figure:
    """Both texts on a flat map of reviews (``ProjectionMap.points``), with an arrow between."""
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


def _bars(rows: pd.DataFrame, words: Sequence[str], *, named: bool, **look: Any) -> alt.Chart:
    axis = edge_axis(format="+.2f", tickCount=4)
    y = alt.Y("value:Q", axis=axis, scale=alt.Scale(nice=True))
    return alt.Chart(rows).mark_bar().encode(x=word_axis(words, shown=named), y=y, **look)
