"""Measured milliseconds in, two charts out: the steps of one answer beside the published ranges,
and one by one against batches.
"""

from collections.abc import Mapping

import plotly.graph_objects as go

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET
from bertsent.figures.plotly_panels import FAINT, FIXED, LEGEND_ABOVE, error_bars, on_page
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
    ends = [value for times in (*steps.values(), *published.values()) for value in times]
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
    medians = [median for median, _, _ in steps.values()]
    figure.add_scatter(
        x=medians,
        y=[place - 0.12 for place in range(len(names))],
        mode="markers+text",
        name="measured here",
        marker={"size": 12, "symbol": "circle", "color": MEASURED},
        text=[f"{format_milliseconds(m)} ms, {100 * m / whole:.1f} %" for m in medians],
        textposition="top center",
        cliponaxis=False,
        **_quartiles(steps),
    )
    figure.update_xaxes(
        type="log",
        title="milliseconds (logarithmic)",
        dtick=1,
        tickformat="~g",
        showgrid=True,
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return _by_row(figure, names, height=300)


def batching_figure(alone: Times, batched: Times, names: tuple[str, str]) -> go.Figure:
    """Two bars of milliseconds with their quartiles: the same reviews one by one and in batches."""
    times = dict(zip(names, (alone, batched), strict=True))
    medians, colours = [alone[0], batched[0]], {"color": [MEASURED, HIGHLIGHT]}
    figure = go.Figure(
        go.Bar(x=medians, y=[0, 1], orientation="h", marker=colours, width=0.5, **_quartiles(times))
    )
    for place, median in enumerate(medians):
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
    return _by_row(figure, list(names), height=210)


def _quartiles(steps: Mapping[str, Times]) -> dict[str, object]:
    hovers = []
    for name, times in steps.items():
        median, low, high = map(format_milliseconds, times)
        hovers.append(f"{name}: {median} ms, half of all between {low} and {high}")
    return {
        "error_x": error_bars(list(steps.values()), width=5, color=QUIET),
        "hoverinfo": "text",
        "hovertext": hovers,
    }


def _by_row(figure: go.Figure, names: list[str], *, height: int) -> go.Figure:
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[name.replace(" + ", "<br>+ ") for name in names],
        range=[len(names) - 0.4, -0.75],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    return on_page(figure, height, (8, 30, 30, 8), hovermode="closest", legend=LEGEND_ABOVE)
