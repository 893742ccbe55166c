"""The frame of a run's steps in, the norm of its gradient and its learning rates out, on the step
axis of the other curves.

The norm is drawn on a logarithmic axis, for it may jump a hundredfold. The rates are straight lines
by design and have an axis
each, the encoder's on the left, the head's on the right, which is often twenty times larger.
"""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.figures.colours import QUIET, TRAINING, VALIDATION
from bertsent.figures.learning_curves import AROUND, LEFT, RIGHT, thinned

CLIPPED_ABOVE = 1.0  # a longer gradient is shortened to this before it is used
EACH, SMOOTH = "each step", "smoothed"
ENCODER, HEAD = "encoder", "head"
_COLOURS = {EACH: "#7CC5AE", SMOOTH: TRAINING, ENCODER: TRAINING, HEAD: VALIDATION}
_MARKS = [m * 10.0**e for e in range(-4, 5) for m in (1, 3)]
_COLUMNS = ["step", "loss", "grad_norm", "learning_rate", "head_learning_rate"]


class GradientCharts(NamedTuple):
    """Two charts, to be shown with ``width="stretch"`` one under the other, below those of
    ``training_curves``.
    """

    gradient: alt.LayerChart
    rates: alt.LayerChart


def gradient_charts(steps: pd.DataFrame, *, total_steps: int, height: int = 160) -> GradientCharts:
    """Gradient norm, with a rule where it is clipped, and the learning rates of encoder and head.

    ``steps`` has step, loss, grad_norm, learning_rate (the encoder's), head_learning_rate; it may
    be empty. What is missing,
    zero or not finite leaves a gap. Long runs are thinned like the loss, by the lowest and the
    highest norm of a stretch.
    """
    found = steps.reindex(columns=_COLUMNS).apply(pd.to_numeric, errors="coerce").astype("float64")
    found = found.sort_values("step", kind="stable").reset_index(drop=True)
    positive = found.where(np.isfinite(found) & (found > 0)).assign(step=found["step"])
    norms = thinned(
        _smoothed(positive, total_steps).assign(loss=positive["grad_norm"]), total_steps
    )
    x = _step_axis(total_steps)
    return GradientCharts(
        _gradient(norms.drop(columns="loss"), x, height),
        _rates(thinned(positive, total_steps), x, height),
    )


def gradient_sentence(steps: pd.DataFrame) -> str:
    """What to look for in the gradient norms, from the data; empty without any."""
    norms = pd.to_numeric(steps["grad_norm"], errors="coerce").replace([np.inf, -np.inf], np.nan)
    if not norms.notna().any():
        return ""
    known, highest = norms.dropna(), norms.idxmax()
    share = f"{(known > CLIPPED_ABOVE).mean():.0%}".replace("%", " %")
    return (
        f"In {share} of {len(known):,} steps the gradient was longer than {CLIPPED_ABOVE:g} and "
        "was shortened to that before the update. "
        f"Half of the norms are below {known.median():.2g}; the highest is {norms[highest]:.2g}, "
        f"at step {int(steps['step'][highest]):,}."
    )


def _smoothed(steps: pd.DataFrame, total_steps: int) -> pd.DataFrame:
    """A mean of logarithms that remembers about a fiftieth of the run."""
    mean = np.exp(
        np.log(steps["grad_norm"]).ewm(halflife=max(2.0, total_steps / 50), ignore_na=True).mean()
    )
    return steps.assign(smooth=mean.where(steps["grad_norm"].notna()))


def _step_axis(total_steps: int) -> alt.X:
    scale = alt.Scale(domain=[0, max(1, total_steps)], nice=False, zero=False)
    axis = alt.Axis(
        title=None,
        format=",d",
        tickMinStep=1,
        tickCount=alt.ExprRef("max(3, width / 90)"),
        grid=False,
        labelFlush=True,
    )
    return alt.X("step:Q", scale=scale, axis=axis)


def _norm(field: str) -> alt.Y:
    axis = alt.Axis(
        title=None,
        format="~g",
        minExtent=LEFT,
        maxExtent=LEFT,
        labelPadding=6,
        values=_MARKS,
        labelOverlap=True,
    )
    return alt.Y(f"{field}:Q", scale=alt.Scale(type="log"), axis=axis)


