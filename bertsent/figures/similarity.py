"""Vectors in, pictures of them out: texts against each other, a word layer by layer, the numbers of
one vector.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import (
    ATTENTION_SCALE,
    HIGHLIGHT,
    LESS,
    MORE,
    QUIET,
    escape,
    wrapped,
)
from bertsent.figures.plotly_panels import CATEGORIES, LEGEND_ABOVE, on_page

_MARGINS = (8, 8, 24, 8)


def similarity_figure(similarities: np.ndarray, texts: Sequence[str]) -> go.Figure:
    """Every text against every other: (n, n) cosines, the numbers written into the cells, the texts
    shown by hovering.
    """
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    hover = [
        [
            f"{wrapped(a, 60, 3)}<br>and<br>{wrapped(b, 60, 3)}<br>cosine {cosine:.3f}"
            for b, cosine in zip(texts, row, strict=True)
        ]
        for a, row in zip(texts, similarities, strict=True)
    ]
    figure = go.Figure(
        go.Heatmap(
            z=np.round(similarities, 4),
            x=numbers,
            y=[f"{n} {escape(shorten(text, 24))}" for n, text in zip(numbers, texts, strict=True)],
            zmin=float(min(0.0, similarities.min())),
            zmax=1,
            colorscale=ATTENTION_SCALE,
            text=[[f"{value:.2f}" for value in row] for row in similarities],
            texttemplate="%{text}",
            hoverinfo="text",
            hovertext=hover,
            colorbar={"title": {"text": "cosine"}, "thickness": 12},
            xgap=1,
            ygap=1,
        )
    )
    figure.update_yaxes(autorange="reversed", fixedrange=True, **CATEGORIES)
    figure.update_xaxes(side="top", fixedrange=True, type="category")
    return on_page(figure, 90 + 44 * len(texts), (8, 8, 32, 8))


def layers_figure(table: pd.DataFrame, word: str) -> go.Figure:
    """How similar a word is to itself in other sentences, after every layer, beside any two words
    (``similarity.similarity_by_layer``); apart for sentences of one meaning and of different ones,
    where there are both (``word_meanings.meanings_by_layer``).
    """
    figure, shown = go.Figure(), escape(shorten(word, 24))
    apart = "different" in table and table["different"].notna().all()
    for column, name, colour, dash in (
        (
            "same",
            f"“{shown}”, one meaning" if apart else f"“{shown}” and itself",
            HIGHLIGHT,
            "solid",
        ),
        ("different", f"“{shown}”, different meanings", MORE, "dash"),
        ("others", "any two other words", QUIET, "dot"),
    ):
        if column not in table or not table[column].notna().any():
            continue
        figure.add_scatter(
            x=table["layer"],
            y=table[column],
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 3, "dash": dash},
            hovertemplate="layer %{x}: %{y:.3f}",
        )
    figure.update_xaxes(title="layer (0: input)", dtick=1, fixedrange=True, zeroline=False)
    lowest = float(table.drop(columns="layer").min().min())
    figure.update_yaxes(title="mean cosine", fixedrange=True, range=[min(0.0, lowest), 1.02])
    return on_page(figure, 240, _MARGINS, legend=LEGEND_ABOVE)


def vector_figure(vector: np.ndarray) -> go.Figure:
    """The numbers of a vector side by side, by sign."""
    figure = go.Figure(
        go.Bar(
            x=np.arange(len(vector)),
            y=np.round(vector, 4),
            hovertemplate="number %{x}: %{y:.4f}<extra></extra>",
            marker={"color": np.where(vector >= 0, MORE, LESS), "line": {"width": 0}},
        )
    )
    figure.update_xaxes(title="number of the vector", zeroline=False, fixedrange=True)
    figure.update_yaxes(fixedrange=True)
    return on_page(figure, 200, _MARGINS, bargap=0, showlegend=False)
