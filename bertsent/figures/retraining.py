"""Accuracy before and after a retraining in, dots with intervals out (Altair)."""

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import (
    AROUND,
    legend,
    level,
    named_scale,
    panel,
    share_scale,
    tips,
)
from bertsent.figures.colours import CLUSTERS, QUIET

COLOURS = {"before": QUIET, "after": CLUSTERS[0]}
SHAPES = {"before": "circle", "after": "diamond"}
ROW, PRESENTED_ROW = 40, 125  # pixels of a set of reviews


def retraining_chart(table: pd.DataFrame, *, row: int = ROW) -> alt.LayerChart:
    """Accuracy on each set of reviews before and after with 95 % intervals.

    Args:
        table: has reviews, when, n, right, accuracy, low, high.
        row: pixels of a set of reviews.
    """
    names = [f"{name} ({n:,})" for name, n in zip(table["reviews"], table["n"], strict=True)]
    table = table.assign(reviews=names)
    look = legend(symbolOpacity=1, symbolStrokeWidth=2)
    base = alt.Chart(table).encode(
        y=alt.Y(
            "reviews:N",
            sort=list(dict.fromkeys(names)),
            axis=alt.Axis(title=None, labelLimit=190, grid=False, ticks=False),
        ),
        yOffset=alt.YOffset("when:N", sort=list(COLOURS), scale=alt.Scale(paddingOuter=0.6)),
        color=alt.Color("when:N", scale=named_scale(COLOURS), legend=look),
        tooltip=[
            "reviews:N",
            "when:N",
            *tips(",d", "right", "n"),
            *tips(".1%", "accuracy", "low", "high"),
        ],
    )
    x = alt.X(
        "accuracy:Q",
        scale=share_scale(),
        axis=alt.Axis(title=None, format=".0%", tickCount=5),
    )
    low = x.copy()
    low.shorthand = "low:Q"
    return panel(
        "Right answers, 95 % intervals",
        level(0.5, "half").encode(x="half:Q"),
        base.mark_rule(strokeWidth=2).encode(x=low, x2="high:Q"),
        base.mark_point(size=80, filled=True, opacity=1).encode(
            x=x, shape=alt.Shape("when:N", scale=named_scale(SHAPES), legend=look)
        ),
        height=row * table["reviews"].nunique() + AROUND,
    )
