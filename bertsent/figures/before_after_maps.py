"""The points of several maps of the same reviews in, one figure with a panel for each out; two
places of each, the movement between them.

All panels share one legend: an entry shows and hides its dots in all of them. Equal input makes a
byte-identical figure.
"""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bertsent.data.examples import LABELS
from bertsent.figures.colours import HIGHLIGHT, PAPER, QUIET, SAFE
from bertsent.figures.maps import (
    BARE_AXIS,
    FAINT,
    HOVER_WIDTH,
    ColourBy,
    PaletteName,
    dots,
    dressed,
    mark,
    star,
)
from bertsent.space.embedding_shift import EmbeddingShift, ShiftArrow

_NARROW_HOVER = 38  # characters a line that fit beside a dot on a phone
_TITLE = 24  # pixels above a panel
_FRAME = {"automargin": False, "showline": True, "mirror": True, "linecolor": FAINT, "linewidth": 1}
EDGE = "rgba(0,0,0,0.65)"  # around an arrow
_LABEL_COLOURS = {"default": SAFE, "paper": PAPER}
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
        panels: the points of each map by its title, row by row (``Comparison.panels``).
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
    titles = list(panels)
    titles = [*titles[::2], *titles[1::2]] if stacked else titles
    columns = 1 if stacked else 2
    figure = _square(titles, columns, height)
    named: set[str] = set()
    for place, title in enumerate(titles):
        row, column = divmod(place, columns)
        for trace in _panel(panels[title], colour_by, palette, len(titles), stacked):
            trace.update(legendgroup=trace.name, showlegend=trace.name not in named)
            named.add(trace.name)
            figure.add_trace(trace, row=row + 1, col=column + 1)
    mark(figure, selected)
    for place, title in enumerate(titles):
        if dropped and title in dropped:
            row, column = divmod(place, columns)
            star(figure, dropped[title], row=row + 1, col=column + 1)
            figure.data[-1].update(legendgroup="your review", showlegend=place == 0)
    figure.update_layout(
        {
            name: {"range": list(ends), "autorange": False}
            for name, ends in (ranges or {}).items()
            if name in figure.layout
        }
    )
    return _dressed(figure, height, stacked)


def shift_figure(
    points: pd.DataFrame,
    found: EmbeddingShift,
    *,
    arrow: ShiftArrow | None = None,
    palette: str = "default",
    height: int = 420,
) -> go.Figure:
    """Reviews before (rings) and after (dots) on one plane, an arrow for the middle of each label,
    and one for a typed review.

    Args:
        points: ``Atlas.points`` of the fine-tuned model, in the order of ``found``.
        arrow: the movement of a typed review, ``EmbeddingShift.arrow``.
    """
    figure = go.Figure(
        go.Scattergl(
            x=found.before[:, 0],
            y=found.before[:, 1],
            mode="markers",
            name="before",
            hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 5, "color": QUIET, "opacity": 0.5},
        )
    )
    for trace in dots(
        points.assign(x=found.after[:, 0], y=found.after[:, 1]), "label", palette, size=5
    ):
        figure.add_trace(trace.update(opacity=0.55, name=f"after: {trace.name}"))
    for label in LABELS:
        inside = (points["label"] == label).to_numpy()
        if inside.any():
            _arrow(
                figure,
                found.before[inside].mean(axis=0),
                found.after[inside].mean(axis=0),
                _LABEL_COLOURS[palette].of(label),
            )
    if arrow is not None:
        _arrow(figure, arrow.start, arrow.end, HIGHLIGHT)
        star(figure, arrow.end)
    figure.update_xaxes(**BARE_AXIS).update_yaxes(**BARE_AXIS, scaleanchor="x", scaleratio=1)
    return dressed(figure, height, "shift").update_layout(dragmode="pan")


def _arrow(figure: go.Figure, start: Sequence[float], end: Sequence[float], colour: str) -> None:
    """One with a dark edge, so that it stands out from dots of its own colour."""
    (ax, ay), (x, y) = map(float, start), map(float, end)
    if (ax, ay) == (x, y):
        return
    for width, ink in ((6, EDGE), (3, colour)):
        figure.add_annotation(
            x=x,
            y=y,
            ax=ax,
            ay=ay,
            xref="x",
            yref="y",
            axref="x",
            ayref="y",
            showarrow=True,
            arrowhead=2,
            arrowsize=1,
            arrowwidth=width,
            arrowcolor=ink,
            text="",
        )


def _square(titles: list[str], columns: int, height: int) -> go.Figure:
    """Empty panels with equal scales on both axes of each; no panel is tied to another, because
    their spaces differ.
    """
    rows = -(-len(titles) // columns)
    gap = (_TITLE + 16) / height
    figure = make_subplots(
        rows, columns, subplot_titles=titles, horizontal_spacing=0.025, vertical_spacing=gap
    )
    figure.update_xaxes(**BARE_AXIS, **_FRAME).update_yaxes(**BARE_AXIS, **_FRAME, scaleratio=1)
    figure.for_each_yaxis(lambda axis: axis.update(scaleanchor=axis.anchor))
    for title, axis in zip(
        figure.layout.annotations, figure.select_xaxes(), strict=True
    ):  # at the left, where the tool bar is not
        title.update(x=axis.domain[0], xanchor="left", yshift=3, font={"size": 15, "weight": 600})
    return figure


def _panel(
    points: pd.DataFrame, colour_by: ColourBy, palette: str, maps: int, stacked: bool
) -> list[go.Scattergl]:
    size = 7 if len(points) <= 1_000 else 4
    return dots(
        points,
        colour_by,
        palette,
        size=size,
        width=_NARROW_HOVER if stacked else HOVER_WIDTH,
        maps=maps,
    )


def _dressed(figure: go.Figure, height: int, stacked: bool) -> go.Figure:
    dressed(figure, height, "comparison").update_layout(
        margin_t=_TITLE + 8, margin_pad=0, dragmode="lasso"
    )
    if stacked:
        scaled = any(trace.marker.coloraxis for trace in figure.data)
        figure.update_layout(
            dragmode=False, coloraxis_colorbar=_LYING, margin_t=110 if scaled else _TITLE + 8
        )
    return figure
