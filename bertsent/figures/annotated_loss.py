"""The evaluations of a run in, its course with what to see in it drawn in: warm-up, the lowest
validation loss, overfitting.
"""

import altair as alt
import pandas as pd

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
    guessing: float = 0.693147,
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
    x = alt.X(
        "step:Q",
        title=None,
        scale=alt.Scale(domain=[0, max(1, total_steps)], nice=False),
        axis=alt.Axis(format=",d", grid=False),
    )
    long = points.melt(["step", "epoch"], ["training", "validation"], "line", "loss").dropna(
        subset=["loss"]
    )
    long["line"] = long["line"].map({"training": TRAINED, "validation": VALIDATED})
    scale = alt.Scale(domain=[TRAINED, VALIDATED], range=[TRAINING, VALIDATION])
    look = alt.Legend(
        title=None, orient="top", columns=alt.ExprRef("width < 420 ? 1 : 2"), labelLimit=280
    )
    base = alt.Chart(long).encode(
        x=x,
        y=alt.Y("loss:Q", title=None, axis=alt.Axis(format=".2~f", tickCount=5)),
        color=alt.Color("line:N", scale=scale, legend=look),
        shape=alt.Shape(
            "line:N",
            scale=alt.Scale(domain=[TRAINED, VALIDATED], range=["circle", "diamond"]),
            legend=look,
        ),
        tooltip=[
            "line:N",
            alt.Tooltip("step:Q", format=",d"),
            alt.Tooltip("epoch:Q", format=".3g"),
            alt.Tooltip("loss:Q", format=".3f"),
        ],
    )
    end = int(points["step"].max())
    layers = [
        *_warm_up(warm_up, x),
        *([_band(lowest, end, HIGHLIGHT, x)] if overfits else []),
        _level(guessing),
    ]
    layers += [base.mark_line(strokeWidth=2), base.mark_point(size=80, filled=True, opacity=1)]
    if lowest is not None:
        layers += _lowest(lowest, x, overfits=overfits, left=lowest > total_steps / 2)
    heading = alt.Title("Loss, by step", anchor="start", frame="group", fontSize=14, offset=4)
    return alt.layer(*layers).properties(height=HEIGHT, title=heading, background="transparent")


def _band(start: int, end: int, colour: str, x: alt.X) -> alt.Chart:
    """An upright stripe from one step to another."""
    chart = alt.Chart(pd.DataFrame({"step": [start], "end": [end]}))
    return chart.mark_rect(color=colour, opacity=0.16).encode(x=x, x2="end:Q")


def _warm_up(steps: int, x: alt.X) -> list[alt.Chart]:
    """A grey stripe with its name written upwards, so that it fits the narrowest."""
    if not steps:
        return []
    chart = alt.Chart(pd.DataFrame({"step": [0], "word": ["warm-up"]}))
    text = chart.mark_text(
        color=QUIET, align="left", baseline="top", angle=270, dx=6, dy=3, fontSize=12
    )
    return [_band(0, steps, QUIET, x), text.encode(x=x, y=alt.value("height"), text="word:N")]


def _level(guessing: float) -> alt.LayerChart:
    chart = alt.Chart(pd.DataFrame({"loss": [guessing], "word": ["guessing: ln 2"]}))
    rule = chart.mark_rule(color=QUIET, strokeWidth=1, opacity=0.7).encode(y="loss:Q")
    text = chart.mark_text(color=QUIET, align="right", baseline="bottom", dx=-4, dy=-2, fontSize=11)
    return rule + text.encode(x=alt.value("width"), y="loss:Q", text="word:N")


def _lowest(step: int, x: alt.X, *, overfits: bool, left: bool) -> list[alt.Chart]:
    """A broken line at the lowest point, its name on the side where there is room."""
    chart = alt.Chart(
        pd.DataFrame(
            {"step": [step], "word": ["lowest, then overfitting" if overfits else "lowest"]}
        )
    )
    side = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    where = {"baseline": "top", "dy": 4} if overfits else {"baseline": "bottom", "dy": -4}
    text = chart.mark_text(color=QUIET, fontSize=12, **side, **where)
    rule = chart.mark_rule(color=HIGHLIGHT, strokeWidth=2, strokeDash=[5, 4]).encode(
        x=x, tooltip=[alt.Tooltip("step:Q", format=",d")]
    )
    return [rule, text.encode(x=x, y=alt.value(0 if overfits else "height"), text="word:N")]
