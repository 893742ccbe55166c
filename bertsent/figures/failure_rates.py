"""Scorecards in, failure rates with their intervals as dots and lines out (Altair)."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import (
    AROUND,
    DASHES,
    SERIES_COLOURS,
    STEP_TIP,
    legend,
    named_scale,
    panel,
    series_looks,
    share_scale,
    tips,
)

# pixels of a capability, and what the axis at the bottom takes beside legend and title
ROW, ROOM = 22, 36
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
_RATES = tips(".1%", "failure", "low", "high")


def failure_rate_chart(table: pd.DataFrame, title: str) -> alt.LayerChart:
    """The failure rate of each capability with its 95 % interval, one mark a model.

    ``table`` has model, capability, n, failed, failure, low, high.
    """
    models, names = list(dict.fromkeys(table["model"])), list(dict.fromkeys(table["capability"]))
    counts = [*tips(",d", "failed"), alt.Tooltip("n:Q", title="tests", format=",d")]
    color, _ = series_looks("model", models, DASHES, _legend() if len(models) > 1 else None)
    base = alt.Chart(table).encode(
        y=alt.Y("capability:N", sort=names, title=None, axis=alt.Axis(labelLimit=190)),
        yOffset=alt.YOffset("model:N", sort=models),
        color=color,
        tooltip=["model:N", "capability:N", *counts, *_RATES],
    )
    share = alt.Axis(title="failure rate", format=".0%", orient="bottom", tickCount=6)
    shapes = alt.Scale(domain=models, range=_SHAPES[: len(models)])
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", axis=share, scale=share_scale()), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("failure:Q", axis=share),
        shape=alt.Shape("model:N", scale=shapes, legend=None),
    )
    height = max(14 * len(models), ROW) * len(names) + AROUND + ROOM
    return panel(title, line, dot, height=height)


def failure_rate_history(table: pd.DataFrame, capabilities: Sequence[str]) -> alt.LayerChart:
    """The failure rate of some capabilities over the checkpoints of a run: ``table`` has step,
    capability, failure, low, high.
    """
    names, count = list(capabilities), len(SERIES_COLOURS)
    color, _ = series_looks("capability", names, DASHES, _legend())
    dashes = {name: DASHES[i // count % len(DASHES)] for i, name in enumerate(names)}
    dash = alt.StrokeDash("capability:N", scale=named_scale(dashes), legend=None)
    base = alt.Chart(table[table["capability"].isin(names)]).encode(
        x=alt.X("step:Q", title="Steps", axis=alt.Axis(format="~s", grid=False)),
        y=alt.Y("failure:Q", axis=alt.Axis(title=None, format=".0%"), scale=share_scale()),
        color=color,
        tooltip=["capability:N", STEP_TIP, *_RATES],
    )
    return panel(
        "Failure rate over the checkpoints of the run",
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        base.mark_circle(size=45, opacity=1),
        height=260 + AROUND,
    )


def _legend() -> alt.Legend:
    return legend(columns=alt.ExprRef("width < 520 ? 2 : 4"), labelLimit=260)
