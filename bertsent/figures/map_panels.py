"""What was found in a map in, pictures of it out: regions of a classifier, words of a cluster,
reliability, the spread of an answer.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.colours import (
    HIGHLIGHT,
    NEGATIVE,
    POSITIVE,
    QUIET,
    SAFE,
    escape,
)
from bertsent.figures.maps import dots, flat_map
from bertsent.figures.plotly_panels import FIXED, LEGEND_ABOVE, on_page
from bertsent.space.decision_boundary import DecisionBoundary

_MARGINS = (8, 8, 24, 8)
_REGIONS = [
    [0.0, "rgba(213,94,0,0.28)"],
    [0.5, "rgba(127,127,127,0.04)"],
    [1.0, "rgba(0,114,178,0.28)"],
]


def boundary_figure(points: pd.DataFrame, found: DecisionBoundary) -> go.Figure:
    """The map with the regions of a classifier behind it: on the line in the middle its answer
    changes.
    """
    regions = {
        "x": found.xs,
        "y": found.ys,
        "z": np.round(found.p_positive, 3),
        "zmin": 0,
        "zmax": 1,
        "hoverinfo": "skip",
        "showscale": False,
    }
    figure = go.Figure(go.Heatmap(**regions, colorscale=_REGIONS, zsmooth="best"))
    figure.add_contour(
        **regions,
        contours={"start": 0.5, "end": 0.5, "size": 1, "coloring": "none"},
        line={"color": HIGHLIGHT, "width": 2},
        name="boundary",
        showlegend=True,
    )
    figure.add_traces(dots(points, "label", "default", size=6))
    return flat_map(figure, 460, "boundary")


def keyword_figure(words: pd.DataFrame, measure: str, title: str) -> go.Figure:
    """Bars of the words that stand for a cluster, the strongest on top; ``measure`` is the column
    that they are as long as.
    """
    shown = words.iloc[::-1]
    figure = go.Figure(
        go.Bar(
            x=shown[measure],
            y=[escape(word) for word in shown["word"]],
            orientation="h",
            marker={"color": QUIET},
            hoverinfo="text",
            hovertext=[
                f"{escape(w)}: {n:,} times, z {z:.1f}"
                for w, n, z in shown[["word", "count", "z"]].itertuples(index=False)
            ],
        )
    )
    figure.update_yaxes(type="category", **FIXED)
    figure.update_xaxes(title=title, zeroline=False, fixedrange=True)
    return on_page(figure, 340, _MARGINS, showlegend=False, bargap=0.25)


def reliability_figure(table: pd.DataFrame) -> go.Figure:
    """Accuracy over confidence (``probing.calibration.reliability``); on the diagonal they are
    equal.

    The size of a dot is its share of the reviews; the bar runs from the dot to the diagonal: the
    gap that the calibration error averages.
    """
    confidence, accuracy = 100 * table["confidence"], 100 * table["accuracy"]
    figure = go.Figure()
    figure.add_scatter(
        x=[50, 100],
        y=[50, 100],
        mode="lines",
        line={"dash": "dot", "color": QUIET},
        name="perfect calibration",
        hoverinfo="skip",
    )
    figure.add_scatter(  # from the diagonal to each dot, with a break between two bins
        x=confidence.repeat(3).to_numpy(),
        y=np.column_stack([confidence, accuracy, np.full(len(table), np.nan)]).ravel(),
        mode="lines",
        line={"color": NEGATIVE, "width": 3},
        name="gap",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=confidence,
        y=accuracy,
        mode="markers",
        name="reviews",
        hoverinfo="text",
        marker={
            "size": 8 + 26 * np.sqrt(table["n"] / table["n"].sum()),
            "color": POSITIVE,
            "opacity": 0.85,
            "line": {"width": 1, "color": QUIET},
        },
        hovertext=[
            f"{n:,} reviews<br>sure {sure:.1f} %, right {right:.1f} %"
            for n, sure, right in zip(table["n"], confidence, accuracy, strict=True)
        ],
    )
    fixed = {"zeroline": False, "fixedrange": True}
    figure.update_xaxes(title="confidence, per cent", range=[48, 102], **fixed)
    lowest = min(50.0, float(accuracy.min()))
    figure.update_yaxes(title="right, per cent", range=[lowest - 5, 105], **fixed)
    return on_page(figure, 360, _MARGINS, legend=LEGEND_ABOVE)


def spread_figure(p_positive: Sequence[float], without: float) -> go.Figure:
    """How P(positive) of one review is spread over dropout masks; the line is the usual answer."""
    counts, edges = np.histogram(np.asarray(p_positive), bins=25, range=(0, 1))
    middle = (edges[:-1] + edges[1:]) / 2
    figure = go.Figure(
        go.Bar(
            x=100 * middle,
            y=counts,
            width=3.6,
            marker={"color": [SAFE.of(int(value > 0.5)) for value in middle]},
            hoverinfo="text",
            hovertext=[
                f"{n} of {len(p_positive)} between {100 * a:.0f} and {100 * b:.0f} %"
                for n, a, b in zip(counts, edges, edges[1:], strict=False)
            ],
        )
    )
    figure.add_vline(x=100 * without, line={"color": HIGHLIGHT, "width": 3})
    figure.add_vline(x=50, line={"color": QUIET, "width": 1, "dash": "dot"})
    figure.update_xaxes(title="P(positive), per cent", range=[0, 100], fixedrange=True)
    figure.update_yaxes(title="masks", fixedrange=True, rangemode="tozero")
    return on_page(figure, 220, _MARGINS, showlegend=False, bargap=0.25)
