"""Accuracies with their intervals in, a chart that compares models or methods out."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, CLUSTERS, POSITIVE, QUIET, escape

_COLOURS = (POSITIVE, CLUSTERS[0], CLUSTERS[1])
_SYMBOLS = ("circle", "diamond", "square")
AccuracyInterval = tuple[float, float, float]  # accuracy and the ends of its interval, 0 to 1


def accuracy_dots(
    rows: Sequence[str], models: Mapping[str, Sequence[AccuracyInterval]], notes: Sequence[str] = ()
) -> go.Figure:
    """One row a slice or method, one dot a model, a line for the interval, and a dotted one where
    guessing would lie.

    Args:
        rows: their names, the first on top.
        models: for each model (up to three) one interval a row.
        notes: what follows each name, such as "(1,200)" reviews.
    """
    figure = go.Figure()
    for number, (name, found) in enumerate(models.items()):
        shift = 0.2 * (number - (len(models) - 1) / 2)
        ends = {
            "array": [100 * (high - accuracy) for accuracy, _, high in found],
            "arrayminus": [100 * (accuracy - low) for accuracy, low, _ in found],
        }
        figure.add_scatter(
            x=[100 * accuracy for accuracy, _, _ in found],
            y=[place + shift for place in range(len(rows))],
            mode="markers",
            name=name,
            marker={"size": 9, "symbol": _SYMBOLS[number], "color": _COLOURS[number]},
            error_x={
                "type": "data",
                "symmetric": False,
                "thickness": 1.5,
                "width": 0,
                "color": _COLOURS[number],
                **ends,
            },
            hoverinfo="text",
            hovertext=[_hover(name, *row) for row in zip(rows, found, strict=True)],
        )
    figure.add_vline(x=50, line={"width": 1, "dash": "dot", "color": QUIET})
    labels = [escape(name).replace(" + ", " +<br>", 1) for name in rows]
    if notes:
        labels = [f"{label} {note}" for label, note in zip(labels, notes, strict=True)]
    ticks = {
        "tickvals": list(range(len(rows))),
        "ticktext": labels,
        "range": [len(rows) - 0.5, -0.5],
    }
    figure.update_yaxes(**ticks, showgrid=False, zeroline=False, automargin=True, fixedrange=True)
    figure.update_xaxes(
        title="right answers, per cent", range=[0, 101], zeroline=False, fixedrange=True
    )
    return figure.update_layout(
        height=110 + 38 * len(rows),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
        hovermode="closest",
    )


def _hover(model: str, name: str, found: AccuracyInterval) -> str:
    accuracy, low, high = (100 * value for value in found)
    return f"{model}<br>{escape(name)}: {accuracy:.1f} %<br>95 % interval {low:.1f} to {high:.1f} %"
