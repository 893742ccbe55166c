"""Attention and its change by training as heatmaps: all heads as one grid of tiles, or one matrix
large.

All heads are one tiled heatmap: it is built in milliseconds where a grid of subplots takes a third
of a second. Layers and heads are counted from 0 in arguments, as in arrays, and from 1 wherever a
person reads them ("L4", "head 4·7").
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.attention_axes import (
    BOTTOM,
    HEIGHT,
    TOP,
    category_axes,
    grid_height,
    layer_head_axes,
    token_categories,
    token_ticks,
)
from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE, escape
from bertsent.figures.plotly_panels import colour_bar, legible, outline
from bertsent.probing.heads.attention_maps import WEIGHT, AttentionMaps, check_head

# up to so many tokens the numbers are printed in the cells; above the second only those not near 0
NUMBERED, CROWDED = 24, 16
TILE_TOKENS = 64  # cells along a tile; finer than the screen, more would halt the browser


def head_grid(
    maps: AttentionMaps, *, rescale: bool = False, chosen: tuple[int, int | None] | None = None
) -> go.Figure:
    """Every head of every layer as a tile of one heatmap: rows are layers, columns are heads.

    All tiles share one colour range, from 0 to the largest weight, unless ``rescale`` gives each
    head its own; hovering shows the true weight either way. ``chosen`` (layer, head) is outlined;
    with None for the head, its whole layer. Of more than ``TILE_TOKENS`` tokens neighbours share a
    cell, which has their largest weight.

    Raises:
        BadInput: ``chosen`` names no head of this model.
    """
    maps = coarse(maps)
    true = _tiled(maps.weights)
    if not rescale:
        colours = _colours(_ceiling(maps.weights), maps.quantity)
        return _tile_figure(maps, chosen, f"{maps.quantity} %{{z:.3f}}", z=true, **colours)
    top = maps.weights.max(axis=(2, 3), keepdims=True)
    shares = _tiled(maps.weights / np.where(top > 0, top, 1))
    hover = f"{maps.quantity} %{{customdata:.3f}} (%{{z:.0%}} of this head's largest)"
    colours = _colours(1.0, f"part of the head’s largest {maps.quantity}")
    return _tile_figure(maps, chosen, hover, z=shares, customdata=true, **colours)


def head_heatmap(
    tokens: Sequence[str],
    matrix: np.ndarray,
    *,
    title: str = "",
    quantity: str = WEIGHT,
    marked: Collection[int] = (),
) -> go.Figure:
    """One head, or a mean of heads, large: queries from top to bottom, keys from left to right, (T,
    T). ``quantity`` says what the numbers are; the rows and columns of the ``marked`` tokens, from
    0, are outlined and named in bold.

    The weights are printed in the cells of at most ``NUMBERED`` tokens, above ``CROWDED`` without
    the many 0.00, which say nothing that the dark cell does not and take most of the browser's
    time.
    """
    top, hover = _ceiling(matrix), f"{quantity} %{{z:.3f}}"
    if len(tokens) <= CROWDED:
        cells = legible(matrix, top, texttemplate="%{z:.2f}", **_colours(top, quantity))
    elif len(tokens) <= NUMBERED:
        words = _numbers_but_zeros(matrix, ".2f")
        cells = legible(matrix, top, words=words, **_colours(top, quantity))
    else:
        matrix = np.asarray(matrix, dtype=np.float32)
        cells = [go.Heatmap(z=matrix, **_colours(top, quantity))]
    return _token_figure(cells, tokens, title, hover, marked)


def change_grid(change: AttentionMaps, chosen: tuple[int, int] | None = None) -> go.Figure:
    """Every head's change as a tile of one heatmap, all on one range around 0; ``chosen`` (layer,
    head) is outlined. Purple: training added weight there; orange: it took weight away.
    """
    change = coarse(change)
    settings = {"z": _tiled(change.weights), **_signed_colours(change.weights, change.quantity)}
    return _tile_figure(change, chosen, "%{z:+.3f}", **settings)


def change_heatmap(
    tokens: Sequence[str], change: np.ndarray, *, title: str, quantity: str = WEIGHT
) -> go.Figure:
    """One head's change large, (T, T): queries from top to bottom, keys from left to right."""
    settings = _signed_colours(change, quantity)
    words = _numbers_but_zeros(change, "+.2f") if len(tokens) <= CROWDED else None
    cells = legible(change, settings["zmax"], words=words, signed=True, **settings)
    return _token_figure(cells, tokens, title, "%{z:+.3f}")


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
    return replace(
        maps,
        tokens=tokens,
        special=(False,) * len(tokens),
        weights=np.where(-least > largest, least, largest),
    )


