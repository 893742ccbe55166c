"""Measured milliseconds in, two charts out: the steps of one answer beside the published ranges,
and one by one against batches.
"""

from collections.abc import Mapping

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, CLUSTERS, HIGHLIGHT, QUIET
from bertsent.probing.timing import format_milliseconds

MEASURED, PUBLISHED = CLUSTERS[0], QUIET
Times = tuple[float, float, float]  # the median and the quartiles, in milliseconds


def steps_figure(
    steps: Mapping[str, Times], published: Mapping[str, tuple[float, float]]
) -> go.Figure:
    """One row a step on a logarithmic axis: a dot with its quartiles for what was measured, a grey
    band for what is published.

    A band that begins at 0 is drawn from the left edge.
    """
    names, whole = list(steps), sum(median for median, _, _ in steps.values()) or 1.0
    ends = [value for times in steps.values() for value in times] + [
        value for band in published.values() for value in band
    ]
    left = 0.5 * min(value for value in ends if value > 0)
    figure = go.Figure()
    for number, (name, (low, high)) in enumerate(published.items()):
        figure.add_scatter(
            x=[max(low, left), high],
            y=[names.index(name) + 0.22] * 2,
            mode="lines+markers",
            name="published",
            legendgroup="published",
            showlegend=number == 0,
            line={"color": PUBLISHED, "width": 8},
            marker={"symbol": "square", "size": 8, "color": PUBLISHED},
            hoverinfo="text",
            hovertext=f"published for {name}: {low:g} to {high:g} ms",
        )
    values = list(steps.values())
    figure.add_scatter(
        x=[median for median, _, _ in values],
        y=[place - 0.12 for place in range(len(names))],
        mode="markers+text",
        name="measured here",
        marker={"size": 12, "symbol": "circle", "color": MEASURED},
        error_x=_spread(values),
        text=[f"{format_milliseconds(m)} ms, {100 * m / whole:.1f} %" for m, _, _ in values],
        textposition="top center",
        cliponaxis=False,
        hoverinfo="text",
        hovertext=_hovers(steps),
    )
    axis = {
        "type": "log",
        "title": "milliseconds (logarithmic)",
        "dtick": 1,
        "tickformat": "~g",
    }
    figure.update_xaxes(
        **axis, showgrid=True, gridcolor="rgba(138,138,138,0.25)", zeroline=False, fixedrange=True
    )
    return _framed(figure, names, height=300)


def batching_figure(alone: Times, batched: Times, names: tuple[str, str]) -> go.Figure:
    """Two bars of milliseconds with their quartiles: the same reviews one by one and in batches."""
    figure = go.Figure(
        go.Bar(
            x=[alone[0], batched[0]],
            y=[0, 1],
            orientation="h",
            marker={"color": [MEASURED, HIGHLIGHT]},
            width=0.5,
            error_x=_spread([alone, batched]),
            hoverinfo="text",
            hovertext=_hovers(dict(zip(names, (alone, batched), strict=True))),
        )
    )
    for place, (median, _, _) in enumerate((alone, batched)):
        figure.add_annotation(
            x=0,
            y=place - 0.4,
            text=f"{format_milliseconds(median)} ms",
            showarrow=False,
            xanchor="left",
        )
    figure.update_xaxes(
        title="milliseconds for all of them", rangemode="tozero", zeroline=False, fixedrange=True
    )
    return _framed(figure, list(names), height=210)


def _hovers(steps: Mapping[str, Times]) -> list[str]:
    hovers = []
    for name, times in steps.items():
        median, low, high = map(format_milliseconds, times)
        hovers.append(f"{name}: {median} ms, half of all between {low} and {high}")
    return hovers


def _spread(times: list[Times]) -> dict[str, object]:
    ends = {
        "array": [high - median for median, _, high in times],
        "arrayminus": [median - low for median, low, _ in times],
    }
    return {
        "type": "data",
        "symmetric": False,
        "thickness": 1.5,
        "width": 5,
        "color": QUIET,
        **ends,
    }


def _framed(figure: go.Figure, names: list[str], *, height: int) -> go.Figure:
    rows = {
        "tickvals": list(range(len(names))),
        "ticktext": [name.replace(" + ", "<br>+ ") for name in names],
    }
    figure.update_yaxes(
        **rows,
        range=[len(names) - 0.4, -0.75],
        showgrid=False,
        zeroline=False,
        automargin=True,
        fixedrange=True,
    )
    return figure.update_layout(
        height=height,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 8, "r": 30, "t": 30, "b": 8},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
    )
