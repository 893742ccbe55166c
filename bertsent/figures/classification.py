"""What a model answers and how often it is right, drawn small: numbers in, Plotly figures out."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.figures.colours import ATTENTION_SCALE, CLEAR, SAFE, Palette, escape
from bertsent.figures.head_tiles import legible


def probability_bar(p_positive: float, *, palette: Palette = SAFE) -> go.Figure:
    """Both probabilities as one bar: NEGATIVE from the left, POSITIVE up to the right, each with
    its name and per cent.

    Raises:
        BadInput: ``p_positive`` is no probability.
    """
    if not 0.0 <= p_positive <= 1.0:
        raise BadInput(f"{p_positive} is no probability.", "It has to lie between 0 and 1.")
    figure = go.Figure()
    for label, share in zip(LABELS, (1.0 - p_positive, p_positive), strict=True):
        figure.add_bar(
            x=[share],
            y=[""],
            orientation="h",
            name=label,
            marker={"color": palette.of(label)},
            hovertemplate=f"{label} {100 * share:.1f} %<extra></extra>",
        )
    for label, share, place in zip(
        LABELS, (1.0 - p_positive, p_positive), ("left", "right"), strict=True
    ):
        _say(figure, f"{label} {share:.1%}".replace("%", " %"), place, strong=share > 0.5)
    figure.add_vline(x=0.5, line={"width": 2, "dash": "dot", "color": "#FFFFFF"})
    figure.update_layout(
        barmode="stack",
        bargap=0,
        height=90,
        showlegend=False,
        xaxis={"range": [0, 1], "visible": False, "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )
    return figure.update_layout(
        paper_bgcolor=CLEAR, plot_bgcolor=CLEAR, margin={"l": 0, "r": 0, "t": 34, "b": 8}
    )


def confusion_heatmap(matrix: np.ndarray, labels: Sequence[str] = LABELS) -> go.Figure:
    """Counts of true (rows) against predicted (columns), each cell with its share of the row; (2,
    2) or larger and square.

    Raises:
        BadInput: the matrix does not fit the labels.
    """
    counts = np.asarray(matrix)
    if counts.shape != (len(labels), len(labels)):
        raise BadInput(
            f"A confusion matrix of shape {counts.shape} does not fit {len(labels)} labels.",
            "Give one row and column a label.",
        )
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    words = [
        [f"{n:,}<br>{100 * share:.0f} %" for n, share in zip(*row, strict=True)]
        for row in zip(counts, shares, strict=True)
    ]
    names = [escape(label) for label in labels]
    hover = "true %{y}<br>predicted %{x}<br>%{text}<extra></extra>"
    figure = go.Figure(
        legible(
            shares,
            1.0,
            words=words,
            hovertemplate=hover,
            showscale=False,
            x=names,
            y=names,
            colorscale=ATTENTION_SCALE,
            zmin=0.0,
            zmax=1.0,
        )
    )
    figure.update_traces(textfont_size=16)
    figure.update_layout(
        height=130 + 80 * len(labels),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 10, "r": 10, "t": 60, "b": 10},
    )
    figure.update_xaxes(
        title="predicted", side="top", type="category", showgrid=False, automargin=True
    )
    return figure.update_yaxes(
        title="true", autorange="reversed", type="category", showgrid=False, automargin=True
    )


def _say(figure: go.Figure, text: str, place: str, *, strong: bool) -> None:
    """Above the bar, in the page's own text colour, the likelier side in bold."""
    text = f"<b>{text}</b>" if strong else text
    x = 0 if place == "left" else 1
    figure.add_annotation(
        text=text,
        x=x,
        y=1,
        xref="paper",
        yref="paper",
        xanchor=place,
        yanchor="bottom",
        showarrow=False,
        font={"size": 15},
    )
