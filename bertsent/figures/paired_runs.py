"""Paired runs drawn over each other: one row an epoch and run in, Altair charts out; and their
accuracy by slice with intervals.

An arm has a thin line for each seed, a strong line for their mean, and a band from the lowest to
the highest. The published figures are open marks on broken lines. Everything that changes while the
runs live is in the data, never in the specification.
"""

import math
from typing import TypeVar

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import (
    AROUND,
    edge_axis,
    legend,
    level,
    named_scale,
    panel,
    share_scale,
    tips,
)
from bertsent.figures.colours import CLUSTERS
from bertsent.training.curves.series import epoch_bands

ARMS = ("without", "with")
ARM_COLOURS = {"without": CLUSTERS[5], "with": CLUSTERS[4]}
ARM_SHAPES = {"without": "circle", "with": "triangle-up"}
TITLES = {
    "loss": "Training loss, by epoch",
    "val_loss": "Validation loss, by epoch",
    "accuracy": "Training accuracy, by epoch",
    "val_accuracy": "Validation accuracy, by epoch",
}
OURS, PRINTED = "these paired runs", "published, toy data"
Axis = TypeVar("Axis", alt.X, alt.Y)
_EDGE = 46
_PADDING = {"left": 0, "top": 4, "right": 8, "bottom": 4}


def paired_run_curves(
    rows: pd.DataFrame | None,
    *,
    epochs: int,
    published: pd.DataFrame | None = None,
    height: int = 170,
) -> dict[str, alt.LayerChart]:
    """Four charts by measure: loss, val_loss, accuracy, val_accuracy.

    ``rows`` has arm, seed, epoch and the four measures, one row an epoch and run; ``published`` the
    same without seed. Either may be missing or empty. What is missing leaves a gap.
    """
    axis = alt.Axis(title=None, format="d", tickMinStep=1, grid=False, labelFlush=True)
    x = alt.X("epoch:Q", scale=alt.Scale(domain=[0, max(1, epochs)], nice=False), axis=axis)
    return {measure: _panel(rows, published, measure, x, height) for measure in TITLES}


def slice_intervals(table: pd.DataFrame) -> alt.LayerChart:
    """Accuracy by slice, a mark and a 95 % interval an arm; ``table`` has arm, slice, n, right,
    accuracy, low, high.
    """
    order = list(dict.fromkeys(table["slice"]))
    names = alt.Axis(title=None, labelLimit=200, grid=False, ticks=False)
    offset = alt.Scale(domain=list(ARMS), paddingInner=0.4, paddingOuter=0.4)
    x = alt.X(
        "accuracy:Q",
        scale=share_scale(),
        axis=alt.Axis(title=None, format=".0%", tickCount=5),
    )
    color, shape = _arm_looks()
    base = alt.Chart(table).encode(
        y=alt.Y("slice:N", sort=order, axis=names),
        yOffset=alt.YOffset("arm:N", scale=offset),
        color=color,
        tooltip=[
            "slice:N",
            "arm:N",
            *tips(".1%", "accuracy", "low", "high"),
            *tips(",d", "right", "n"),
        ],
    )
    bars = base.mark_rule(strokeWidth=2).encode(x=_field(x, "low"), x2="high:Q")
    points = base.mark_point(size=60, filled=True, opacity=1).encode(x=x, shape=shape)
    half, height = level(0.5, "half").encode(x="half:Q"), 34 * max(1, len(order)) + AROUND
    return panel("Accuracy, 95 % intervals", half, bars, points, height=height, padding=_PADDING)


def _panel(
    rows: pd.DataFrame | None,
    published: pd.DataFrame | None,
    measure: str,
    x: alt.X,
    height: int,
) -> alt.LayerChart:
    runs, printed = _columns(rows, measure, "seed"), _columns(published, measure)
    means, share = epoch_bands(runs, measure), "accuracy" in measure
    y = alt.Y(
        "mean:Q",
        scale=share_scale() if share else alt.Scale(zero=True),
        axis=edge_axis(_EDGE, format=".0%" if share else ".2~f"),
    )
    form, epoch = ".1%" if share else ".3f", alt.Tooltip("epoch:Q")
    about_mean = [
        alt.Tooltip("arm:N"),
        epoch,
        alt.Tooltip("mean:Q", title=measure, format=form),
        *tips(form, "low", "high"),
        alt.Tooltip("seeds:Q"),
    ]
    color, shape = _arm_looks()
    spread = alt.Chart(means[means["seeds"] > 1]).mark_area(opacity=0.22)
    each = alt.Chart(runs).mark_line(strokeWidth=1, opacity=0.55)
    mean = alt.Chart(means).encode(x=x, y=y, color=color)
    print_tip = [
        alt.Tooltip("arm:N", title=PRINTED),
        epoch,
        alt.Tooltip(f"{measure}:Q", format=".4f"),
    ]
    print_base = alt.Chart(printed).encode(x=x, y=_field(y, measure), color=color)
    own = (
        spread.encode(x=x, y=_field(y, "low"), y2="high:Q", color=color),
        each.encode(x=x, y=_field(y, measure), color=color, detail="seed:N"),
        mean.mark_line(strokeWidth=2.5),
        mean.mark_point(size=55, filled=True, opacity=1).encode(shape=shape, tooltip=about_mean),
    )
    return panel(
        TITLES[measure],
        level(0.5 if share else math.log(2), "level").encode(y="level:Q"),  # what guessing gives
        *(() if rows is None else own),
        print_base.mark_line(strokeWidth=1.2, strokeDash=[2, 4]),
        print_base.mark_point(size=45, filled=False, opacity=0.9).encode(
            shape=shape, tooltip=print_tip
        ),
        height=height + AROUND,
        padding=_PADDING,
    )


def _columns(frame: pd.DataFrame | None, measure: str, *more: str) -> pd.DataFrame:
    columns = ["arm", *more, "epoch", measure]
    if frame is None or frame.empty:
        return pd.DataFrame(columns=columns)
    return frame[columns].dropna(subset=[measure])


def _field(axis: Axis, name: str) -> Axis:
    """The same axis for another column."""
    found = axis.copy()
    found.shorthand = f"{name}:Q"
    return found


def _arm_looks() -> tuple[alt.Color, alt.Shape]:
    look = legend(symbolOpacity=1, symbolStrokeWidth=2)
    return (
        alt.Color("arm:N", scale=named_scale(ARM_COLOURS), legend=look),
        alt.Shape("arm:N", scale=named_scale(ARM_SHAPES), legend=look),
    )
