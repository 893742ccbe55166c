"""Cosine similarities in, their heatmap or their course through the layers out; a vector in, its
numbers as bars out.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import ATTENTION_SCALE, CLEAR, HIGHLIGHT, QUIET, escape, wrapped

MORE, LESS = "#5E3C99", "#E66101"  # the ends of PuOr


def similarity_figure(alike: np.ndarray, texts: Sequence[str]) -> go.Figure:
    """Every text against every other: (n, n) cosines, the numbers written into the cells, the texts
    shown by hovering.
    """
    names = [f"{number} {escape(shorten(text, 24))}" for number, text in enumerate(texts, start=1)]
    hover = [
        [
            f"{wrapped(a, 60, 3)}<br>and<br>{wrapped(b, 60, 3)}<br>cosine {alike[i, j]:.3f}"
            for j, b in enumerate(texts)
        ]
        for i, a in enumerate(texts)
    ]
    low = float(min(0.0, alike.min()))
    figure = go.Figure(
        go.Heatmap(
            z=np.round(alike, 4),
            x=[str(n) for n in range(1, len(texts) + 1)],
            y=names,
            zmin=low,
            zmax=1,
            colorscale=ATTENTION_SCALE,
            text=[[f"{value:.2f}" for value in row] for row in alike],
            texttemplate="%{text}",
            hoverinfo="text",
            hovertext=hover,
            colorbar={"title": {"text": "cosine"}, "thickness": 12},
            xgap=1,
            ygap=1,
        )
    )
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    figure.update_xaxes(fixedrange=True, type="category", side="top")
    return figure.update_layout(
        height=90 + 44 * len(texts),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 8, "t": 32, "b": 8},
    )


def layers_figure(table: pd.DataFrame, word: str, *, height: int = 240) -> go.Figure:
    """How alike a word is to itself in other sentences, after every layer, beside any two words
    (``nearness.alike_by_layer``).
    """
    figure = go.Figure()
    lines = (
        ("same", f"“{escape(shorten(word, 24))}” and itself", HIGHLIGHT, "solid"),
        ("others", "any two other words", QUIET, "dot"),
    )
    for column, name, colour, dash in lines:
        figure.add_scatter(
            x=table["layer"],
            y=table[column],
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 3, "dash": dash},
            hovertemplate="layer %{x}: %{y:.3f}",
        )
    figure.update_xaxes(title="layer (0: input)", dtick=1, fixedrange=True, zeroline=False)
    figure.update_yaxes(
        title="mean cosine",
        fixedrange=True,
        range=[min(0.0, float(table[["same", "others"]].min().min())), 1.02],
    )
    return _plain(figure, height).update_layout(
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )


def vector_figure(vector: np.ndarray, *, height: int = 200) -> go.Figure:
    """The numbers of a vector side by side, by sign."""
    bars = go.Bar(
        x=np.arange(len(vector)),
        y=np.round(vector, 4),
        hovertemplate="number %{x}: %{y:.4f}<extra></extra>",
        marker={"color": np.where(vector >= 0, MORE, LESS), "line": {"width": 0}},
    )
    figure = go.Figure(bars)
    figure.update_xaxes(title="number of the vector", zeroline=False, fixedrange=True).update_yaxes(
        fixedrange=True
    )
    return _plain(figure, height).update_layout(bargap=0, showlegend=False)


def _plain(figure: go.Figure, height: int) -> go.Figure:
    return figure.update_layout(
        height=height,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
    )
