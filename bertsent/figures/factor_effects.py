"""Effects of settings with their intervals in, their picture out: one's own runs beside published
ones, by colour and by shape.
"""

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import legend, named_scale, tips
from bertsent.figures.colours import HIGHLIGHT, POSITIVE, QUIET

OWN, PUBLISHED = "these runs", "published"
_COLOURS = {OWN: POSITIVE, PUBLISHED: HIGHLIGHT}
_SHAPES = {OWN: "circle", PUBLISHED: "diamond"}


def factor_effects_chart(effects: pd.DataFrame, title: str) -> alt.LayerChart:
    """A dot for the change that each factor makes, a line for its interval, a rule at no change.

    Args:
        effects: columns ``factor``, ``change``, ``low``, ``high`` as ``factor_effects`` gives them,
            and ``series``: ``OWN`` or ``PUBLISHED``.
        title: of the axis.
    """
    base = alt.Chart(effects)
    y = alt.Y("factor:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    offset = alt.YOffset("series:N", sort=[OWN, PUBLISHED])
    scale = alt.Scale(zero=True, nice=True)
    signed = "datum.value === 0 ? '0' : datum.label"
    axis = alt.Axis(format="+.3~f", tickCount=8, labelExpr=signed)
    x = alt.X("change:Q", title=title, scale=scale, axis=axis)
    color = alt.Color("series:N", scale=named_scale(_COLOURS), legend=legend())
    shape = alt.Shape("series:N", scale=named_scale(_SHAPES), legend=legend())
    tooltip = ["factor:N", "series:N", *tips("+.3f", "change", "low", "high")]
    zero = alt.Chart(pd.DataFrame({"zero": [0.0]})).mark_rule(color=QUIET).encode(x="zero:Q")
    span = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=y, yOffset=offset, color=color
    )
    dot = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=x, y=y, yOffset=offset, color=color, shape=shape, tooltip=tooltip
    )
    return (zero + span + dot).properties(height=alt.Step(20), width="container")
