"""The evaluations of a run in, its loss with what to see in it drawn in: warm-up, the lowest
validation loss, overfitting.
"""

import math
from typing import Any

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import legend, named_level, named_scale, panel
from bertsent.figures.colours import HIGHLIGHT, QUIET, TRAINING, VALIDATION

TRAINED, VALIDATED = "training, mean of the epoch", "validation"
HEIGHT = 340


def annotated_loss_chart(
    points: pd.DataFrame,
    *,
    total_steps: int,
    warm_up: int,
    lowest: int | None = None,
    overfits: bool = False,
    guessing: float = math.log(2),
) -> alt.LayerChart:
    """Losses by step with notes.

    Args:
        points: columns step, epoch, training (may be missing), validation; a row an evaluation.
        total_steps: where the step axis ends.
        warm_up: steps of it, 0 for none.
        lowest: the step of the lowest validation loss, None to mark none.
        overfits: whether the stretch from there to the last point is to be marked.
        guessing: the loss of saying one half to everything.
    """
    scale = alt.Scale(domain=[0, max(1, total_steps)], nice=False)
    x = alt.X("step:Q", title=None, scale=scale, axis=alt.Axis(format=",d", grid=False))
    y = alt.Y("loss:Q", title=None, axis=alt.Axis(format=".2~f", tickCount=5))
    names = {"training": TRAINED, "validation": VALIDATED}
    long = points.rename(columns=names).melt(
        ["step", "epoch"], list(names.values()), "line", "loss"
    )
    look = legend(columns=alt.ExprRef("width < 420 ? 1 : 2"), labelLimit=280)
    base = alt.Chart(long.dropna(subset=["loss"])).encode(
        x=x,
        y=y,
        color=alt.Color(
            "line:N", scale=named_scale({TRAINED: TRAINING, VALIDATED: VALIDATION}), legend=look
        ),
        shape=alt.Shape(
            "line:N", scale=named_scale({TRAINED: "circle", VALIDATED: "diamond"}), legend=look
        ),
        tooltip=[
            "line:N",
            alt.Tooltip("step:Q", format=",d"),
            alt.Tooltip("epoch:Q", format=".3g"),
            alt.Tooltip("loss:Q", format=".3f"),
        ],
    )
    layers = _warm_up(warm_up, x) if warm_up else []
    if overfits and lowest is not None:
        layers.append(_band(lowest, int(points["step"].max()), HIGHLIGHT, x))
    layers += named_level("loss", guessing, "guessing: ln 2", y)
    layers += [base.mark_line(strokeWidth=2), base.mark_point(size=80, filled=True, opacity=1)]
    if lowest is not None:
        layers += _lowest(lowest, x, overfits=overfits, left=lowest > total_steps / 2)
    return panel("Loss, by step", *layers, height=HEIGHT)


def _band(start: int, end: int, colour: str, x: alt.X) -> alt.Chart:
    chart = alt.Chart(pd.DataFrame({"step": [start], "end": [end]}))
    return chart.mark_rect(color=colour, opacity=0.16).encode(x=x, x2="end:Q")


def _warm_up(steps: int, x: alt.X) -> list[alt.Chart]:
    """A grey stripe with its name written upwards, so that it fits the narrowest."""
    chart = alt.Chart(pd.DataFrame({"step": [0], "word": ["warm-up"]}))
    text = chart.mark_text(
        color=QUIET, align="left", baseline="top", angle=270, dx=6, dy=3, fontSize=12
    )
    return [_band(0, steps, QUIET, x), text.encode(x=x, y=alt.value("height"), text="word:N")]


def _lowest(step: int, x: alt.X, *, overfits: bool, left: bool) -> list[alt.Chart]:
    """A broken line at the lowest point, its name on the side where there is room."""
    word = "lowest, then overfitting" if overfits else "lowest"
    chart = alt.Chart(pd.DataFrame({"step": [step], "word": [word]}))
    side: dict[str, Any] = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    where: dict[str, Any] = (
        {"baseline": "top", "dy": 4} if overfits else {"baseline": "bottom", "dy": -4}
    )
    text = chart.mark_text(color=QUIET, fontSize=12, **side, **where)
    rule = chart.mark_rule(color=HIGHLIGHT, strokeWidth=2, strokeDash=[5, 4]).encode(
        x=x, tooltip=[alt.Tooltip("step:Q", format=",d")]
    )
    return [rule, text.encode(x=x, y=alt.value(0 if overfits else "height"), text="word:N")]
