"""Main effects in, their picture out: a dot for the mean of a level, a line from its lowest to its
highest cell.
"""

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import tips
from bertsent.figures.colours import POSITIVE, QUIET


def main_effects_chart(effects: pd.DataFrame, title: str) -> alt.LayerChart:
    """``effects`` as ``main_effects`` gives them; levels stand below each other, grouped by
    factor.
    """
    rows = effects.assign(row=effects["factor"].astype(str) + ": " + effects["level"].astype(str))
    x = alt.X(
        "mean:Q", title=title, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".3~f")
    )
    y = alt.Y("row:N", sort=None, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    tooltip = ["row:N", *tips(".3f", "mean", "low", "high"), "cells:Q"]
    base = alt.Chart(rows)
    span = base.mark_rule(color=QUIET, strokeWidth=2).encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(zero=False)), x2="high:Q", y=y
    )
    dot = base.mark_point(color=POSITIVE, filled=True, size=90).encode(x=x, y=y, tooltip=tooltip)
    return (span + dot).properties(height=alt.Step(26), width="container")
