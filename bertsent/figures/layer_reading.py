"""What can be read after each layer in, two Altair charts over one row of layers out: the answer,
and how far a probe can be trusted.
"""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.figures.altair_panels import (
    AROUND,
    RIGHT,
    edge_axis,
    legend,
    level,
    named_scale,
    panel,
    share_scale,
    tips,
)
from bertsent.figures.colours import CLUSTERS

ANSWER, TRUST = 300, 300  # pixels of the two panels
EARLY, PROBE = "the model’s own head, applied early", "a probe trained for the layer"
_COLOURS = {EARLY: CLUSTERS[0], PROBE: CLUSTERS[1]}
_PADDING = {"left": 5, "right": RIGHT // 2, "top": 5, "bottom": 5}


class LayerReadingCharts(NamedTuple):
    """Two charts, to be shown with ``width="stretch"`` one under the other."""

    answer: alt.LayerChart
    accuracy: alt.LayerChart


def layer_reading_frame(
    early: Sequence[float] | np.ndarray, probed: Sequence[float] | np.ndarray, review: str
) -> pd.DataFrame:
    """One row a layer and kind of reading: layer (0 the embeddings), p_positive, reading,
    review.
    """
    parts = [
        pd.DataFrame(
            {
                "layer": range(len(shares)),
                "p_positive": np.asarray(shares, float),
                "reading": name,
                "review": review,
            }
        )
        for name, shares in ((EARLY, early), (PROBE, probed))
        if len(shares)
    ]
    return pd.concat(parts, ignore_index=True)


def layer_reading_charts(
    readings: pd.DataFrame, accuracy: pd.DataFrame, *, sheet: bool = False
) -> LayerReadingCharts:
    """P(positive) after each layer, and under it how often each kind of reading is right on reviews
    that no probe learned from.

    Args:
        readings: ``layer_reading_frame`` of one review, or of two one after the other; the second
            is drawn dashed.
        accuracy: layer, reading, accuracy, low, high; empty where there are no probes.
        sheet: for ``pictures.picture``, which wants heights otherwise.
    """
    layers = int(readings["layer"].max())
    x = alt.X(
        "layer:Q",
        title="after layer (0: before the first)",
        scale=alt.Scale(domain=[0, layers], nice=False),
        axis=alt.Axis(values=list(range(layers + 1)), format="d", grid=False),
    )
    around = (AROUND, AROUND) if sheet else (100, 100)
    return LayerReadingCharts(
        _answer(readings, x, ANSWER + around[0]), _accuracy(accuracy, x, TRUST + around[1])
    )


def _answer(readings: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    reviews = list(dict.fromkeys(readings["review"]))
    names = [name for name in _COLOURS if (readings["reading"] == name).any()]
    looks = named_scale({name: _COLOURS[name] for name in names})
    dash = named_scale(dict(zip(reviews, ([1, 0], [6, 4]), strict=False)))
    shown = legend(columns=alt.ExprRef("width < 700 ? 1 : 2"), labelLimit=300, symbolType="stroke")
    base = alt.Chart(readings).encode(
        x=x,
        y=alt.Y("p_positive:Q", scale=share_scale(), axis=edge_axis(format=".0%")),
        color=alt.Color("reading:N", scale=looks, legend=shown),
        strokeDash=alt.StrokeDash("review:N", scale=dash, legend=None),
        tooltip=[
            alt.Tooltip("reading:N"),
            alt.Tooltip("review:N"),
            alt.Tooltip("layer:Q"),
            alt.Tooltip("p_positive:Q", format=".1%"),
        ],
    )
    line, dots = base.mark_line(strokeWidth=2), base.mark_circle(size=60, opacity=1)
    return panel(
        "P(positive), read after each layer",
        _half(share_scale()),
        line,
        dots,
        height=height,
        padding=_PADDING,
    )


def _accuracy(found: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    base = alt.Chart(found.reindex(columns=["layer", "reading", "accuracy", "low", "high"])).encode(
        x=x,
        color=alt.Color(
            "reading:N",
            scale=named_scale(_COLOURS),
            legend=legend(columns=alt.ExprRef("width < 500 ? 1 : 2"), labelLimit=300),
        ),
    )
    tip = ["reading:N", "layer:Q", *tips(".1%", "accuracy", "low", "high")]
    scale = alt.Scale(domain=[0.4, 1], clamp=True)
    share = alt.Y("accuracy:Q", scale=scale, axis=edge_axis(format=".0%"))
    band = base.mark_area(opacity=0.2).encode(
        y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(y=share)
    dots = base.mark_circle(size=60, opacity=1).encode(y=share, tooltip=tip)
    return panel(
        "Accuracy of each on held-out reviews",
        _half(scale),
        band,
        line,
        dots,
        height=height,
        padding=_PADDING,
    )


def _half(scale: alt.Scale) -> alt.Chart:
    return level(0.5, "half", strokeDash=[2, 3], opacity=1).encode(y=alt.Y("half:Q", scale=scale))
