"""Probabilities of the true label in, the curve of their loss with these answers on it out."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CLUSTERS, QUIET, SAFE, escape
from bertsent.figures.plotly_panels import FAINT, on_page

HEIGHT, LEAST = 400, 4.0  # pixels; the loss up to which the axis goes at least
LEAST_P = 1e-12  # of a probability that is drawn


def loss_curve(
    losses: tuple[float, float], label: int, others: Mapping[str, tuple[float, int]]
) -> go.Figure:
    """−ln p over p.

    Args:
        losses: of this answer if NEGATIVE is true, and if POSITIVE is; that of ``label``, which is
            true, is a full dot, the other one hollow.
        label: 0 or 1.
        others: the loss and the true label of further reviews, by their texts: small diamonds.
    """
    every = [*losses, *(loss for loss, _ in others.values())]
    top = 1.12 * max(LEAST, *every)
    p = np.concatenate([np.geomspace(math.exp(-top), 0.02, 60), np.linspace(0.02, 1, 120)])
    figure = go.Figure(
        go.Scatter(
            x=p,
            y=-np.log(p),
            mode="lines",
            line={"color": QUIET, "width": 2},
            hovertemplate="p = %{x:.3f}<br>−ln p = %{y:.3f}<extra></extra>",
        )
    )
    _guessing(figure)
    _others(figure, others)
    for place in (1 - label, label):
        _answer(figure, losses[place], place, true=place == label)
    figure.update_xaxes(
        title="p, the probability of the true label",
        range=[-0.02, 1.04],
        tickformat=".0%",
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title="loss, −ln p",
        range=[-0.04 * top, top],
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return on_page(figure, HEIGHT, (10, 10, 16, 10), showlegend=False, dragmode=False)


def _guessing(figure: go.Figure) -> None:
    figure.add_scatter(
        x=[0.5],
        y=[math.log(2)],
        mode="markers+text",
        marker={"symbol": "line-ns-open", "size": 12, "color": QUIET, "line": {"width": 2}},
        text=["guessing: ln 2"],
        textposition="bottom left",
        hovertemplate="p = 0.5<br>−ln p = 0.693<extra></extra>",
    )


def _others(figure: go.Figure, others: Mapping[str, tuple[float, int]]) -> None:
    losses = [loss for loss, _ in others.values()]
    figure.add_scatter(
        x=[math.exp(-loss) for loss in losses],
        y=losses,
        mode="markers",
        marker={"symbol": "diamond", "size": 9, "color": CLUSTERS[0], "opacity": 0.9},
        hovertext=[
            f"{escape(text)}<br>{('NEGATIVE', 'POSITIVE')[label]}: loss {loss:.3f}"
            for text, (loss, label) in others.items()
        ],
        hoverinfo="text",
    )


def _answer(figure: go.Figure, loss: float, label: int, *, true: bool) -> None:
    name = ("NEGATIVE", "POSITIVE")[label]
    words = f"<b>{name}: {loss:.3f}</b>" if true else f"if {name}: {loss:.3f}"
    p = math.exp(-loss)
    figure.add_scatter(
        x=[p],
        y=[loss],
        mode="markers",
        marker={
            "size": 14,
            "color": SAFE.of(label),
            "symbol": "circle" if true else "circle-open",
            "line": {"width": 2},
        },
        cliponaxis=False,
        hovertemplate=f"{name}<br>p = {p:.4f}<br>−ln p = {loss:.4f}<extra></extra>",
    )
    figure.add_annotation(x=p, y=loss, text=words, showarrow=False, **_beside(p))


def _beside(p: float) -> dict[str, Any]:
    """Where words stand that belong to the point at ``p``: right of the curve, above it towards its
    right end. Around the middle, where both answers may be, one has them above the other.
    """
    if p > 0.6:
        return {"xanchor": "right", "yanchor": "bottom", "xshift": 6, "yshift": 34}
    if p > 0.5:
        return {"xanchor": "left", "yanchor": "bottom", "xshift": 6, "yshift": 34}
    if p > 0.35:
        return {"xanchor": "left", "yanchor": "bottom", "xshift": 6, "yshift": 56}
    return {"xanchor": "left", "yanchor": "bottom", "xshift": 12}
