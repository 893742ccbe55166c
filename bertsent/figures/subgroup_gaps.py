"""Gaps of groups with their intervals in, a dot and a line for each beside zero out (Altair)."""

import math

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import AROUND, level, panel, tips
from bertsent.figures.colours import POSITIVE

ROW = 26  # pixels of a group
NARROW = 5  # points from zero that the axis shows at least, so that small gaps look small


def subgroup_gap_chart(table: pd.DataFrame, title: str) -> alt.LayerChart:
    """The gap of each group, the lowest at the top; a dot is filled where the interval leaves out
    zero.

    ``table`` has group, n, p_positive, reference, gap, low, high, flipped, right.
    """
    drawn = table.sort_values("gap").assign(
        **{name: 100 * table[name] for name in ("gap", "low", "high")},
        apart=((table["low"] > 0) | (table["high"] < 0)).map({True: 1.0, False: 0.0}),
    )
    reach = max(NARROW, math.ceil(drawn[["low", "high"]].abs().to_numpy().max()))
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    axis = alt.Axis(
        title="gap of P(positive), points",
        labelExpr="datum.value > 0 ? '+' + datum.label : datum.label",
        format="d",
        orient="bottom",
        tickCount=5,
    )
    base = alt.Chart(drawn).encode(
        y=alt.Y("group:N", sort=None, title=None, axis=alt.Axis(labelLimit=180, labelFlush=False)),
        tooltip=[
            "group:N",
            *tips("+.1f", "gap", "low", "high"),
            *tips(".1%", "p_positive", "reference", "right"),
            *tips(",d", "flipped", "n"),
        ],
    )
    line = base.mark_rule(strokeWidth=2, color=POSITIVE).encode(
        x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q"
    )
    dot = base.mark_point(
        size=100, opacity=1, strokeWidth=1.5, color=POSITIVE, fill=POSITIVE
    ).encode(
        x=alt.X("gap:Q", axis=axis, scale=scale),
        fillOpacity=alt.FillOpacity("apart:Q", scale=None, legend=None),
    )
    zero = level(0, "gap").encode(x=alt.X("gap:Q", axis=axis, scale=scale))
    return panel(title, zero, line, dot, height=ROW * len(drawn) + AROUND)
