"""Measured milliseconds in, two charts out: the steps of one answer as a waterfall beside the
published ranges, and one by one against batches.
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
    """A waterfall: one bar a step, each begins where the one above it ends, with its quartiles. A
    grey line under a bar is the published range, from the same beginning.
    """
    medians = {name: median for name, (median, _, _) in steps.items()}
    whole, begin, figure = sum(medians.values()) or 1.0, 0.0, go.Figure()
    for row, (name, median) in enumerate(medians.items()):
        if name in published:
            _published_line(figure, name, row, begin, published[name])
        figure.add_bar(
            x=[median],
            base=[begin],
            y=[row],
            orientation="h",
            width=0.5,
            name="measured here",
            showlegend=row == 0,
            legendgroup="measured",
            marker={"color": MEASURED, "line": {"color": MEASURED, "width": 2}},
            **_quartiles({name: steps[name]}),
        )
        figure.add_annotation(
            x=begin,
            y=row - 0.4,
            text=f"{format_milliseconds(median)} ms, {100 * median / whole:.1f} %",
            showarrow=False,
            xanchor="left" if begin < 0.7 * whole else "right",
        )
        begin += median
    figure.update_xaxes(
        title="milliseconds since the question",
        rangemode="tozero",
        showgrid=True,
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return _by_row(figure, list(steps), height=340)


def _published_line(
    figure: go.Figure, name: str, row: int, begin: float, ends: tuple[float, float]
) -> None:
    low, high = ends
    figure.add_scatter(
        x=[begin + low, begin + high],
        y=[row + 0.36] * 2,
        mode="lines+markers",
        name="published for it",
        legendgroup="published",
        showlegend=row == 0,
        line={"color": PUBLISHED, "width": 4},
        marker={"symbol": "line-ns-open", "size": 9, "color": PUBLISHED},
        hoverinfo="text",
        hovertext=f"published for {name}: {low:g} to {high:g} ms",
    )


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
