"""The learning rates of a run to be, drawn before it starts: one row a step and part in, two Altair
charts out.

Head and encoder follow the same shape at rates that lie twenty times apart, so each has a panel and
an axis of its own; on one
axis the encoder would be a flat line. Where the layers of the encoder have rates of their own, each
has a line.
"""

from typing import NamedTuple

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import panel
from bertsent.figures.colours import QUIET, TRAINING

HEIGHT = 150  # pixels of a panel
_TIP = [
    alt.Tooltip("step:Q", format=",d"),
    alt.Tooltip("epoch:Q", format=".2f"),
    alt.Tooltip("part:N", title="what"),
    alt.Tooltip("rate:Q", title="learning rate", format=".2e"),
]


class LearningRateCharts(NamedTuple):
    """Two charts to stand side by side; ``encoder`` is None when it does not learn."""

    head: alt.LayerChart
    encoder: alt.LayerChart | None


def learning_rate_charts(rates: pd.DataFrame, *, epochs: int) -> LearningRateCharts:
    """Draw the learning rates of head and encoder over all steps.

    ``rates`` has step, epoch, part ("head", "layer 6" … "layer 1", "embeddings") and rate, as
    ``training.lr_schedule`` gives them. Dotted lines stand where an epoch ends.
    """
    head, last = rates["part"] == "head", int(rates["step"].max())
    axis = alt.Axis(title=None, format=",d", tickMinStep=1, grid=False, labelFlush=True)
    x = alt.X("step:Q", scale=alt.Scale(domain=[0, last], nice=False), axis=axis)
    ends = _epoch_ends(rates, epochs, x)
    return LearningRateCharts(
        _panel("head", rates[head], ends, x),
        None if head.all() else _panel("encoder", rates[~head], ends, x),
    )


def _epoch_ends(rates: pd.DataFrame, epochs: int, x: alt.X) -> alt.Chart:
    each = rates["step"].max() / epochs
    ends = pd.DataFrame(
        {"step": [round(each * epoch) for epoch in range(1, epochs)]}, dtype="int64"
    )
    return alt.Chart(ends).mark_rule(color=QUIET, strokeDash=[2, 4], opacity=0.8).encode(x=x)


def _panel(name: str, rates: pd.DataFrame, ends: alt.Chart, x: alt.X) -> alt.LayerChart:
    parts = list(dict.fromkeys(rates["part"]))
    own = rates.groupby("part")["rate"].max().nunique() > 1
    shown = alt.Chart(rates if own else rates[rates["part"] == parts[0]].assign(part=name))
    y = alt.Y(
        "rate:Q",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(title=None, format=".1e", tickCount=4, minExtent=46, maxExtent=46),
    )
    line = shown.mark_line(strokeWidth=2).encode(
        x=x, y=y, detail="part:N", color=_colours(parts) if own else alt.value(TRAINING)
    )
    points = shown.mark_circle(size=40, opacity=0).encode(x=x, y=y, tooltip=_TIP)
    title = f"Learning rate of the {name}, by step: up to {rates['rate'].max():.1e}"
    return panel(title, ends, line, points, height=HEIGHT)


def _colours(parts: list[str]) -> alt.Color:
    """From the top layer to the input vectors along a scale whose lightness tells the order as
    well.
    """
    legend = alt.Legend(
        title=None, orient="right", symbolType="stroke", symbolLimit=60, columns=-(-len(parts) // 8)
    )
    return alt.Color(
        "part:N", scale=alt.Scale(domain=parts, range=_shades(len(parts))), legend=legend
    )


def _shades(count: int) -> list[str]:
    """Cividis without its lightest and darkest ends, which vanish on light and on dark pages."""
    from plotly.colors import sample_colorscale

    return sample_colorscale("Cividis", [0.2 + 0.65 * i / max(1, count - 1) for i in range(count)])
