"""What can be read after each layer in, two Altair charts over one row of layers out: the answer,
and how far a probe can be trusted.
"""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.figures.colours import CLUSTERS, QUIET
from bertsent.figures.learning_curves import AROUND, LEFT, RIGHT

ANSWER, TRUST = 220, 110  # pixels of the two panels
EARLY, PROBE = "the model’s own head, applied early", "a probe trained for the layer"
_COLOURS = {EARLY: CLUSTERS[0], PROBE: CLUSTERS[1]}


class LayerReadingCharts(NamedTuple):
    """Two charts, to be shown with ``width="stretch"`` one under the other."""

    answer: alt.LayerChart
    accuracy: alt.LayerChart


def layer_reading_frame(
    early: Sequence[float], probed: Sequence[float], review: str
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
        readings: ``layer_reading_frame`` of one review, or of two one after the other; the second is drawn
            dashed.
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
    return LayerReadingCharts(
        _answer(readings, x, _height(ANSWER, sheet, 100)),
        _accuracy(accuracy, x, _height(TRUST, sheet, 70)),
    )


def _height(panel: int, sheet: bool, around: int) -> int:
    return panel + (AROUND if sheet else around)


def _answer(readings: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    reviews = list(dict.fromkeys(readings["review"]))
    names = [name for name in _COLOURS if (readings["reading"] == name).any()]
    looks = alt.Scale(domain=names, range=[_COLOURS[name] for name in names])
    dash = alt.Scale(domain=reviews, range=[[1, 0], [6, 4]][: len(reviews)])
    tip = [
        alt.Tooltip("reading:N"),
        alt.Tooltip("review:N"),
        alt.Tooltip("layer:Q"),
        alt.Tooltip("p_positive:Q", format=".1%"),
    ]
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=alt.ExprRef("width < 700 ? 1 : 2"),
        labelLimit=300,
        symbolType="stroke",
    )
    base = alt.Chart(readings).encode(
        x=x,
        y=alt.Y("p_positive:Q", scale=alt.Scale(domain=[0, 1]), axis=_percent()),
        color=alt.Color("reading:N", scale=looks, legend=legend),
        strokeDash=alt.StrokeDash("review:N", scale=dash, legend=None),
        tooltip=tip,
    )
    heading = alt.Title(
        "P(positive), read after each layer", anchor="start", frame="group", fontSize=14, offset=4
    )
    parts = (
        _rule(alt.Scale(domain=[0, 1])),
        base.mark_line(strokeWidth=2),
        base.mark_circle(size=60, opacity=1),
    )
    return alt.layer(
        *parts, title=heading, height=height, background="transparent", padding=_beside()
    )


def _accuracy(found: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    names, colours = list(_COLOURS), list(_COLOURS.values())
    color = alt.Color("reading:N", scale=alt.Scale(domain=names, range=colours), legend=None)
    base = alt.Chart(found.reindex(columns=["layer", "reading", "accuracy", "low", "high"])).encode(
        x=x, color=color
    )
    tip = [
        alt.Tooltip("reading:N"),
        alt.Tooltip("layer:Q"),
        *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("accuracy", "low", "high")),
    ]
    scale = alt.Scale(domain=[0.4, 1], clamp=True)
    share = alt.Y("accuracy:Q", scale=scale, axis=_percent())
    band = base.mark_area(opacity=0.2).encode(
        y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(y=share)
    dots = base.mark_circle(size=60, opacity=1).encode(y=share, tooltip=tip)
    heading = alt.Title(
        "How often each is right on held-out reviews",
        anchor="start",
        frame="group",
        fontSize=14,
        offset=4,
    )
    return alt.layer(
        _rule(scale),
        band,
        line,
        dots,
        title=heading,
        height=height,
        background="transparent",
        padding=_beside(),
    )


def _rule(scale: alt.Scale) -> alt.Chart:
    return (
        alt.Chart(pd.DataFrame({"half": [0.5]}))
        .mark_rule(color=QUIET, strokeDash=[2, 3])
        .encode(y=alt.Y("half:Q", scale=scale))
    )


def _percent() -> alt.Axis:
    return alt.Axis(
        title=None, format=".0%", minExtent=LEFT, maxExtent=LEFT, tickCount=5, labelPadding=6
    )


def _beside() -> dict[str, int]:
    return {"left": 5, "right": RIGHT // 2, "top": 5, "bottom": 5}
