"""Words with their places in, maps of them out; cosines of pairs in, their picture out."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.colours import HIGHLIGHT, QUIET, SAFE, escape
from bertsent.figures.maps import flat_map
from bertsent.figures.plotly_panels import FAINT, on_page

ASKED, NEAR, ANSWER = "asked for", "nearest", "answer"
_LOOKS = {
    ASKED: (HIGHLIGHT, "star", 16),
    NEAR: (SAFE.positive, "circle", 9),
    ANSWER: (SAFE.negative, "diamond", 12),
}
_KIND_LOOKS = ((SAFE.negative, "diamond"), (SAFE.positive, "circle"), (QUIET, "line-ns-open"))


def word_map_figure(
    points: pd.DataFrame, marked: Mapping[str, str] | None = None, *, height: int = 480
) -> go.Figure:
    """A map of words, those that are looked for with their names.

    Args:
        points: columns ``word``, ``x``, ``y``, ``place``.
        marked: what some words are: ``ASKED``, ``NEAR`` or ``ANSWER``; one that is not on the map
            is left out.
    """
    marked = marked or {}
    figure = go.Figure(
        go.Scatter(
            x=points["x"],
            y=points["y"],
            mode="markers",
            name=f"{len(points):,} most frequent words",
            marker={"size": 5, "color": QUIET, "opacity": 0.45 if marked else 0.75},
            text=[escape(word) for word in points["word"]],
            customdata=points["place"],
            hovertemplate="%{text}<br>number %{customdata} by frequency<extra></extra>",
        )
    )
    for kind, (colour, symbol, size) in _LOOKS.items():
        rows = points[points["word"].map(marked).eq(kind)]
        if len(rows):
            _named_dots(figure, rows, kind, {"size": size, "color": colour, "symbol": symbol})
    return flat_map(figure, height, "words").update_layout(dragmode="pan")


def pair_cosines_figure(table: pd.DataFrame, *, height: int = 300) -> go.Figure:
    """A row of dots for each kind of pairs, by their cosine.

    Args:
        table: columns ``kind``, ``first``, ``second``, ``cosine``, ``rank``.
    """
    figure, kinds = go.Figure(), list(dict.fromkeys(table["kind"]))
    for kind, (colour, symbol) in zip(kinds, _KIND_LOOKS, strict=False):
        rows = table[table["kind"] == kind]
        few = len(rows) < 100
        pairs = [
            f"{escape(first)} · {escape(second)}"
            for first, second in zip(rows["first"], rows["second"], strict=True)
        ]
        figure.add_scatter(
            x=rows["cosine"],
            y=[kind] * len(rows),
            mode="markers",
            name=kind,
            showlegend=False,
            marker={
                "size": 11 if few else 14,
                "color": colour,
                "symbol": symbol,
                "opacity": 0.75 if few else 0.35,
            },
            text=pairs,
            hovertemplate="%{text}<br>cosine %{x:.2f}<extra></extra>",
        )
        mean = float(rows["cosine"].mean())
        figure.add_annotation(
            x=mean, y=kind, text=f"mean {mean:.2f}", yshift=24, showarrow=False, font={"size": 13}
        )
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, showgrid=False)
    figure.update_xaxes(title="cosine", gridcolor=FAINT, zeroline=True, fixedrange=True)
    return on_page(figure, height, (8, 16, 24, 40), uirevision="pairs")


def _named_dots(
    figure: go.Figure, rows: pd.DataFrame, name: str, marker: Mapping[str, object]
) -> None:
    """Dots with their words, above the others."""
    figure.add_scatter(
        x=rows["x"],
        y=rows["y"],
        mode="markers+text",
        name=name,
        marker={**marker, "line": {"width": 1, "color": QUIET}},
        text=[escape(word) for word in rows["word"]],
        textposition="top center",
        customdata=rows["place"],
        hovertemplate="%{text}<br>number %{customdata} by frequency<extra></extra>",
    )
