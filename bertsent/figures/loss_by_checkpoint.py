"""The loss of one review at every kept checkpoint of a run, as a curve over the steps."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import HIGHLIGHT, QUIET, SAFE
from bertsent.figures.plotly_panels import FIXED, on_page
from bertsent.training.curves.curve_sentences import GUESSING

HEIGHT = 300


def loss_by_checkpoint_figure(
    steps: Sequence[int], losses: np.ndarray, label: int, chosen: int | None
) -> go.Figure:
    """A point a checkpoint, in the colour of the label that counts as true.

    Args:
        steps: of the checkpoints, (n,).
        losses: of the review there, (n,).
        label: 0 or 1.
        chosen: the step whose weights are in use, which is ringed.
    """
    colour = SAFE.of(label)
    figure = go.Figure(
        go.Scatter(
            x=list(steps),
            y=losses.tolist(),
            mode="lines+markers",
            line={"color": colour, "width": 2},
            marker={"size": 9, "symbol": "triangle-up" if label else "triangle-down"},
            cliponaxis=False,
            hovertemplate="step %{x:,}<br>loss %{y:.4f}<extra></extra>",
        )
    )
    if chosen is not None and chosen in steps:
        at = list(steps).index(chosen)
        ring = {"size": 20, "symbol": "circle-open", "color": HIGHLIGHT, "line": {"width": 3}}
        figure.add_scatter(
            x=[chosen],
            y=[float(losses[at])],
            mode="markers",
            marker=ring,
            cliponaxis=False,
            hoverinfo="skip",
        )
    figure.add_hline(
        GUESSING,
        line={"color": QUIET, "dash": "dot"},
        annotation={"text": f"guessing: ln 2 = {GUESSING:.3f}", "font": {"color": QUIET}},
        annotation_position="top right",
    )
    top = 1.1 * max(GUESSING, float(losses.max()))
    return on_page(
        figure,
        HEIGHT,
        (10, 10, 10, 10),
        showlegend=False,
        xaxis={"title": "step", "tickformat": ",", **FIXED},
        yaxis={"title": "loss of this review", "range": [0, top], **FIXED},
    )
