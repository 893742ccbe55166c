"""Rates of groups with their intervals in, a dot and a line for each out."""

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import named_scale, tips
from bertsent.figures.colours import CLUSTERS, POSITIVE


def rate_intervals(
    table: pd.DataFrame, title: str, *, rate: str = "rate", share: bool = True, series: str = ""
) -> alt.LayerChart:
    """A group below the other.

    Args:
        table: columns ``group``, ``low``, ``high``, that of the rate, and that of the series.
        title: of the axis.
        rate: the column of the dots.
        share: whether the axis is in per cent.
        series: the column by which dots differ in colour and shape; "" for none.
    """
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True, nice=True)
    axis = alt.Axis(format=".0%" if share else ".2~f", tickCount=5)
    y = alt.Y("group:N", sort=None, title=None, axis=alt.Axis(labelLimit=260))
    base = alt.Chart(table).encode(y=y)
    tooltip = ["group:N", *tips(".1%" if share else ".3f", rate, "low", "high")]
    look: dict[str, object] = {"color": alt.value(POSITIVE)}
    shape: dict[str, object] = {}
    if series:
        names = list(dict.fromkeys(table[series]))
        colours = dict(zip(names, (POSITIVE, *CLUSTERS), strict=False))
        marks = dict(zip(names, ("circle", "diamond", "square", "cross"), strict=False))
        legend = alt.Legend(title=None, orient="top")
        look = {"color": alt.Color(f"{series}:N", scale=named_scale(colours), legend=legend)}
        look["yOffset"] = alt.YOffset(f"{series}:N", sort=names)
        shape = {"shape": alt.Shape(f"{series}:N", scale=named_scale(marks), legend=legend)}
        tooltip.insert(1, f"{series}:N")
    x = alt.X(f"{rate}:Q", title=title, scale=scale, axis=axis)
    low = alt.X("low:Q", title=title, scale=scale, axis=axis)
    span = base.mark_rule(strokeWidth=2).encode(x=low, x2="high:Q", **look)
    dot = base.mark_point(filled=True, size=80, opacity=1)
    dots = dot.encode(x=x, tooltip=tooltip, **look, **shape)
    return (span + dots).properties(height=alt.Step(24 if not series else 18), width="container")
