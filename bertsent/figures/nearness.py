"""A matrix of cosine similarities in, its heatmap out."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import ATTENTION_SCALE, CLEAR, escape, wrapped


def similarity_figure(alike: np.ndarray, texts: Sequence[str]) -> go.Figure:
    """Every text against every other: (n, n) cosines, the numbers written into the cells, the texts shown by hovering."""
    names = [f"{number} {escape(shorten(text, 24))}" for number, text in enumerate(texts, start=1)]
    hover = [
        [f"{wrapped(a, 60, 3)}<br>and<br>{wrapped(b, 60, 3)}<br>cosine {alike[i, j]:.3f}" for j, b in enumerate(texts)]
        for i, a in enumerate(texts)
    ]
    low = float(min(0.0, alike.min()))
    figure = go.Figure(
        go.Heatmap(
            z=np.round(alike, 4), x=[str(n) for n in range(1, len(texts) + 1)], y=names, zmin=low, zmax=1, colorscale=ATTENTION_SCALE,
            text=[[f"{value:.2f}" for value in row] for row in alike], texttemplate="%{text}", hoverinfo="text", hovertext=hover,
            colorbar={"title": {"text": "cosine"}, "thickness": 12}, xgap=1, ygap=1,
        )
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    figure.update_xaxes(fixedrange=True, type="category", side="top")
    return figure.update_layout(
        height=90 + 44 * len(texts), paper_bgcolor=CLEAR, plot_bgcolor=CLEAR, margin={"l": 8, "r": 8, "t": 32, "b": 8}
    )
