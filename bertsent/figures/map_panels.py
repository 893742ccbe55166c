"""What was found in a map in, pictures of it out: regions of a classifier, words of a cluster,
reliability, the spread of an answer.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import (
    ATTENTION_SCALE,
    CLEAR,
    HIGHLIGHT,
    NEGATIVE,
    POSITIVE,
    QUIET,
    SAFE,
    escape,
    wrapped,
)
from bertsent.figures.maps import BARE_AXIS, dots, dressed
from bertsent.space.decision_boundary import DecisionBoundary

_MORE, _LESS = "#5E3C99", "#E66101"  # the ends of PuOr
_REGIONS = [
    [0.0, "rgba(213,94,0,0.28)"],
    [0.5, "rgba(127,127,127,0.04)"],
    [1.0, "rgba(0,114,178,0.28)"],
]


def boundary_figure(
    points: pd.DataFrame, found: DecisionBoundary, *, palette: str = "default", height: int = 460
) -> go.Figure:
    """The map with the regions of a classifier behind it: the line in the middle is where it
    changes its mind.
    """
    figure = go.Figure()
    regions = {
        "x": found.xs,
        "y": found.ys,
        "z": np.round(found.p_positive, 3),
        "zmin": 0,
        "zmax": 1,
        "hoverinfo": "skip",
        "showscale": False,
    }
    figure.add_heatmap(**regions, colorscale=_REGIONS, zsmooth="best")
    line = {"start": 0.5, "end": 0.5, "size": 1, "coloring": "none"}
    figure.add_contour(
        **regions,
        contours=line,
        line={"color": HIGHLIGHT, "width": 2},
        name="boundary",
        showlegend=True,
    )
    for trace in dots(points, "label", palette, size=6):
        figure.add_trace(trace)
    figure.update_xaxes(**BARE_AXIS).update_yaxes(**BARE_AXIS, scaleanchor="x", scaleratio=1)
    return dressed(figure, height, "boundary")


def keyword_figure(
    words: pd.DataFrame, measure: str, title: str, *, height: int = 340
) -> go.Figure:
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
    figure.update_yaxes(automargin=True, fixedrange=True, type="category").update_xaxes(
        title=title, zeroline=False, fixedrange=True
    )
    return _plain(figure, height)


def reliability_figure(table: pd.DataFrame, *, height: int = 360) -> go.Figure:
    """Accuracy over confidence (``probing.calibration.reliability``); on the diagonal confidence
    can be taken at its word.

    The size of a dot is its share of the reviews; the bar runs from the dot to the diagonal: the
    gap that the calibration error averages.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[50, 100],
        y=[50, 100],
        mode="lines",
        line={"dash": "dot", "color": QUIET},
        name="as sure as right",
        hoverinfo="skip",
    )
    # from the diagonal to the accuracy of each bin, with a break between two bins
    x = (100 * table["confidence"]).repeat(3).to_numpy()
    y = 100 * table[["confidence", "accuracy"]].assign(end=np.nan).to_numpy().ravel()
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": NEGATIVE, "width": 3}, name="gap", hoverinfo="skip"
    )
    share = table["n"] / table["n"].sum()
    figure.add_scatter(
        x=100 * table["confidence"],
        y=100 * table["accuracy"],
        mode="markers",
        name="reviews",
        hoverinfo="text",
        marker={
            "size": 8 + 26 * np.sqrt(share),
            "color": POSITIVE,
            "opacity": 0.85,
            "line": {"width": 1, "color": QUIET},
        },
        hovertext=[
            f"{r.n:,} reviews<br>sure {100 * r.confidence:.1f} %, right {100 * r.accuracy:.1f} %"
            for r in table.itertuples()
        ],
    )
    figure.update_xaxes(
        title="confidence, per cent", range=[48, 102], zeroline=False, fixedrange=True
    )
    lowest = 100 * min(0.5, float(table["accuracy"].min()))
    figure.update_yaxes(
        title="right, per cent", range=[lowest - 5, 105], zeroline=False, fixedrange=True
    )
    return _plain(figure, height).update_layout(
        showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )


def spread_figure(p_positive: Sequence[float], without: float, *, height: int = 220) -> go.Figure:
    """How P(positive) of one review is spread over dropout masks; the line is the usual answer."""
    counts, edges = np.histogram(np.asarray(p_positive), bins=25, range=(0, 1))
    middle = (edges[:-1] + edges[1:]) / 2
    colours = [SAFE.of(int(value > 0.5)) for value in middle]
    hover = [
        f"{n} of {len(p_positive)} between {100 * a:.0f} and {100 * b:.0f} %"
        for n, a, b in zip(counts, edges, edges[1:], strict=False)
    ]
    figure = go.Figure(
        go.Bar(
            x=100 * middle,
            y=counts,
            width=3.6,
            marker={"color": colours},
            hoverinfo="text",
            hovertext=hover,
        )
    )
    figure.add_vline(x=100 * without, line={"color": HIGHLIGHT, "width": 3})
    figure.add_vline(x=50, line={"color": QUIET, "width": 1, "dash": "dot"})
    figure.update_xaxes(title="P(positive), per cent", range=[0, 100], fixedrange=True)
    figure.update_yaxes(title="masks", fixedrange=True, rangemode="tozero")
    return _plain(figure, height)


def similarity_figure(similarities: np.ndarray, texts: Sequence[str]) -> go.Figure:
    """Every text against every other: (n, n) cosines, the numbers written into the cells, the texts
    shown by hovering.
    """
    names = [f"{number} {escape(shorten(text, 24))}" for number, text in enumerate(texts, start=1)]
    hover = [
        [
            f"{wrapped(a, 60, 3)}<br>and<br>{wrapped(b, 60, 3)}<br>cosine {similarities[i, j]:.3f}"
            for j, b in enumerate(texts)
        ]
        for i, a in enumerate(texts)
    ]
    low = float(min(0.0, similarities.min()))
    figure = go.Figure(
        go.Heatmap(
            z=np.round(similarities, 4),
            x=[str(n) for n in range(1, len(texts) + 1)],
            y=names,
            zmin=low,
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
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    figure.update_xaxes(fixedrange=True, type="category", side="top")
    return figure.update_layout(
        height=90 + 44 * len(texts),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 8, "t": 32, "b": 8},
    )


def layers_figure(table: pd.DataFrame, word: str, *, height: int = 240) -> go.Figure:
    """How similar a word is to itself in other sentences, after every layer, beside any two words
    (``similarity.similarity_by_layer``).
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
        marker={"color": np.where(vector >= 0, _MORE, _LESS), "line": {"width": 0}},
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
        showlegend=False,
        bargap=0.25,
    )
