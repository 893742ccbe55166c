"""A training of word2vec in, its pictures out: words that move and the loss so far (Altair), and
the shapes of one-hot vectors times matrices as boxes (Plotly).

Everything that changes while it trains is in the data, so Streamlit replaces rows in place.
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.altair_panels import (
    STEP_TIP,
    edge_axis,
    legend,
    named_scale,
    panel,
    step_axis,
    tips,
)
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, TRAINING
from bertsent.figures.plotly_panels import on_page

REACH = 1.0  # of the axes: directions have length 1
LOOKS = (
    ("#009E73", "circle"),
    ("#D55E00", "diamond"),
    ("#0072B2", "square"),
    (HIGHLIGHT, "triangle-up"),
    (CLUSTERS[1], "cross"),
)
_TALL, _WIDE, _GAP, _THIN = 0.9, 1.7, 0.55, 0.14  # of the boxes
Shape = tuple[int, int]


def moving_words_chart(points: pd.DataFrame, *, height: int = 400) -> alt.LayerChart:
    """Words where they are now; the axes never change.

    Args:
        points: columns ``word``, ``group``, ``x``, ``y``.
        height: in pixels.
    """
    names = list(dict.fromkeys(points["group"]))
    looks = [LOOKS[place % len(LOOKS)] for place in range(len(names))]
    colours = {name: colour for name, (colour, _) in zip(names, looks, strict=True)}
    shapes = {name: shape for name, (_, shape) in zip(names, looks, strict=True)}
    bare = alt.Axis(title=None, labels=False, ticks=False, grid=True)
    scale = alt.Scale(domain=[-REACH, REACH], nice=False)
    look = legend(columns=alt.ExprRef("width < 500 ? 2 : 5"), symbolOpacity=1)
    base = alt.Chart(points).encode(
        x=alt.X("x:Q", scale=scale, axis=bare),
        y=alt.Y("y:Q", scale=scale, axis=bare),
        color=alt.Color("group:N", scale=named_scale(colours), legend=look),
        tooltip=["word:N", "group:N"],
    )
    dots = base.mark_point(size=70, filled=True, opacity=1).encode(
        shape=alt.Shape("group:N", scale=named_scale(shapes), legend=look)
    )
    written = base.mark_text(dy=-10, fontSize=12).encode(text="word:N")
    return panel("The words now", dots, written, height=height)


def word2vec_loss_chart(losses: pd.DataFrame, steps: int, *, height: int = 200) -> alt.LayerChart:
    """The loss of every frame so far over all ``steps``; columns ``step``, ``loss``."""
    line = alt.Chart(losses).encode(
        x=step_axis(steps),
        y=alt.Y("loss:Q", scale=alt.Scale(zero=False), axis=edge_axis(format=".1f")),
        tooltip=[STEP_TIP, *tips(".3f", "loss")],
    )
    return panel(
        "Loss, by step",
        line.mark_line(strokeWidth=2.5, color=TRAINING),
        line.mark_circle(size=30, opacity=0),
        height=height,
    )


def shape_boxes(products: Sequence[tuple[Shape, Shape, Shape]], names: Sequence[str]) -> go.Figure:
    """Products of matrices, a row each: two boxes and their result, their shapes in them. A side of
    1 is thin and the largest one long; nothing is drawn to scale.

    Args:
        products: rows and columns of the two factors and of the product.
        names: what the boxes are, three a product.
    """
    figure, largest = go.Figure(), max(size for row in products for each in row for size in each)
    for row, shapes in enumerate(products):
        left, middle = 0.0, -row * (_TALL + 0.75)
        for place, (rows, columns) in enumerate(shapes):
            wide, tall = _side(columns, _WIDE, largest), _side(rows, _TALL, largest)
            name = names[3 * row + place]
            _box(figure, (left, middle), (wide, tall), f"{name}<br>[{rows:,}×{columns:,}]")
            sign = ("·", "=", "")[place]
            figure.add_annotation(
                x=left + _WIDE + _GAP / 2, y=middle, text=sign, showarrow=False, font={"size": 20}
            )
            left += _WIDE + _GAP
    hidden = {"visible": False, "fixedrange": True}
    figure.add_scatter(x=[0], y=[0], mode="markers", marker={"opacity": 0}, hoverinfo="skip")
    figure.update_xaxes(range=[-0.1, 3 * _WIDE + 2 * _GAP + 0.1], **hidden)
    figure.update_yaxes(range=[-(_TALL + 0.75) * (len(products) - 0.5) - 0.1, 0.75], **hidden)
    return on_page(figure, 150 * len(products), (4, 4, 4, 4), showlegend=False)


def _side(size: int, most: float, largest: int) -> float:
    """A side of 1 is a line, the largest takes all its room, any other half of it."""
    return _THIN if size == 1 else most if size == largest else most / 2


def _box(figure: go.Figure, at: tuple[float, float], size: tuple[float, float], words: str) -> None:
    """A box whose middle stands at half of the room that it may take, its words below it."""
    (left, middle), (wide, tall) = at, size
    centre = left + _WIDE / 2
    figure.add_shape(
        type="rect",
        x0=centre - wide / 2,
        x1=centre + wide / 2,
        y0=middle - tall / 2,
        y1=middle + tall / 2,
        line={"color": QUIET, "width": 1.5},
        fillcolor="rgba(86,180,233,0.25)",
    )
    figure.add_annotation(
        x=centre,
        y=middle - tall / 2,
        text=words,
        showarrow=False,
        yanchor="top",
        font={"size": 12},
    )
