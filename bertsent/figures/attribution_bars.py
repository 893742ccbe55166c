"""The three kinds of evidence for one answer in, three bars over one row of words out: Altair
charts that lie in line.

They are three charts and not one for the reason that ``curves`` gives. Which way a bar points says
which side a word speaks for;
its colour says it again.
"""

import json
from collections.abc import Sequence

import altair as alt
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import CLUSTERS, NEGATIVE, POSITIVE, QUIET
from bertsent.figures.learning_curves import AROUND, LEFT

PANEL, NAMED = 120, 84  # pixels of a panel, and what the row of words adds to the last
WORD = 16  # characters of a word on the row
SHOWN = 32  # words that have room side by side
SIDES = {"speaks for positive": POSITIVE, "speaks for negative": NEGATIVE}
COLUMNS = (
    "attention",
    "integrated gradients",
    "leave-one-out",
)  # those of ``Attributions.table``


def attribution_charts(
    table: pd.DataFrame, titles: Sequence[str], *, sheet: bool = False
) -> tuple[alt.LayerChart, ...]:
    """Attention, integrated gradients and leave-one-out, one chart each, over the same words.

    Args:
        table: position, word, and the three columns of ``Attributions.table``, one row a word, at most
            ``SHOWN``.
        titles: of the three charts.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    rows = table.assign(word=[shorten(word, 40) for word in table["word"]])
    x = [_words(rows, shown=column == COLUMNS[-1]) for column in COLUMNS]
    return tuple(
        _panel(rows, column, title, axis, sheet, last=column == COLUMNS[-1])
        for column, title, axis in zip(COLUMNS, titles, x, strict=True)
    )


def deletion_chart(curves: pd.DataFrame) -> alt.LayerChart:
    """P(answer) while words are left out: ``curves`` has removed, probability, order, one row a
    point; the last order is the random one.
    """
    names = list(dict.fromkeys(curves["order"]))
    looks = alt.Scale(domain=names, range=[*CLUSTERS[: len(names) - 1], QUIET])
    dash = alt.Scale(domain=names, range=[[1, 0], [6, 3], [9, 3, 2, 3], [2, 2]][: len(names)])
    base = alt.Chart(curves).encode(
        x=alt.X(
            "removed:Q",
            title="words left out",
            axis=alt.Axis(tickMinStep=1, format="d", grid=False),
        ),
        y=alt.Y(
            "probability:Q",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(title=None, format=".0%", minExtent=LEFT, tickCount=5),
        ),
        color=alt.Color(
            "order:N",
            scale=looks,
            legend=alt.Legend(
                title=None, orient="top", columns=2, labelLimit=240, symbolType="stroke"
            ),
        ),
        strokeDash=alt.StrokeDash("order:N", scale=dash, legend=None),
        tooltip=[
            "order:N",
            alt.Tooltip("removed:Q", title="words left out"),
            alt.Tooltip("probability:Q", format=".1%"),
        ],
    )
    heading = alt.Title(
        "P(answer) as words are left out", anchor="start", frame="group", fontSize=14
    )
    return alt.layer(
        base.mark_line(strokeWidth=2),
        base.mark_circle(size=40, opacity=1),
        title=heading,
        height=340,
        background="transparent",
    )


def _panel(
    rows: pd.DataFrame, column: str, title: str, x: alt.X, sheet: bool, *, last: bool
) -> alt.LayerChart:
    signed = column != COLUMNS[0]
    data = rows[["position", "word"]].assign(value=rows[column])
    axis = alt.Axis(
        title=None,
        format="+~g" if signed else "~%",
        minExtent=LEFT,
        maxExtent=LEFT,
        tickCount=4,
        labelPadding=6,
    )
    tip = [
        alt.Tooltip("word:N"),
        alt.Tooltip("position:O"),
        alt.Tooltip("value:Q", title=column, format="+.4f" if signed else ".2%"),
    ]
    bars = (
        alt.Chart(data)
        .mark_bar()
        .encode(x=x, y=alt.Y("value:Q", axis=axis, scale=alt.Scale(nice=True)), tooltip=tip)
    )
    if signed:
        for_, against = SIDES.values()
        bars = bars.encode(
            color=alt.condition("datum.value >= 0", alt.value(for_), alt.value(against))
        )
    else:
        bars = bars.encode(color=alt.value(CLUSTERS[0]))
    zero = alt.Chart(pd.DataFrame({"value": [0.0]})).mark_rule(color=QUIET).encode(y="value:Q")
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    height = PANEL + AROUND if sheet else PANEL + 36 + (NAMED if last else 0)
    return alt.layer(bars, zero, title=heading, height=height, background="transparent")


def _words(rows: pd.DataFrame, *, shown: bool) -> alt.X:
    """The words in their order; the axis knows positions, because a word may come twice."""
    if not shown:
        return alt.X("position:O", axis=alt.Axis(labels=False, ticks=False, title=None))
    names = json.dumps([shorten(word, WORD) for word in rows["word"]])
    first = int(rows["position"].iloc[0]) if len(rows) else 1
    slanted = {"labelAngle": -45, "labelAlign": "right"} if len(rows) > 6 else {"labelAngle": 0}
    look = {
        "title": None,
        "ticks": False,
        "labelOverlap": False,
        "labelLimit": 110,
        "labelFontSize": 12,
    }
    return alt.X(
        "position:O", axis=alt.Axis(labelExpr=f"{names}[datum.value - {first}]", **look, **slanted)
    )