def _rate(field: str, edge: int, colour: str, side: str) -> alt.Y:
    axis = alt.Axis(
        title=None,
        orient=side,
        format=".1e",
        minExtent=edge,
        maxExtent=edge,
        labelPadding=3,
        tickCount=4,
        labelColor=colour,
        grid=side == "left",
    )
    return alt.Y(f"{field}:Q", scale=alt.Scale(zero=True), axis=axis)


def _gradient(norms: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    color = _colour([SMOOTH, EACH])
    base = alt.Chart(norms)
    tip = [
        alt.Tooltip("step:Q", format=",d"),
        alt.Tooltip("grad_norm:Q", title="gradient norm", format=".3g"),
    ]
    each = (
        base.transform_calculate(line=f"'{EACH}'")
        .mark_line(strokeWidth=1)
        .encode(x=x, y=_norm("grad_norm"), color=color)
    )
    mean = (
        base.transform_calculate(line=f"'{SMOOTH}'")
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=_norm("smooth"), color=color)
    )
    hover = base.mark_circle(size=40, opacity=0).encode(x=x, y=_norm("grad_norm"), tooltip=tip)
    limit = alt.Chart(
        pd.DataFrame({"grad_norm": [CLIPPED_ABOVE], "why": [f"clipped above {CLIPPED_ABOVE:g}"]})
    )
    rule = limit.mark_rule(color=QUIET, strokeWidth=1, opacity=0.7).encode(y=_norm("grad_norm"))
    why = limit.mark_text(color=QUIET, align="right", baseline="bottom", dx=-2, dy=-2, fontSize=11)
    note = why.encode(x=alt.value("width"), y="grad_norm:Q", text="why:N")
    return _panel(
        "Norm of the gradient, by step",
        alt.layer(rule, each, mean, hover, note),
        _no_axis(),
        height,
    )


def _rates(steps: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    color, sides = _colour([ENCODER, HEAD]), []
    for name, field, dash, edge, side in (
        (ENCODER, "learning_rate", [1, 0], LEFT, "left"),
        (HEAD, "head_learning_rate", [6, 3], RIGHT, "right"),
    ):
        base, y = alt.Chart(steps), _rate(field, edge, _COLOURS[name], side)
        tip = [
            alt.Tooltip("step:Q", format=",d"),
            alt.Tooltip(f"{field}:Q", title=f"rate of the {name}", format=".2e"),
        ]
        line = base.transform_calculate(line=f"'{name}'").mark_line(strokeWidth=2, strokeDash=dash)
        sides.append(
            alt.layer(
                line.encode(x=x, y=y, color=color),
                base.mark_circle(size=40, opacity=0).encode(x=x, y=y, tooltip=tip),
            )
        )
    return _panel("Learning rates, by step: encoder (left axis), head (right axis)", *sides, height)


def _colour(names: list[str]) -> alt.Color:
    scale = alt.Scale(domain=names, range=[_COLOURS[name] for name in names])
    return alt.Color(
        "line:N",
        scale=scale,
        legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3),
    )


def _no_axis() -> alt.Chart:
    """Nothing, but as wide as the right axis of the other curves."""
    half = alt.Chart(pd.DataFrame({"half": [0.5]}))
    axis = alt.Axis(
        title=None,
        orient="right",
        labels=False,
        ticks=False,
        domain=False,
        grid=False,
        minExtent=RIGHT,
        maxExtent=RIGHT,
    )
    return half.mark_rule(opacity=0).encode(
        y=alt.Y("half:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)
    )


def _panel(
    title: str, left: alt.LayerChart, right: alt.Chart | alt.LayerChart, height: int
) -> alt.LayerChart:
    """What has the left axis and what has the right one, under a title."""
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    padding = {"left": 0, "top": 4, "right": 0, "bottom": 4}
    chart = alt.layer(
        left,
        right,
        title=heading,
        height=height + AROUND,
        padding=padding,
        background="transparent",
    )
    return chart.resolve_scale(y="independent")
