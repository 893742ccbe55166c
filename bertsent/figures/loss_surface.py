"""The loss on a plane of weights in, a contour map and a surface out, with the path of training and
its checkpoints on them.

Colour and height are logarithmic, because the valley is shallow beside the hills, and end where
``Landscape.span`` says; hovering shows the exact loss. What is drawn at a checkpoint is its own
loss, at its shadow in the plane.
"""

import math
from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import ATTENTION_SCALE, HIGHLIGHT, QUIET
from bertsent.figures.plotly_panels import FAINT, offline_page, on_page
from bertsent.training.loss_landscape.landscape import PLANES, Landscape, PlaneKind

_CONTOUR = "rgba(255,255,255,0.35)"
_HOVER = "loss %{customdata:.4f}<br>at (%{x:.3g}, %{y:.3g})<extra></extra>"
_MARGINS = (8, 8, 32, 8)
_LAYOUT = {"uirevision": "landscape", "showlegend": False, "hoverlabel": {"align": "left"}}
_LEVELS, _LABELLED = 16, 6  # contour steps, labels at most
# of labels, as a share of the figure; in three dimensions they are seen from the side
_APART, _APART_DEEP = 0.13, 0.28
_ROUND = ((1, 2, 5), (1, 1.5, 2, 3, 5, 7))  # what the scale of the loss is marked with
_LIFT = 0.012  # how far the path floats above the surface, as a share of its height
_PLATE = {
    "showarrow": True,
    "arrowhead": 0,
    "arrowcolor": QUIET,
    "ax": 0,
    "font": {"color": "#FFFFFF", "size": 12},
    "bgcolor": "rgba(0,0,0,0.72)",
    "borderpad": 3,
}
_AXES = {
    "path": ("along the path of training (distance of weights)", "across it (distance of weights)"),
    "random": ("first random direction (1: as long as the weights)", "second random direction"),
}


def contour_figure(found: Landscape, plane: PlaneKind, *, height: int = 480) -> go.Figure:
    """The landscape from above."""
    low, high = np.log10(found.span)
    places, words = ticks(found)
    figure = go.Figure(
        go.Contour(
            x=found.x,
            y=found.y,
            z=_drawn(found, found.loss),
            zmin=low,
            zmax=high,
            colorscale=ATTENTION_SCALE,
            connectgaps=False,
            contours={**_levels(low, high), "coloring": "heatmap"},
            line={"color": _CONTOUR, "width": 0.7},
            colorbar={
                "title": {"text": "loss"},
                "tickvals": places,
                "ticktext": words,
                "thickness": 14,
                "outlinewidth": 0,
            },
            customdata=found.loss,
            hovertemplate=_HOVER,
        )
    )
    x, y = found.path.T
    path = {"x": x, "y": y, "showlegend": False}
    for width, colour in ((5, "#000000"), (2.5, "#FFFFFF")):
        figure.add_scatter(
            **path, mode="lines", line={"width": width, "color": colour}, hoverinfo="skip"
        )
    figure.add_scatter(**path, mode="markers", marker=_markers(found, "star"), **_hover(found))
    for number, text, plate in _notes(found, labelled(found)):
        figure.add_annotation(x=x[number], y=y[number], text=text, **plate)
    across, up = ({"text": title, "standoff": 8} for title in _AXES[plane])
    axis = {"showgrid": False, "zeroline": False, "automargin": True, "ticks": "outside"}
    figure.update_xaxes(title=across, range=found.x[[0, -1]].tolist(), **axis)
    figure.update_yaxes(title=up, range=found.y[[0, -1]].tolist(), **axis)
    return on_page(figure, height, _MARGINS, **_LAYOUT)


def surface_figure(found: Landscape, plane: PlaneKind, *, height: int = 480) -> go.Figure:
    """The landscape as hills and valleys."""
    low, high = np.log10(found.span)
    figure = go.Figure(
        go.Surface(
            x=found.x,
            y=found.y,
            z=_drawn(found, found.loss),
            cmin=low,
            cmax=high,
            colorscale=ATTENTION_SCALE,
            opacity=0.9,
            showscale=False,
            customdata=found.loss,
            hovertemplate=_HOVER,
            contours={"z": {"show": True, "color": _CONTOUR, **_levels(low, high)}},
        )
    )
    x, y = found.path.T
    z = _drawn(found, found.path_loss) + _LIFT * (high - low)
    path = {"x": x, "y": y, "z": z, "showlegend": False}
    figure.add_scatter3d(
        **path, mode="lines", line={"width": 6, "color": HIGHLIGHT}, hoverinfo="skip"
    )
    figure.add_scatter3d(
        **path, mode="markers", marker=_markers(found, "diamond", small=True), **_hover(found)
    )
    notes = [
        {"x": x[number], "y": y[number], "z": z[number], "text": text} | plate
        for number, text, plate in _notes(found, labelled(found, deep=True), first=32)
    ]
    places, words = ticks(found)
    axis = {"showbackground": False, "gridcolor": FAINT, "zeroline": False, "nticks": 5}
    across, up = ({"text": title.split(" (")[0]} for title in _AXES[plane])
    loss = {
        "title": {"text": "loss"},
        "tickvals": places,
        "ticktext": words,
        "range": [low, high + 0.05 * (high - low)],
    }
    figure.update_scenes(
        xaxis=axis | {"title": across},
        yaxis=axis | {"title": up},
        zaxis=axis | loss,
        aspectmode="manual",
        aspectratio={"x": 1.2, "y": 1.2, "z": 0.8},
        camera={"eye": {"x": 1.35, "y": -1.5, "z": 0.95}},
        annotations=notes,
    )
    return on_page(figure, height, _MARGINS, **_LAYOUT)


