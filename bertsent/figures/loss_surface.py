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

from bertsent.figures.colours import CLEAR, HIGHLIGHT, QUIET
from bertsent.figures.maps import FAINT
from bertsent.training.loss_landscape.landscape import PLANES, Landscape, PlaneKind

SCALE = "Cividis"
_LEVELS, _LABELLED = 16, 6  # contour steps, labels at most
_APART, _APART_DEEP = (
    0.13,
    0.28,
)  # of labels, as a share of the figure; in space they are seen from the side
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


def contour_figure(found: Landscape, plane: str, *, height: int = 480) -> go.Figure:
    """The landscape from above; ``plane`` is one of ``PLANES``."""
    low, high = np.log10(found.span)
    figure = go.Figure(
        go.Contour(
            x=found.x,
            y=found.y,
            z=_drawn(found, found.loss),
            zmin=low,
            zmax=high,
            colorscale=SCALE,
            connectgaps=False,
            contours={
                "start": low,
                "end": high,
                "size": (high - low) / _LEVELS,
                "coloring": "heatmap",
            },
            line={"color": "rgba(255,255,255,0.35)", "width": 0.7},
            colorbar=_bar(found),
            customdata=found.loss,
            hovertemplate="loss %{customdata:.4f}<br>at (%{x:.3g}, %{y:.3g})<extra></extra>",
        )
    )
    x, y = found.path.T
    for width, colour in ((5, "#000000"), (2.5, "#FFFFFF")):
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"width": width, "color": colour},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(x=x, y=y, mode="markers", marker=_markers(found, "star"), **_hover(found))
    for number, text, plate in _notes(found, labelled(found)):
        figure.add_annotation(x=x[number], y=y[number], text=text, **plate)
    across, up = _AXES[plane]
    axis = {"showgrid": False, "zeroline": False, "automargin": True, "ticks": "outside"}
    figure.update_xaxes(title={"text": across, "standoff": 8}, range=_ends(found.x), **axis)
    figure.update_yaxes(title={"text": up, "standoff": 8}, range=_ends(found.y), **axis)
    return _dressed(figure, height)


def surface_figure(found: Landscape, plane: str, *, height: int = 480) -> go.Figure:
    """The landscape as hills and valleys; ``plane`` is one of ``PLANES``."""
    low, high = np.log10(found.span)
    figure = go.Figure(
        go.Surface(
            x=found.x,
            y=found.y,
            z=_drawn(found, found.loss),
            cmin=low,
            cmax=high,
            colorscale=SCALE,
            opacity=0.9,
            showscale=False,
            customdata=found.loss,
            hovertemplate="loss %{customdata:.4f}<br>at (%{x:.3g}, %{y:.3g})<extra></extra>",
            contours={
                "z": {
                    "show": True,
                    "start": low,
                    "end": high,
                    "size": (high - low) / _LEVELS,
                    "color": "rgba(255,255,255,0.35)",
                }
            },
        )
    )
    x, y = found.path.T
    z = _drawn(found, found.path_loss) + _LIFT * (high - low)
    figure.add_scatter3d(
        x=x,
        y=y,
        z=z,
        mode="lines",
        line={"width": 6, "color": HIGHLIGHT},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter3d(
        x=x,
        y=y,
        z=z,
        mode="markers",
        marker=_markers(found, "diamond", small=True),
        **_hover(found),
    )
    notes = [
        {"x": x[number], "y": y[number], "z": z[number], "text": text} | plate
        for number, text, plate in _notes(found, labelled(found, deep=True), first=32)
    ]
    places, words = ticks(found)
    axis = {"showbackground": False, "gridcolor": FAINT, "zeroline": False, "nticks": 5}
    across, up = (title.split(" (")[0] for title in _AXES[plane])
    figure.update_layout(
        scene={
            "xaxis": axis | {"title": {"text": across}},
            "yaxis": axis | {"title": {"text": up}},
            "zaxis": axis
            | {
                "title": {"text": "loss"},
                "tickvals": places,
                "ticktext": words,
                "range": [low, high + 0.05 * (high - low)],
            },
            "aspectmode": "manual",
            "aspectratio": {"x": 1.2, "y": 1.2, "z": 0.8},
            "camera": {"eye": {"x": 1.35, "y": -1.5, "z": 0.95}},
            "annotations": notes,
        }
    )
    return _dressed(figure, height)


def landscape_page(found: Landscape, plane: PlaneKind, caption: str) -> bytes:
    """Both figures as one HTML file that needs no network; ``caption`` is shown as text."""
    import html

    config = {
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["sendChartToCloud"],
        "displaylogo": False,
        "responsive": True,
    }
    first = contour_figure(found, plane, height=560).to_html(
        include_plotlyjs=True, full_html=False, config=config
    )
    second = surface_figure(found, plane, height=640).to_html(
        include_plotlyjs=False, full_html=False, config=config
    )
    title = f"Loss landscape: {PLANES[plane]}"
    head = (
        '<!doctype html><html lang="en"><head><meta '
        f'charset="utf-8"><title>{html.escape(title)}</title>'
    )
    style = (
        "<style>body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 "
        "1em}</style></head>"
    )
    about = f"<h1>{html.escape(title)}</h1><p>{html.escape(caption)}</p>"
    return f"{head}{style}<body>{about}{first}{second}</body></html>".encode()


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
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in _ROUND:
        inside = [
            m * 10.0**e for e in decades for m in steps if low * 1.02 <= m * 10.0**e <= high / 1.1
        ]
        if len(inside) >= 2:
            break
    else:
        inside = np.geomspace(low, high, 5)[:-1].tolist()
    highest = np.nanmax(np.where(np.isfinite(found.loss), found.loss, np.nan))
    words = [f"{value:.3g}" for value in inside] + [
        f"≥ {high:.3g}" if highest > high * 1.001 else f"{high:.3g}"
    ]
    return [math.log10(value) for value in (*inside, high)], words


def _drawn(found: Landscape, loss: np.ndarray) -> np.ndarray:
    """log10 of a loss within the scale; missing where it is not a number."""
    return np.log10(np.clip(np.where(np.isfinite(loss), loss, np.nan), *found.span))


def _bar(found: Landscape) -> dict:
    places, words = ticks(found)
    return {
        "title": {"text": "loss"},
        "tickvals": places,
        "ticktext": words,
        "thickness": 14,
        "outlinewidth": 0,
    }


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
        "showlegend": False,
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


def _ends(axis: np.ndarray) -> list[float]:
    return [float(axis[0]), float(axis[-1])]


def _dressed(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 32, "b": 8},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
    )
    return figure.update_layout(
        uirevision="landscape", showlegend=False, hoverlabel={"align": "left"}
    )
