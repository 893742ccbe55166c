"""The frame of a run's steps in, the norm of its gradient and its learning rates out, on the step
axis of the other curves.

The norm is drawn on a logarithmic axis, for it may jump a hundredfold. The rates are straight lines
by design and have an axis each: the encoder's on the left, the head's, which is often twenty times
larger, on the right.
"""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.figures.altair_panels import (
    LEFT,
    RIGHT,
    edge_axis,
    layered,
    legend,
    level,
    named_level,
    step_axis,
    two_axis_panel,
)
from bertsent.figures.colours import TRAINING, VALIDATION
from bertsent.training.config import MAX_GRADIENT_NORM
from bertsent.training.curves.series import finite_numbers, smoothed, thinned

EACH, SMOOTH = "each step", "smoothed"
ENCODER, HEAD = "encoder", "head"
_COLOURS = {EACH: "#7CC5AE", SMOOTH: TRAINING, ENCODER: TRAINING, HEAD: VALIDATION}
_MARKS = [m * 10.0**e for e in range(-4, 5) for m in (1, 3)]
_STEP = alt.Tooltip("step:Q", format=",d")


class GradientCharts(NamedTuple):
    """Two charts, to be shown with ``width="stretch"`` one under the other, below the learning
    curves.
    """

    gradient: alt.LayerChart
    rates: alt.LayerChart


def gradient_charts(steps: pd.DataFrame, *, total_steps: int, height: int = 160) -> GradientCharts:
    """Gradient norm, with a rule where it is clipped, and the learning rates of encoder and head.

    ``steps`` has step, loss, grad_norm, learning_rate (the encoder's), head_learning_rate; it may
    be empty. What is missing, zero or not finite leaves a gap. Long runs are thinned like the loss,
    by the lowest and the highest norm of a stretch.
    """
    columns = ["step", "loss", "grad_norm", "learning_rate", "head_learning_rate"]
    found = finite_numbers(steps, columns)
    positive = found.where(found > 0).assign(step=found["step"])
    smooth = np.exp(smoothed(np.log(positive["grad_norm"]), total_steps))
    norms = thinned(positive.assign(smooth=smooth), total_steps, by="grad_norm")
    x = step_axis(total_steps)
    return GradientCharts(
        _gradient(norms.drop(columns="loss"), x, height),
        _rates(thinned(positive, total_steps), x, height),
    )


def _norm(field: str) -> alt.Y:
    axis = edge_axis(format="~g", values=_MARKS, labelOverlap=True)
    return alt.Y(f"{field}:Q", scale=alt.Scale(type="log"), axis=axis)


def _gradient(norms: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    color, base = _colour([SMOOTH, EACH]), alt.Chart(norms)
    tip = [_STEP, alt.Tooltip("grad_norm:Q", title="gradient norm", format=".3g")]
    lines = [
        base.transform_calculate(line=f"'{name}'")
        .mark_line(strokeWidth=width)
        .encode(x=x, y=_norm(field), color=color)
        for name, field, width in ((EACH, "grad_norm", 1), (SMOOTH, "smooth", 2.5))
    ]
    hover = base.mark_circle(size=40, opacity=0).encode(x=x, y=_norm("grad_norm"), tooltip=tip)
    words = f"clipped above {MAX_GRADIENT_NORM:g}"
    clipped = named_level("grad_norm", MAX_GRADIENT_NORM, words, _norm("grad_norm"))
    # nothing, but as wide as the right axis of the other curves
    hidden = edge_axis(RIGHT, orient="right", labels=False, ticks=False, domain=False, grid=False)
    right = level(0.5, "half", opacity=0).encode(y=alt.Y("half:Q", axis=hidden))
    return two_axis_panel("Gradient norm, by step", [*clipped, *lines, hover], right, height)


def _rates(steps: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    color, base = _colour([ENCODER, HEAD]), alt.Chart(steps)
    sides = []
    for name, field, dash, edge, side in (
        (ENCODER, "learning_rate", [1, 0], LEFT, "left"),
        (HEAD, "head_learning_rate", [6, 3], RIGHT, "right"),
    ):
        axis = edge_axis(
            edge,
            orient=side,
            format=".1e",
            labelPadding=3,
            tickCount=4,
            labelColor=_COLOURS[name],
            grid=side == "left",
        )
        y = alt.Y(f"{field}:Q", scale=alt.Scale(zero=True), axis=axis)
        tip = [_STEP, alt.Tooltip(f"{field}:Q", title=f"rate of the {name}", format=".2e")]
        line = base.transform_calculate(line=f"'{name}'").mark_line(strokeWidth=2, strokeDash=dash)
        points = base.mark_circle(size=40, opacity=0).encode(x=x, y=y, tooltip=tip)
        sides.append(layered(line.encode(x=x, y=y, color=color), points))
    title = "Learning rates, by step: encoder (left axis), head (right axis)"
    return two_axis_panel(title, [sides[0]], sides[1], height)


def _colour(names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=[_COLOURS[name] for name in names])
    look = legend(symbolType="stroke", symbolStrokeWidth=3)
    return alt.Color("line:N", scale=scale, legend=look)