def landscape_page(found: Landscape, plane: PlaneKind, caption: str) -> bytes:
    """Both figures as one HTML file that needs no network; ``caption`` is shown as text."""
    figures = contour_figure(found, plane, height=560), surface_figure(found, plane, height=640)
    return offline_page(*figures, title=f"Loss landscape: {PLANES[plane]}", words=caption)


def labelled(found: Landscape, *, deep: bool = False) -> list[int]:
    """Which checkpoints get a label: the last, the first, and as many between as keep apart."""
    low, high = np.log10(found.span)
    where = (found.path - [found.x[0], found.y[0]]) / [np.ptp(found.x), np.ptp(found.y)]
    if deep:
        where = np.column_stack([where, (_drawn(found, found.path_loss) - low) / (high - low)])
    last, apart = len(where) - 1, _APART_DEEP if deep else _APART
    chosen: list[int] = []
    for number in (last, 0, *range(1, last)):
        if len(chosen) < _LABELLED and all(
            np.linalg.norm(where[number] - where[other]) >= apart for other in chosen
        ):
            chosen.append(number)
    return sorted(chosen)


def ticks(found: Landscape) -> tuple[list[float], list[str]]:
    """Where the scale of the loss is marked, and with which words; the upper end says so when it is
    cut there.
    """
    low, high = found.span
    decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in _ROUND:
        inside = np.outer(decades, steps).ravel()
        inside = inside[(low * 1.02 <= inside) & (inside <= high / 1.1)]
        if len(inside) >= 2:
            break
    else:
        inside = np.geomspace(low, high, 5)[:-1]
    cut = np.nanmax(np.where(np.isfinite(found.loss), found.loss, np.nan)) > high * 1.001
    words = [*(f"{value:.3g}" for value in inside), f"{'≥ ' if cut else ''}{high:.3g}"]
    return np.log10([*inside, high]).tolist(), words


def _drawn(found: Landscape, loss: np.ndarray) -> np.ndarray:
    """log10 of a loss within the scale; missing where it is not a number."""
    return np.log10(np.clip(np.where(np.isfinite(loss), loss, np.nan), *found.span))


def _levels(low: float, high: float) -> dict[str, float]:
    return {"start": low, "end": high, "size": (high - low) / _LEVELS}


def _markers(found: Landscape, last: str, *, small: bool = False) -> dict:
    """White dots, the start a square, the end in the colour of what is looked at."""
    between = len(found.steps) - 2
    return {
        "symbol": ["square", *["circle"] * between, last],
        "size": np.array([10, *[8] * between, 17]) // (2 if small else 1),
        "color": [*["#FFFFFF"] * (between + 1), HIGHLIGHT],
        "line": {"width": 1.5, "color": "#000000"},
    }


def _hover(found: Landscape) -> dict:
    words = [
        f"step {step:,}<br>loss of this checkpoint {loss:.4f}"
        for step, loss in zip(found.steps, found.path_loss, strict=True)
    ]
    return {
        "hoverinfo": "text",
        "hovertext": words,
        "customdata": found.steps.tolist(),
        "name": "checkpoints",
    }


def _notes(
    found: Landscape, chosen: list[int], *, first: int = -32
) -> Iterator[tuple[int, str, dict]]:
    """The labels of checkpoints on dark plates, so that they are read on any colour, by turns above
    and below their dots.

    One that stands alone speaks for the whole path, which is then a mere point.
    """
    for place, number in enumerate(reversed(chosen)):
        loss = found.path_loss[number]
        text = f"step {found.steps[number]:,} · {loss:{'.3f' if loss < 10 else '.3g'}}"
        if len(chosen) == 1:
            text = f"steps {found.steps[0]:,} to {found.steps[-1]:,}"
        yield number, text, _PLATE | {"ay": -first if place % 2 else first}