def gap(size: int) -> int:
    """Empty rows and columns between two tiles of ``size`` tokens."""
    return max(1, round(size / 14))


def _tiled(weights: np.ndarray) -> np.ndarray:
    """(L, H, T, T) as one (L·(T+gap)-gap, H·(T+gap)-gap) picture, NaN between the tiles."""
    between = gap(weights.shape[-1])
    room = np.pad(
        np.asarray(weights, dtype=np.float32),
        ((0, 0), (0, 0), (0, between), (0, between)),
        constant_values=np.nan,
    )
    layers, heads, step, _ = room.shape
    return room.transpose(0, 2, 1, 3).reshape(layers * step, heads * step)[:-between, :-between]


def _tile_figure(
    maps: AttentionMaps, chosen: tuple[int, int | None] | None, hover: str, **settings: Any
) -> go.Figure:
    """One heatmap of the tiles of ``maps``; ``settings`` have its cells and colours. ``chosen``
    (layer, head) is outlined, with None for the head its whole layer.

    Hover words are the axes' categories, one a row and column, so they cost nothing however long
    the text is.
    """
    layers, heads, size, _ = maps.weights.shape
    between = gap(size)
    step = size + between
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
    height, middle = grid_height(layers), (size - 1) / 2
    layer_head_axes(figure, layers, heads, height=height, step=step, middle=middle)
    if chosen is not None:
        layer, head = chosen
        first, last = (0, heads - 1) if head is None else (head, head)
        check_head((layer, last), layers, heads)
        y, x = layer * step - 0.5, first * step - 0.5
        outline(figure, x, last * step + size - 0.5, y, y + size)
    return figure


def _tile_names(tile: str, role: str, tokens: Sequence[str]) -> list[str]:
    """The categories of one tile and of the gap after it; all differ, for equal categories would
    fall on one place.
    """
    gaps = (f"{tile} · gap {i}" for i in range(gap(len(tokens))))
    return [*token_categories(f"{tile} · {role}", tokens), *gaps]


def _token_figure(
    cells: list[go.Heatmap],
    tokens: Sequence[str],
    title: str,
    hover: str,
    marked: Collection[int] = (),
) -> go.Figure:
    """One matrix with its tokens along both sides; of many every second, third … is named."""
    across, down = token_categories("to", tokens), token_categories("from", tokens)
    words = f"%{{y}}<br>%{{x}}<br>{hover}<extra></extra>"
    figure = go.Figure([cell.update(x=across, y=down, hovertemplate=words) for cell in cells])
    ticks = token_ticks(tokens, HEIGHT - TOP - BOTTOM, marked)
    turned = {**ticks, "tickangle": None, "autotickangles": [-45, -90]}
    category_axes(figure, turned, ticks, height=HEIGHT, top=TOP)
    last = len(tokens) - 0.5
    for place in marked:
        outline(figure, -0.5, last, place - 0.5, place + 0.5, 2)
        outline(figure, place - 0.5, place + 0.5, -0.5, last, 2)
    name = {"text": escape(title), "font": {"size": 15}, "y": 0.99}
    return figure.update_layout(title=name, overwrite=True)


def _numbers_but_zeros(matrix: np.ndarray, form: str) -> list[list[str]]:
    return [[f"{value:{form}}" if abs(value) >= 0.005 else "" for value in row] for row in matrix]


def _colours(top: float, words: str) -> dict[str, Any]:
    return {"colorscale": ATTENTION_SCALE, "zmin": 0.0, "zmax": top, "colorbar": colour_bar(words)}


def _signed_colours(change: np.ndarray, quantity: str) -> dict[str, Any]:
    top = max(0.05, float(np.ceil(20 * np.abs(change).max(initial=0)) / 20))
    return {
        "colorscale": CHANGE_SCALE,
        "zmin": -top,
        "zmax": top,
        "colorbar": colour_bar(f"change of the {quantity} by fine-tuning"),
    }


def _ceiling(weights: np.ndarray) -> float:
    """The largest weight, rounded up to a tenth so that ranges repeat from text to text."""
    largest = float(np.nanmax(weights)) if weights.size else 1.0
    return max(0.1, np.ceil(round(largest, 4) * 10) / 10)
