"""The curves of several runs in one: frames of their steps and evaluations in, three Altair charts
out.

Each run has a colour and a dash of its own, so that neither speaks alone; what it is called and
what it measured is one hover away.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import (
    AROUND,
    DASHES,
    SERIES_COLOURS,
    edge_axis,
    legend,
    panel,
    series_looks,
)
from bertsent.tasks.measure import ACCURACY, Measure
from bertsent.training.curves.series import finite_numbers, smoothed, thinned_to

Over = Literal["step", "epoch", "seconds"]
AXES: dict[Over, str] = {"step": "Steps", "epoch": "Epochs", "seconds": "Seconds of training"}
# of training, for all runs together; above 2,000 marks Streamlit leaves SVG for canvas
POINTS = 1500
_DASHES = (*DASHES, [12, 4], [4, 2, 1, 2, 1, 2])
LOOKS = len(SERIES_COLOURS) * len(_DASHES)  # so many runs can be told apart by colour and dash
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
_STEP_COLUMNS = ["step", "epoch", "seconds", "loss", "accuracy"]


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
    measure: Measure = ACCURACY,
) -> RunOverlay:
    """Training loss, validation loss and validation accuracy of several runs over steps, epochs or
    seconds.

    ``steps`` has run, step, epoch, seconds, loss, accuracy; ``checks`` has these and macro_f1.
    ``names`` are the runs in the order of the legend. What is missing or not finite leaves a gap.
    The training line is an exponential mean that remembers about a fiftieth of its run; what is
    hovered has the step's own loss too. Long runs are thinned. ``measure`` is what they have
    instead of accuracy.
    """
    steps = _numbers(steps, _STEP_COLUMNS)
    each = max(20, POINTS // max(1, len(names)))
    runs = [steps[steps["run"] == name] for name in names] or [steps]
    trained = pd.concat(
        [thinned_to(run.assign(smooth=smoothed(run["loss"], len(run))), each) for run in runs],
        ignore_index=True,
    )
    checks = _numbers(checks, [*_STEP_COLUMNS, "macro_f1"])
    look = legend(
        columns=alt.ExprRef("width < 700 ? 1 : 2"),
        labelLimit=380,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )
    looks, plain = (series_looks("run", list(names), _DASHES, shown) for shown in (look, None))
    x = alt.X(
        f"{over}:Q",
        title=AXES[over],
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(format="~s", grid=False, tickCount=8),
    )
    tall = height + 19 * -(-len(names) // 2)
    return RunOverlay(
        _panel(trained, "Training loss, smoothed", x, "smooth", looks, tall, measure),
        _panel(checks, "Validation loss", x, "loss", plain, height, measure),
        _panel(checks, f"Validation {measure.name}", x, "accuracy", plain, height, measure),
    )


def _numbers(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    found = finite_numbers(frame, columns, run=frame["run"].astype(str))
    return found.sort_values(["run", "step"], kind="stable").reset_index(drop=True)


def _panel(
    rows: pd.DataFrame,
    title: str,
    x: alt.X,
    field: str,
    looks: tuple[alt.Color, alt.StrokeDash],
    height: int,
    measure: Measure = ACCURACY,
) -> alt.LayerChart:
    """A line and its points for each run; the points of a validation are seen, those of steps only
    found by hovering. Training losses begin at 0, what was validated where it begins: good runs are
    close together.
    """
    color, dash = looks
    training = field == "smooth"
    percent = field == "accuracy" and measure.percent
    axis = edge_axis(format=".0%" if percent else ".2~f")
    y = alt.Y(f"{field}:Q", scale=alt.Scale(zero=training, nice=True), axis=axis)
    titles = _TITLES | {"accuracy": measure.name}
    tip = [alt.Tooltip("run:N")] + [
        alt.Tooltip(f"{name}:Q", title=titles.get(name, name), format=form)
        for name, form in (_FORMATS | {"accuracy": measure.form}).items()
        if name in rows.columns
    ]
    base = alt.Chart(rows).encode(x=x, y=y, color=color)
    line = base.mark_line(strokeWidth=2).encode(strokeDash=dash)
    points = base.mark_circle(size=45, opacity=0 if training else 1).encode(tooltip=tip)
    return panel(title, line, points, height=height + AROUND)
