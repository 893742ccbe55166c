"""The points of several maps of the same reviews in, one figure with a panel for each out; two
places of each review, the movement between them; two texts, the arrow from one to the other.

All panels share one legend: an entry shows and hides its dots in all of them. Equal input makes a
byte-identical figure.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bertsent.data.examples import LABELS
from bertsent.figures.colours import HIGHLIGHT, QUIET, wrapped
from bertsent.figures.dot_picture import PALETTES
from bertsent.figures.label_looks import own_looks
from bertsent.figures.maps import (
    BARE_AXIS,
    HOVER_WIDTH,
    ColourBy,
    PaletteName,
    dots,
    draw_arrow,
    dressed,
    flat_map,
    flat_trace_type,
    mark,
    star,
)
from bertsent.figures.plotly_panels import FAINT
from bertsent.space.before_after import EmbeddingShift, ShiftArrow

_NARROW_HOVER = 38  # characters a line that fit beside a dot on a phone
_WIDE, _TALL = 2.5, 1.0  # width of a panel over its height, two above two and on a phone
_MOST_STRETCHED = 1.6
_TITLE = 24  # pixels above a panel
_FRAME = {"automargin": False, "showline": True, "mirror": True, "linecolor": FAINT, "linewidth": 1}
EDGE = "rgba(0,0,0,0.65)"  # around an arrow
_LYING = {
    "orientation": "h",
    "x": 0.5,
    "y": 1.0,
    "yanchor": "bottom",
    "ypad": 34,
    "thickness": 12,
    "title": {"side": "top"},
}


def comparison_figure(
    panels: Mapping[str, pd.DataFrame],
    *,
    colour_by: ColourBy = "label",
    palette: PaletteName = "default",
    selected: str | Collection[str] | None = None,
    dropped: Mapping[str, tuple[float, ...]] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    stacked: bool = False,
    height: int = 760,
) -> go.Figure:
    """Draw four maps of the same reviews in two dimensions, two above two.

    Args:
        panels: the points of each map by its title, row by row (``BeforeAfter.panels``).
        colour_by: ``label`` (the truth), ``prediction``, ``confidence`` (symbol: the prediction) or
            ``cluster``.
        palette: ``paper`` is the publication's red positive and blue negative.
        selected: the id of a review to mark on every map, or of many; one that is not there marks
            nothing.
        dropped: where a typed review lies on each map, drawn as a star.
        ranges: what part of an axis (``xaxis``, ``yaxis2`` …) is looked at; all of it where left
            out.
        stacked: one panel a row, for a narrow screen: those of one column of the square follow each
            other. Dragging then scrolls the page.

    Raises:
        BadInput: an unknown ``colour_by`` or ``palette``.
    """
    titles, columns = list(panels), 1 if stacked else 2
    titles = [*titles[::2], *titles[1::2]] if stacked else titles
    where = {title: divmod(place, columns) for place, title in enumerate(titles)}
    figure = _square(titles, columns, height)
    width = _NARROW_HOVER if stacked else HOVER_WIDTH
    named: set[str] = set()
    for title, (row, column) in where.items():
        points = panels[title]
        figure.update_yaxes(scaleratio=_stretch(points, stacked), row=row + 1, col=column + 1)
        size = 7 if len(points) <= 1_000 else 4
        for trace in dots(points, colour_by, palette, size=size, width=width, maps=len(titles)):
            trace.update(legendgroup=trace.name, showlegend=trace.name not in named)
            named.add(trace.name)
            figure.add_trace(trace, row=row + 1, col=column + 1)
    mark(figure, selected)
    for title, (row, column) in where.items():
        if dropped and title in dropped:
            star(figure, dropped[title], row=row + 1, col=column + 1)
            figure.data[-1].update(legendgroup="your review", showlegend=title == titles[0])
    for name, ends in (ranges or {}).items():
        if name in figure.layout:
            figure.update_layout({name: {"range": list(ends), "autorange": False}})
    dressed(figure, height, "comparison")
    if not stacked:
        return figure.update_layout(margin_t=_TITLE + 8, margin_pad=0, dragmode="lasso")
    top = 110 if any(trace.marker.coloraxis for trace in figure.data) else _TITLE + 8
    return figure.update_layout(
        margin_t=top, margin_pad=0, dragmode=False, coloraxis_colorbar=_LYING
    )


def shift_figure(
    points: pd.DataFrame,
    found: EmbeddingShift,
    *,
    arrow: ShiftArrow | None = None,
    palette: str = "default",
) -> go.Figure:
    """Reviews before (rings) and after (dots) on one plane, an arrow for the middle of each label,
    and one for a typed review.

    Args:
        points: ``ProjectionMap.points`` of the fine-tuned model, in the order of ``found``.
        arrow: the movement of a typed review, ``EmbeddingShift.arrow``.
    """
    figure = go.Figure(
        flat_trace_type(2 * len(points))(
            x=found.before[:, 0],
            y=found.before[:, 1],
            mode="markers",
            name="before",
            hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 5, "color": QUIET, "opacity": 0.5},
        )
    )
    after = points.assign(x=found.after[:, 0], y=found.after[:, 1])
    for trace in dots(after, "label", palette, size=5):
        figure.add_trace(trace.update(opacity=0.55, name=f"after: {trace.name}"))
    colours = {label: PALETTES[palette].of(label) for label in LABELS}
    colours |= {label: colour for label, (_, colour) in own_looks(points["label"]).items()}
    for label, colour in colours.items():
        inside = (points["label"] == label).to_numpy()
        if inside.any():
            start, end = found.before[inside].mean(axis=0), found.after[inside].mean(axis=0)
            _edged_arrow(figure, start, end, colour)
    if arrow is not None:
        _edged_arrow(figure, arrow.start, arrow.end, HIGHLIGHT)
        star(figure, arrow.end)
    return flat_map(figure, 420, "shift").update_layout(dragmode="pan")


def pair_map(
    points: pd.DataFrame,
    places: tuple[tuple[float, float], tuple[float, float]],
    texts: tuple[str, str],
) -> go.Figure:
    """Both texts of a pair on a flat map of reviews (``ProjectionMap.points``), with an arrow
    between.
    """
    figure = go.Figure(dots(points, "label", "default", size=6)).update_traces(opacity=0.35)
    look = {"size": 17, "color": HIGHLIGHT, "line": {"width": 1, "color": QUIET}}
    names, symbols = ("first", "second"), ("star", "star-diamond")
    for name, (x, y), symbol, text in zip(names, places, symbols, texts, strict=True):
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers",
            marker={"symbol": symbol, **look},
            name=f"{name} text",
            hoverinfo="text",
            hovertext=[wrapped(text)],
        )
    draw_arrow(figure, *places, HIGHLIGHT, arrowsize=1.4, arrowwidth=2, standoff=9, startstandoff=9)
    return flat_map(figure, 440, "pair")


def _edged_arrow(
    figure: go.Figure, start: Sequence[float], end: Sequence[float], colour: str
) -> None:
    """One with a dark edge, so that it stands out from dots of its own colour. A head grows with
    the width of its line: the dark one is made a third larger, not twice as large.
    """
    draw_arrow(figure, start, end, EDGE, arrowsize=0.85, arrowwidth=6)
    draw_arrow(figure, start, end, colour, arrowsize=1.3, arrowwidth=3)


def _stretch(points: pd.DataFrame, stacked: bool) -> float:
    """How much longer the unit of the upright axis is drawn, so that the dots fill their panel."""
    width, height = (np.ptp(points[axis].to_numpy(dtype=float)) for axis in "xy")
    if not width or not height:
        return 1.0
    wanted = width / height / (_TALL if stacked else _WIDE)
    return float(np.clip(wanted, 1 / _MOST_STRETCHED, _MOST_STRETCHED))


def _square(titles: list[str], columns: int, height: int) -> go.Figure:
    """Empty panels with equal scales on both axes of each; no panel is tied to another, because
    their spaces differ.
    """
    figure = make_subplots(
        -(-len(titles) // columns),
        columns,
        subplot_titles=titles,
        horizontal_spacing=0.025,
        vertical_spacing=(_TITLE + 16) / height,
    )
    figure.update_xaxes(**BARE_AXIS, **_FRAME).update_yaxes(**BARE_AXIS, **_FRAME, scaleratio=1)
    figure.for_each_yaxis(lambda axis: axis.update(scaleanchor=axis.anchor))
    # at the left, where the tool bar is not
    for title, axis in zip(figure.layout.annotations, figure.select_xaxes(), strict=True):
        title.update(x=axis.domain[0], xanchor="left", yshift=3, font={"size": 15, "weight": 600})
    return figure
