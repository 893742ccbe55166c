"""What heatmaps of many heads share: tiles, axes of layers and heads, tokens as categories,
readable numbers.

Layers and heads are counted from 0 in arguments, as in arrays, and from 1 wherever a person reads
them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, HIGHLIGHT, escape
from bertsent.probing.heads.attention_maps import AttentionMaps, check_head

TILE_HEIGHT = 74  # pixels
TILE_TOKENS = 64  # cells along a tile; finer than the screen, more would halt the browser
LABELLED = 48  # up to so many tokens each one is named; above, every second, third …
TOKEN_CHARACTERS = 16


def coarse(maps: AttentionMaps) -> AttentionMaps:
    """At most ``TILE_TOKENS`` rows and columns: squares of neighbouring cells become one, with the
    number among them that is farthest from 0.
    """
    side = -(-len(maps.tokens) // TILE_TOKENS)
    if side <= 1:
        return maps
    starts = range(0, len(maps.tokens), side)
    largest, least = (
        by.reduceat(by.reduceat(maps.weights, starts, axis=2), starts, axis=3)
        for by in (np.maximum, np.minimum)
    )
    tokens = tuple(" ".join(maps.tokens[start : start + side]) for start in starts)
    weights = np.where(-least > largest, least, largest)
    return replace(maps, tokens=tokens, special=(False,) * len(tokens), weights=weights)


def tiled(weights: np.ndarray) -> np.ndarray:
    """(L, H, T, T) as one (L·(T+gap)-gap, H·(T+gap)-gap) picture, NaN between the tiles."""
    layers, heads, size, _ = weights.shape
    step, between = size + gap(size), gap(size)
    room = np.full((layers, heads, step, step), np.nan, dtype=np.float32)
    room[:, :, :size, :size] = weights
    picture = room.transpose(0, 2, 1, 3).reshape(layers * step, heads * step)
    return picture[:-between, :-between]


def gap(size: int) -> int:
    """Empty rows and columns between two tiles of ``size`` tokens."""
    return max(1, round(size / 14))


def tile_figure(
    maps: AttentionMaps, chosen: tuple[int, int | None] | None, hover: str, **settings: Any
) -> go.Figure:
    """One heatmap of the tiles of ``maps``; ``settings`` have its cells and colours. ``chosen``
    (layer, head) is outlined, with None for the head its whole layer.

    Hover words are the axes' categories, one a row and column, so they cost nothing however long
    the text is.

    Raises:
        BadInput: there is no such head.
    """
    layers, heads, size, _ = maps.weights.shape
    step, between = size + gap(size), gap(size)
    across = [n for h in range(heads) for n in _tile_names(f"Head {h + 1}", "to", maps.tokens)]
    down = [n for y in range(layers) for n in _tile_names(f"Layer {y + 1}", "from", maps.tokens)]
    figure = go.Figure(
        go.Heatmap(
            x=across[:-between],
            y=down[:-between],
            hoverongaps=False,
            hovertemplate=f"%{{y}}<br>%{{x}}<br>{hover}<extra></extra>",
            **settings,
        )
    )
    height, middle = TILE_HEIGHT * layers + 90, (size - 1) / 2
    layer_head_axes(figure, layers, heads, height=height, step=step, middle=middle)
    if chosen is not None:
        layer, head = chosen
        first, last = (0, heads - 1) if head is None else (head, head)
        check_head((layer, last), layers, heads)
        y, x = layer * step - 0.5, first * step - 0.5
        outline(figure, x, last * step + size - 0.5, y, y + size)
    return figure


def layer_head_axes(
    figure: go.Figure,
    layers: int,
    heads: int,
    *,
    height: int,
    step: int = 1,
    middle: float = 0,
    whole: bool = False,
) -> None:
    """Name the columns H1, H2 … and the rows L1, L2 …; ``whole`` names a column of whole layers one
    column farther right.
    """
    columns = {middle + step * h: f"H{h + 1}" for h in range(heads)}
    if whole:
        columns[heads + 1] = "all"
    rows = {middle + step * layer: f"L{layer + 1}" for layer in range(layers)}
    across = {"tickvals": list(columns), "ticktext": list(columns.values()), "side": "top"}
    down = {"tickvals": list(rows), "ticktext": list(rows.values()), "autorange": "reversed"}
    figure.update_layout(height=height, xaxis=bare(across), yaxis=bare(down), **plain_frame(top=30))


def token_axes(figure: go.Figure, tokens: Sequence[str], title: str) -> None:
    """Name the tokens along both sides; of many every second, third …"""
    every = -(-len(tokens) // LABELLED)
    places = list(range(0, len(tokens), every))
    short = [
        token if len(token) <= TOKEN_CHARACTERS else token[: TOKEN_CHARACTERS - 1] + "…"
        for token in tokens[::every]
    ]
    ticks = {"tickvals": places, "ticktext": [escape(token) for token in short]}
    turned = {"side": "top", "tickangle": None, "autotickangles": [-45, -90]}
    figure.update_layout(
        height=min(900, 170 + 28 * len(tokens)),
        xaxis=bare({**ticks, **turned}),
        yaxis=bare({**ticks, "autorange": "reversed"}),
        title={"text": escape(title), "font": {"size": 15}} if title else None,
        **plain_frame(top=110 if title else 80),
    )


def named(role: str, tokens: Sequence[str]) -> list[str]:
    """One category a position, "to boring (4)": equal tokens stay apart by their position."""
    return [
        f"{role} {escape(token)} ({position})" for position, token in enumerate(tokens, start=1)
    ]


def legible(
    values: np.ndarray,
    top: float,
    *,
    words: Sequence[Sequence[str]] | None = None,
    signed: bool = False,
    **settings: Any,
) -> list[go.Heatmap]:
    """One heatmap as two that lie over each other, so that numbers are white on dark cells and
    black on bright ones. Plotly chooses one grey for all cells of middle colour, which is hard to
    read.

    ``top`` is the value of the last colour; ``signed`` scales are pale in the middle. ``words`` are
    printed instead of what ``texttemplate`` in ``settings`` makes of the values.
    """
    values = np.asarray(values, dtype=np.float32)
    black = np.abs(values) <= 0.55 * top if signed else values > 0.48 * top
    halves = []
    for cells, ink in ((~black, "#FFFFFF"), (black, "#000000")):
        look = {"xgap": 1, "ygap": 1, "hoverongaps": False, "textfont": {"color": ink}}
        if words is not None:
            text = np.where(cells, np.array(words, dtype=object), "").tolist()
            look |= {"text": text, "texttemplate": "%{text}"}
        halves.append(go.Heatmap(z=np.where(cells, values, np.nan), **{**look, **settings}))
    return [halves[0], halves[1].update(showscale=False)]


def bare(settings: dict[str, Any]) -> dict[str, Any]:
    """An axis of categories that is nothing but its labels."""
    look = {
        "type": "category",
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickangle": 0,
        "automargin": True,
    }
    return {**look, **settings}


def plain_frame(*, top: int) -> dict[str, Any]:
    """What these figures share. Dragging does nothing, or a finger on the figure could not scroll
    the page.
    """
    return {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 10, "r": 10, "t": top, "b": 60},
        "dragmode": False,
    }


def bar(words: str) -> dict[str, Any]:
    """The colour bar below a figure."""
    look = {
        "orientation": "h",
        "y": 0,
        "yanchor": "top",
        "thickness": 10,
        "len": 0.6,
        "outlinewidth": 0,
    }
    return {**look, "title": {"text": words, "side": "top"}}


def outline(
    figure: go.Figure, left: float, right: float, top: float, bottom: float, width: int = 3
) -> None:
    """A box around cells, in the coordinates of the axes."""
    line = {"color": HIGHLIGHT, "width": width}
    figure.add_shape(type="rect", line=line, x0=left, x1=right, y0=top, y1=bottom)


def _tile_names(tile: str, role: str, tokens: Sequence[str]) -> list[str]:
    """The categories of one tile and of the gap after it; all differ, for equal categories would
    fall on one place.
    """
    gaps = (f"{tile} · gap {i}" for i in range(gap(len(tokens))))
    return [*named(f"{tile} · {role}", tokens), *gaps]
