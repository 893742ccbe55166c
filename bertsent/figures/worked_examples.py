"""Pictures of the worked examples: what an answer costs, and who gets how much attention."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, POSITIVE, QUIET, escape
from bertsent.figures.plotly_panels import LEGEND_ABOVE, on_page

HEIGHT = 260
DEAREST = 4.0  # the upper end of the loss that is drawn at least


def loss_curves(p_positive: np.ndarray, losses: np.ndarray) -> go.Figure:
    """−ln ŷ and −log₁₀ ŷ of a positive review, with a dot for each chosen ŷ (n,) and its loss."""
    across = np.linspace(0.005, 1, 400)
    figure = go.Figure()
    curves = (
        ("−ln ŷ, the loss", -np.log(across), "solid", POSITIVE),
        ("−log₁₀ ŷ", -np.log10(across), "dot", QUIET),
    )
    for name, loss, dash, colour in curves:
        line = {"dash": dash, "color": colour, "width": 2}
        figure.add_scatter(x=across, y=loss, name=name, mode="lines", line=line, hoverinfo="skip")
    figure.add_scatter(
        x=p_positive,
        y=losses,
        mode="markers+text",
        marker={"size": 11, "color": HIGHLIGHT, "line": {"width": 1, "color": "#000000"}},
        text=[f"{loss:.3f}" for loss in losses],
        textposition="top right",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
    top = max(DEAREST, 1.1 * float(losses.max()))
    figure.update_xaxes(title="ŷ, the predicted P(positive)", range=[0, 1.05], fixedrange=True)
    figure.update_yaxes(title="loss", range=[0, top], fixedrange=True)
    return on_page(figure, HEIGHT, (0, 0, 10, 10), legend=LEGEND_ABOVE)


def attention_bars(words: Sequence[str], weights: np.ndarray, chosen: int) -> go.Figure:
    """How much of its attention a word gives to each of the ``words``; the bar of ``chosen``, from
    0, stands out.
    """
    colours = [HIGHLIGHT if place == chosen else CLUSTERS[2] for place in range(len(words))]
    figure = go.Figure(
        go.Bar(
            x=[f"{escape(word)} ({n})" for n, word in enumerate(words, start=1)],
            y=weights,
            marker={"color": colours},
            text=[f"{weight:.2f}" for weight in weights],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    figure.update_xaxes(
        ticktext=[escape(word) for word in words],
        tickvals=list(range(len(words))),
        fixedrange=True,
    )
    top = 1.25 * float(weights.max())
    figure.update_yaxes(title="attention weight", range=[0, top], fixedrange=True)
    return on_page(figure, HEIGHT, (0, 0, 10, 10), showlegend=False)
