"""The three attributions of one answer in, three bars over one row of words out: Altair charts that
lie in line. Which way a bar points says which side a word speaks for; its colour says it again.
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.figures.altair_panels import (
    AROUND,
    DASHES,
    LEFT,
    bar_panel,
    edge_axis,
    legend,
    panel,
    share_scale,
    word_axis,
)
from bertsent.figures.colours import CLUSTERS, NEGATIVE, POSITIVE, QUIET
from bertsent.probing.attribution.attributions import ATTENTION, GRADIENTS, LEAVE_ONE_OUT

PANEL, NAMED = 120, 84  # pixels of a panel, and what the row of words adds to the last
WORD = 16  # characters of a word on the row
COLUMNS = (ATTENTION, GRADIENTS, LEAVE_ONE_OUT)


def attribution_charts(
    table: pd.DataFrame, titles: Sequence[str], *, sheet: bool = False
) -> tuple[alt.LayerChart, ...]:
    """Attention, integrated gradients and leave-one-out, one chart each, over the same words.

    Args:
        table: position, word, and the three columns of ``Attributions.table``, one row a word, at
            most 32.
        titles: of the three charts.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    rows = table.assign(word=[shorten(word, 40) for word in table["word"]])
    words = [shorten(word, WORD) for word in rows["word"]]
    first = int(rows["position"].iloc[0]) if len(rows) else 1
    charts = []
    for column, title in zip(COLUMNS, titles, strict=True):
        last, signed = column == COLUMNS[-1], column != ATTENTION
        form = "+.4f" if signed else ".2%"
        bars = alt.Chart(rows[["position", "word"]].assign(value=rows[column])).mark_bar()
        for_, against = alt.value(POSITIVE), alt.value(NEGATIVE)
        side = alt.condition("datum.value >= 0", for_, against)
        axis = edge_axis(format="+~g" if signed else "~%", tickCount=4)
        bars = bars.encode(
            x=word_axis(words, first, shown=last),
            y=alt.Y("value:Q", axis=axis, scale=alt.Scale(nice=True)),
            color=side if signed else alt.value(CLUSTERS[0]),
            tooltip=[
                alt.Tooltip("word:N"),
                alt.Tooltip("position:O"),
                alt.Tooltip("value:Q", title=column, format=form),
            ],
        )
        height = PANEL + AROUND if sheet else PANEL + 36 + (NAMED if last else 0)
        charts.append(bar_panel(title, bars, height))
    return tuple(charts)


def deletion_chart(curves: pd.DataFrame) -> alt.LayerChart:
    """P(answer) while words are left out: ``curves`` has removed, probability, order, one row a
    point; the last order is the random one.
    """
    names = list(dict.fromkeys(curves["order"]))
    looks = alt.Scale(domain=names, range=[*CLUSTERS[: len(names) - 1], QUIET])
    dashes = [DASHES[i] for i in (0, 1, 3, 2)][: len(names)]
    dash = alt.Scale(domain=names, range=dashes)
    shown = legend(columns=2, labelLimit=240, symbolType="stroke")
    removed = alt.Axis(tickMinStep=1, format="d", grid=False)
    share = alt.Axis(title=None, format=".0%", minExtent=LEFT, tickCount=5)
    base = alt.Chart(curves).encode(
        x=alt.X("removed:Q", title="words left out", axis=removed),
        y=alt.Y("probability:Q", scale=share_scale(), axis=share),
        color=alt.Color("order:N", scale=looks, legend=shown),
        strokeDash=alt.StrokeDash("order:N", scale=dash, legend=None),
        tooltip=[
            "order:N",
            alt.Tooltip("removed:Q", title="words left out"),
            alt.Tooltip("probability:Q", format=".1%"),
        ],
    )
    return panel(
        "P(answer) as words are left out",
        base.mark_line(strokeWidth=2),
        base.mark_circle(size=40, opacity=1),
        height=340,
    )
