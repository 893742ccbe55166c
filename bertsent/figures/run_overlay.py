"""The curves of several runs in one: frames of their steps and validations in, three Altair charts
out.

Each run has a colour and a dash of its own, so that neither speaks alone; what it is called and
what it measured is one hover
away. The charts are three and not one concatenation for the reason that ``curves`` gives.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.figures.learning_curves import AROUND, LEFT, SENTENCE_COLOURS

Over = Literal["step", "epoch", "seconds"]
AXES: dict[Over, str] = {"step": "Steps", "epoch": "Epochs", "seconds": "Seconds of training"}
POINTS = (
    1500  # of training, for all runs together; above 2,000 marks Streamlit leaves SVG for canvas
)
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2])
LOOKS = len(SENTENCE_COLOURS) * len(DASHES)  # so many runs can be told apart by colour and dash
_FORMATS = {
    "step": ",d",
    "epoch": ".2f",
    "seconds": ",.0f",
    "loss": ".3f",
    "accuracy": ".1%",
    "macro_f1": ".3f",
    "smooth": ".3f",
}
_TITLES = {"macro_f1": "macro-F1", "smooth": "loss, smoothed", "seconds": "seconds of training"}


class RunOverlay(NamedTuple):
    """Three charts, to be shown with ``width="stretch"`` one under the other; the legend is above
    the first.
    """

    loss: alt.LayerChart
    validation_loss: alt.LayerChart
    accuracy: alt.LayerChart


def overlay_runs(
    steps: pd.DataFrame,
    checks: pd.DataFrame,
    names: Sequence[str],
    *,
    over: Over = "step",
    height: int = 220,
) -> RunOverlay:
    """Training loss, validation loss and validation accuracy of several runs over steps, epochs or
    seconds.

    ``steps`` has run, step, epoch, seconds, loss, accuracy; ``checks`` has run, step, epoch,
    seconds, loss, accuracy,
    macro_f1. ``names`` are the runs in the order of the legend. What is missing or not finite
    leaves a gap. The training line
    is an exponential mean that remembers about a fiftieth of its run; what is hovered has the
    step's own loss too. Long runs
    are thinned: see ``few``.
    """
    steps = _numbers(steps, ["step", "epoch", "seconds", "loss", "accuracy"])
    each = max(20, POINTS // max(1, len(names)))
    trained = [few(_smoothed(steps[steps["run"] == name]), each) for name in names]
    trained = pd.concat(trained, ignore_index=True) if trained else _smoothed(steps)
    checks = _numbers(checks, ["step", "epoch", "seconds", "loss", "accuracy", "macro_f1"])
    legend = 19 * -(-len(names) // 2)
    x = alt.X(
        f"{over}:Q",
        title=AXES[over],
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(format="~s", grid=False, tickCount=8),
    )
    return RunOverlay(
        _panel(
            trained,
            "Training loss, smoothed",
            x,
            _y("smooth"),
            _looks(names, legend=True),
            height + legend,
        ),
        _panel(checks, "Validation loss", x, _y("loss"), _looks(names), height),
        _panel(checks, "Validation accuracy", x, _y("accuracy"), _looks(names), height),
    )


def few(steps: pd.DataFrame, rows: int) -> pd.DataFrame:
    """About ``rows`` of one run's steps: the first, the last, and the lowest and highest loss of
    equal stretches; spikes survive.
    """
    if len(steps) <= rows:
        return steps
    stretch = np.arange(len(steps)) * (rows // 2) // len(steps)
    known = steps["loss"].dropna().groupby(pd.Series(stretch, index=steps.index))
    return steps.loc[sorted({steps.index[0], *known.idxmin(), *known.idxmax(), steps.index[-1]})]


def _numbers(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The columns as floats in order of step; infinite becomes missing, for a curve cannot draw
    it.
    """
    found = frame.reindex(columns=columns).apply(pd.to_numeric, errors="coerce").astype("float64")
    found = found.replace([np.inf, -np.inf], np.nan).assign(run=frame["run"].astype(str))
    return found.sort_values(["run", "step"], kind="stable").reset_index(drop=True)


def _smoothed(steps: pd.DataFrame) -> pd.DataFrame:
    mean = steps["loss"].ewm(halflife=max(2.0, len(steps) / 50), ignore_na=True).mean()
    return steps.assign(smooth=mean.where(steps["loss"].notna()))


def _y(field: str) -> alt.Y:
    """Training losses from 0, what was validated from where it begins: good runs are close
    together.
    """
    form = ".0%" if field == "accuracy" else ".2~f"
    axis = alt.Axis(
        title=None, format=form, minExtent=LEFT, maxExtent=LEFT, labelPadding=6, tickCount=5
    )
    return alt.Y(f"{field}:Q", scale=alt.Scale(zero=field == "smooth", nice=True), axis=axis)


def _looks(names: Sequence[str], *, legend: bool = False) -> tuple[alt.Color, alt.StrokeDash]:
    """Colour and dash together are different for each of ``LOOKS`` runs; beyond that they begin
    again.
    """
    count = len(SENTENCE_COLOURS)
    colours = [SENTENCE_COLOURS[i % count] for i in range(len(names))]
    dashes = [DASHES[(i + i // count) % len(DASHES)] for i in range(len(names))]
    columns = alt.ExprRef("width < 700 ? 1 : 2")
    look = alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        labelLimit=380,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )
    shown = look if legend and len(names) else None
    color = alt.Color("run:N", scale=alt.Scale(domain=list(names), range=colours), legend=shown)
    return color, alt.StrokeDash(
        "run:N", scale=alt.Scale(domain=list(names), range=dashes), legend=shown
    )


def _panel(
    rows: pd.DataFrame,
    title: str,
    x: alt.X,
    y: alt.Y,
    looks: tuple[alt.Color, alt.StrokeDash],
    height: int,
) -> alt.LayerChart:
    """A line and its points for each run; the points of a validation are seen, those of steps only
    found by hovering.
    """
    color, dash = looks
    base = alt.Chart(rows)
    tip = [alt.Tooltip("run:N")] + [
        alt.Tooltip(f"{name}:Q", title=_TITLES.get(name, name), format=form)
        for name, form in _FORMATS.items()
        if name in rows.columns
    ]
    line = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=color, strokeDash=dash)
    seen = {"size": 45, "opacity": 0} if "smooth" in rows.columns else {"size": 45, "opacity": 1}
    points = base.mark_circle(**seen).encode(x=x, y=y, color=color, tooltip=tip)
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    return alt.layer(line, points, title=heading, height=height + AROUND, background="transparent")
