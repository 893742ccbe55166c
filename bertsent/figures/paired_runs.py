"""Twin runs drawn over each other: one row an epoch and run in, Altair charts out; and their
accuracy by slice with intervals.

An arm has a thin line for each seed, a strong line for their mean, and a band from the lowest to
the highest. The published
figures are open marks on broken lines. Everything that changes while the runs live is in the data,
never in the specification.
"""

from typing import TypeVar

import altair as alt
import pandas as pd

from bertsent.figures.colours import CLUSTERS, QUIET

ARMS = ("without", "with")
ARM_COLOURS = {"without": CLUSTERS[5], "with": CLUSTERS[4]}
ARM_SHAPES = {"without": "circle", "with": "triangle-up"}
TITLES = {
    "loss": "Training loss, by epoch",
    "val_loss": "Validation loss, by epoch",
    "accuracy": "Training accuracy, by epoch",
    "val_accuracy": "Validation accuracy, by epoch",
}
OURS, PRINTED = "these twins", "published, toy data"
Axis = TypeVar("Axis", alt.X, alt.Y)
EDGE = 46  # pixels left of each panel, so that panels in one column lie in line
AROUND = 100  # pixels that title, legend and axis take of a panel's height


def bands(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Columns arm, epoch, mean, low, high, seeds: over the runs of an arm that have come to that
    epoch.
    """
    known = rows.dropna(subset=[measure])
    found = known.groupby(["arm", "epoch"], sort=True)[measure].agg(
        mean="mean", low="min", high="max", seeds="count"
    )
    return found.reset_index()


def paired_run_curves(
    rows: pd.DataFrame, *, epochs: int, published: pd.DataFrame | None = None, height: int = 170
) -> dict[str, alt.LayerChart]:
    """Four charts by measure: loss, val_loss, accuracy, val_accuracy.

    ``rows`` has arm, seed, epoch and the four measures, one row an epoch and run; ``published`` the
    same without seed. Either may
    be empty. What is missing leaves a gap.
    """
    x = _epoch_axis(epochs)
    return {measure: _panel(rows, published, measure, x, height) for measure in TITLES}


def _panel(
    rows: pd.DataFrame, published: pd.DataFrame | None, measure: str, x: alt.X, height: int
) -> alt.LayerChart:
    runs, printed = _columns(rows, measure, "seed"), _columns(published, measure)
    means = (
        bands(rows, measure)
        if len(rows)
        else pd.DataFrame(columns=["arm", "epoch", "mean", "low", "high", "seeds"])
    )
    share = "accuracy" in measure
    y, form = _y(share), ".1%" if share else ".3f"
    tip = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("epoch:Q"),
        alt.Tooltip("mean:Q", title=measure, format=form),
    ]
    spread = [
        alt.Tooltip("low:Q", format=form),
        alt.Tooltip("high:Q", format=form),
        alt.Tooltip("seeds:Q"),
    ]
    color, shape = _arm_looks()
    band = (
        alt.Chart(means[means["seeds"] > 1])
        .mark_area(opacity=0.22)
        .encode(x=x, y=_field(y, "low"), y2="high:Q", color=color)
    )
    each = (
        alt.Chart(runs)
        .mark_line(strokeWidth=1, opacity=0.55)
        .encode(x=x, y=_field(y, measure), color=color, detail="seed:N")
    )
    mean = alt.Chart(means).mark_line(strokeWidth=2.5).encode(x=x, y=_field(y, "mean"), color=color)
    points = alt.Chart(means).mark_point(size=55, filled=True, opacity=1)
    points = points.encode(
        x=x, y=_field(y, "mean"), color=color, shape=shape, tooltip=[*tip, *spread]
    )
    return _titled(
        alt.layer(
            _rule(measure), band, each, mean, points, *_printed(printed, measure, x, y, form)
        ),
        TITLES[measure],
        height,
    )


def _printed(printed: pd.DataFrame, measure: str, x: alt.X, y: alt.Y, form: str) -> list[alt.Chart]:
    """The published figures: broken lines and open marks."""
    color, shape = _arm_looks()
    tip = [
        alt.Tooltip("arm:N", title=PRINTED),
        alt.Tooltip("epoch:Q"),
        alt.Tooltip(f"{measure}:Q", format=".4f"),
    ]
    base = alt.Chart(printed).encode(x=x, y=_field(y, measure), color=color)
    line = base.mark_line(strokeWidth=1.2, strokeDash=[2, 4])
    return [
        line,
        base.mark_point(size=45, filled=False, opacity=0.9).encode(shape=shape, tooltip=tip),
    ]


def _columns(frame: pd.DataFrame | None, measure: str, *more: str) -> pd.DataFrame:
    columns = ["arm", *more, "epoch", measure]
    return (
        pd.DataFrame(columns=columns)
        if frame is None or not len(frame)
        else frame[columns].dropna(subset=[measure])
    )


def _epoch_axis(epochs: int) -> alt.X:
    scale = alt.Scale(domain=[0, max(1, epochs)], nice=False)
    return alt.X(
        "epoch:Q",
        scale=scale,
        axis=alt.Axis(title=None, format="d", tickMinStep=1, grid=False, labelFlush=True),
    )


def _y(share: bool) -> alt.Y:
    axis = alt.Axis(
        title=None, format=".0%" if share else ".2~f", minExtent=EDGE, maxExtent=EDGE, tickCount=5
    )
    return alt.Y(
        "mean:Q", scale=alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True), axis=axis
    )


def _field(axis: Axis, name: str) -> Axis:
    """The same axis for another column."""
    found = axis.copy()
    found.shorthand = f"{name}:Q"
    return found


def _arm_looks() -> tuple[alt.Color, alt.Shape]:
    look = alt.Legend(title=None, orient="top", symbolOpacity=1, symbolStrokeWidth=2)
    color = alt.Color(
        "arm:N",
        scale=alt.Scale(domain=list(ARMS), range=[ARM_COLOURS[a] for a in ARMS]),
        legend=look,
    )
    return color, alt.Shape(
        "arm:N",
        scale=alt.Scale(domain=list(ARMS), range=[ARM_SHAPES[a] for a in ARMS]),
        legend=look,
    )


def _rule(measure: str) -> alt.Chart:
    """What guessing gives: one half, or ln 2."""
    level = 0.5 if "accuracy" in measure else 0.6931471805599453
    return (
        alt.Chart(pd.DataFrame({"level": [level]}))
        .mark_rule(color=QUIET, strokeWidth=1, opacity=0.6)
        .encode(y="level:Q")
    )


def _titled(chart: alt.LayerChart, title: str, height: int) -> alt.LayerChart:
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    return chart.properties(
        title=heading,
        height=height + AROUND,
        background="transparent",
        padding={"left": 0, "top": 4, "right": 8, "bottom": 4},
    )


def slice_intervals(table: pd.DataFrame) -> alt.LayerChart:
    """Accuracy by slice, a mark and a 95 % interval an arm; ``table`` has arm, slice, n, right,
    accuracy, low, high.
    """
    order = list(dict.fromkeys(table["slice"]))
    y = alt.Y(
        "slice:N", sort=order, axis=alt.Axis(title=None, labelLimit=200, grid=False, ticks=False)
    )
    offset = alt.YOffset(
        "arm:N", scale=alt.Scale(domain=list(ARMS), paddingInner=0.4, paddingOuter=0.4)
    )
    x = alt.X(
        "accuracy:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(title=None, format=".0%", tickCount=5),
    )
    color, shape = _arm_looks()
    numbers = [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("accuracy", "low", "high")]
    tip = [
        alt.Tooltip("slice:N"),
        alt.Tooltip("arm:N"),
        *numbers,
        alt.Tooltip("right:Q", format=",d"),
        alt.Tooltip("n:Q", format=",d"),
    ]
    base = alt.Chart(table).encode(y=y, yOffset=offset, color=color, tooltip=tip)
    half = (
        alt.Chart(pd.DataFrame({"half": [0.5]}))
        .mark_rule(color=QUIET, strokeWidth=1, opacity=0.6)
        .encode(x="half:Q")
    )
    bars = base.mark_rule(strokeWidth=2).encode(x=_field(x, "low"), x2="high:Q")
    points = base.mark_point(size=60, filled=True, opacity=1).encode(x=x, shape=shape)
    return _titled(
        alt.layer(half, bars, points), "Accuracy, 95 % intervals", 34 * max(1, len(order))
    )
