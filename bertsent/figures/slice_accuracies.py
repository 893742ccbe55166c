"""Accuracies with their intervals in, a picture that compares models slice by slice out."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, CLUSTERS, POSITIVE, QUIET

_COLOURS = (POSITIVE, CLUSTERS[0], CLUSTERS[1])
_SYMBOLS = ("circle", "diamond", "square")
Interval = tuple[float, float, float]  # accuracy and the ends of its interval, 0 to 1


def accuracy_by_slice(
    slices: Sequence[str], models: Mapping[str, Sequence[Interval]], counts: Sequence[int]
) -> go.Figure:
    """One row a slice, one dot a model, a line for the interval, and a dotted one where guessing
    would lie.

    Args:
        slices: their names, the first on top.
        models: for each model (up to three) one interval a slice.
        counts: how many reviews (or pairs) a slice has.
    """
    figure = go.Figure()
    places = list(range(len(slices)))
    for number, (name, found) in enumerate(models.items()):
        shift = 0.2 * (number - (len(models) - 1) / 2)
        x = [100 * accuracy for accuracy, _, _ in found]
        ends = {
            "array": [100 * (high - accuracy) for accuracy, _, high in found],
            "arrayminus": [100 * (accuracy - low) for accuracy, low, _ in found],
        }
        figure.add_scatter(
            x=x,
            y=[place + shift for place in places],
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
            hovertext=[_hover(name, *row) for row in zip(slices, found, counts, strict=True)],
        )
    figure.add_vline(x=50, line={"width": 1, "dash": "dot", "color": QUIET})
    labels = [f"{name} ({count:,})" for name, count in zip(slices, counts, strict=True)]
    rows = {"tickvals": places, "ticktext": labels, "range": [len(slices) - 0.5, -0.5]}
    figure.update_yaxes(**rows, showgrid=False, zeroline=False, automargin=True, fixedrange=True)
    figure.update_xaxes(
        title="right answers, per cent", range=[0, 101], zeroline=False, fixedrange=True
    )
    return figure.update_layout(
        height=110 + 34 * len(slices),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
        hovermode="closest",
    )


def _hover(model: str, name: str, found: Interval, count: int) -> str:
    accuracy, low, high = (100 * value for value in found)
    return (
        f"{model}<br>{name}: {accuracy:.1f} % of {count:,}<br>95 % interval {low:.1f} to "
        f"{high:.1f} %"
    )
