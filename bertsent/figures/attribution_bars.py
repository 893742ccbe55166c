"""Attributions in, bars over one row of words out: Altair charts that lie in line. The three
attributions of one answer, those of a pair of texts with their differences, and P(answer) while
words are left out.

Which way a bar points says which side a word speaks for; its colour says it again.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.figures.altair_panels import (
    AROUND,
    DASHES,
    LEFT,
    edge_axis,
    legend,
    level,
    named_scale,
    panel,
    share_scale,
    word_axis,
)
from bertsent.figures.colours import CLUSTERS, LESS, MORE, NEGATIVE, POSITIVE, QUIET
from bertsent.probing.attribution.attributions import ATTENTION, GRADIENTS, LEAVE_ONE_OUT

PANEL = 120  # pixels of a panel
NAMED = 90  # pixels that the row of words adds to the last panel
WORD = 16  # characters of a word on the row
SHOWN = 32  # rows of the alignment of a pair that have room side by side
COLUMNS = (ATTENTION, GRADIENTS, LEAVE_ONE_OUT)
TEXTS = {"first": CLUSTERS[2], "second": CLUSTERS[1]}
_SIGNS = {"same": "{0}", "changed": "{0} → {1}", "removed": "− {0}", "added": "+ {1}"}


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
        value = alt.Tooltip("value:Q", title=column, format="+.4f" if signed else ".2%")
        bars = _bars(
            rows[["position", "word"]].assign(value=rows[column]),
            word_axis(words, first, shown=last),
            format="+~g" if signed else "~%",
            color=_by_sign(POSITIVE, NEGATIVE) if signed else alt.value(CLUSTERS[0]),
            tooltip=["word:N", "position:O", value],
        )
        charts.append(_bar_panel(title, bars, AROUND if sheet else 36 + NAMED * last))
    return tuple(charts)


def pair_charts(
    table: pd.DataFrame, *, attention_from: str, sheet: bool = False
) -> tuple[alt.LayerChart, ...]:
    """Attributions of both texts, their difference, and the difference of attention, over the same
    rows (``PairComparison.frame``, at most ``SHOWN``).

    Args:
        attention_from: the name of the word whose attention it is.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    words = [row_name(*row) for row in table[["first", "second", "change"]].to_numpy()]
    rows = table.assign(position=range(1, len(table) + 1), row=words)
    columns = [f"attribution_{text}" for text in TEXTS]
    both = rows.melt(["position", "row"], columns, "text", "value").dropna()
    both["text"] = both["text"].str.removeprefix("attribution_")
    value = alt.Tooltip("value:Q", title="adds to P(positive)", format="+.4f")
    sides = _bars(
        both,
        word_axis(words, shown=False),
        format="+.2f",
        xOffset=alt.XOffset("text:N", sort=list(TEXTS)),
        color=alt.Color("text:N", scale=named_scale(TEXTS), legend=legend(symbolType="square")),
        tooltip=["row:N", "text:N", value],
    )
    title = "What each word adds to P(positive): first and second text"
    charts = [_bar_panel(title, sides, AROUND if sheet else 60)]
    difference = alt.Tooltip("value:Q", title="second minus first", format="+.4f")
    for column, title in (
        ("attribution_difference", "Difference of that, second minus first"),
        (
            "attention_difference",
            f"Difference of the attention from {attention_from}, second minus first",
        ),
    ):
        bars = _bars(
            rows[["position", "row"]].assign(value=rows[column]),
            word_axis(words),
            format="+.2f",
            color=_by_sign(MORE, LESS),
            tooltip=["row:N", difference],
        )
        charts.append(_bar_panel(title, bars, AROUND if sheet else 36 + NAMED))
    return tuple(charts)


def row_name(first: str, second: str, change: str) -> str:
    """A row of the alignment in words: "boring → gripping", "− not", "+ very"."""
    return _SIGNS[change].format(shorten(first, 20), shorten(second, 20))


def deletion_chart(curves: pd.DataFrame) -> alt.LayerChart:
    """P(answer) while words are left out: ``curves`` has removed, probability, order, one row a
    point; the last order is the random one.
    """
    names = list(dict.fromkeys(curves["order"]))
    colours = [*CLUSTERS[: len(names) - 1], QUIET]
    dashes = [DASHES[i] for i in (0, 1, 3, 2)][: len(names)]
    shown = legend(columns=2, labelLimit=240, symbolType="stroke")
    removed = alt.Axis(tickMinStep=1, format="d", grid=False)
    share = alt.Axis(title=None, format=".0%", minExtent=LEFT, tickCount=5)
    base = alt.Chart(curves).encode(
        x=alt.X("removed:Q", title="words left out", axis=removed),
        y=alt.Y("probability:Q", scale=share_scale(), axis=share),
        color=alt.Color("order:N", scale=alt.Scale(domain=names, range=colours), legend=shown),
        strokeDash=alt.StrokeDash(
            "order:N", scale=alt.Scale(domain=names, range=dashes), legend=None
        ),
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


def _bars(rows: pd.DataFrame, x: alt.X, *, format: str, **look: Any) -> alt.Chart:
    y = alt.Y("value:Q", axis=edge_axis(format=format, tickCount=4), scale=alt.Scale(nice=True))
    return alt.Chart(rows).mark_bar().encode(x=x, y=y, **look)


def _bar_panel(title: str, bars: alt.Chart, around: int) -> alt.LayerChart:
    zero = level(0.0, "value", opacity=1).encode(y="value:Q")
    return panel(title, bars, zero, height=PANEL + around)


def _by_sign(positive: str, negative: str) -> Any:
    return alt.condition("datum.value >= 0", alt.value(positive), alt.value(negative))
