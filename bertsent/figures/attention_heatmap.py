"""Attention and its change by training as heatmaps: all heads as one grid of tiles, or one matrix
large.

All heads are one tiled heatmap: it is built in milliseconds where a grid of subplots takes a third
of a second. Layers and heads are counted from 0 in arguments, as in arrays, and from 1 wherever a
person reads them ("L4", "head 4·7").
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE
from bertsent.figures.head_tiles import bar, coarse, legible, named, tile_figure, tiled, token_axes
from bertsent.probing.heads.attention_maps import WEIGHT, AttentionMaps

# up to so many tokens the numbers are printed in the cells; above the second only those not near 0
NUMBERED, CROWDED = 32, 20


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
    true = tiled(maps.weights)
    if not rescale:
        colours = _colours(_ceiling(maps.weights), maps.quantity)
        return tile_figure(maps, chosen, f"{maps.quantity} %{{z:.3f}}", z=true, **colours)
    top = maps.weights.max(axis=(2, 3), keepdims=True)
    shares = tiled(maps.weights / np.where(top > 0, top, 1))
    hover = f"{maps.quantity} %{{customdata:.3f}} (%{{z:.0%}} of this head's largest)"
    colours = _colours(1.0, f"part of the head’s largest {maps.quantity}")
    return tile_figure(maps, chosen, hover, z=shares, customdata=true, **colours)


def head_heatmap(
    tokens: Sequence[str],
    matrix: np.ndarray,
    *,
    title: str = "",
    numbers: bool | None = None,
    quantity: str = WEIGHT,
) -> go.Figure:
    """One head, or a mean of heads, large: queries from top to bottom, keys from left to right, (T,
    T). ``quantity`` says what the numbers are.

    ``numbers`` prints the weights in the cells; None does so for at most ``NUMBERED`` tokens, and
    above ``CROWDED`` without the many 0.00, which say nothing that the dark cell does not and take
    most of the browser's time.
    """
    top = _ceiling(matrix)
    settings = _colours(top, quantity)
    settings["hovertemplate"] = f"%{{y}}<br>%{{x}}<br>{quantity} %{{z:.3f}}<extra></extra>"
    if len(tokens) <= CROWDED if numbers is None else numbers:
        cells = legible(matrix, top, texttemplate="%{z:.2f}", **settings)
    elif len(tokens) <= NUMBERED and numbers is None:
        words = [[f"{weight:.2f}" if weight >= 0.005 else "" for weight in row] for row in matrix]
        cells = legible(matrix, top, words=words, **settings)
    else:
        cells = [go.Heatmap(z=np.asarray(matrix, dtype=np.float32), **settings)]
    return _token_figure(cells, tokens, title)


def change_grid(change: AttentionMaps, chosen: tuple[int, int] | None = None) -> go.Figure:
    """Every head's change as a tile of one heatmap, all on one range around 0; ``chosen`` (layer,
    head) is outlined. Purple: training added weight there; orange: it took weight away.
    """
    change = coarse(change)
    colours = _signed_colours(change.weights, change.quantity)
    return tile_figure(change, chosen, "%{z:+.3f}", z=tiled(change.weights), **colours)


def change_heatmap(
    tokens: Sequence[str], change: np.ndarray, *, title: str, quantity: str = WEIGHT
) -> go.Figure:
    """One head's change large, (T, T): queries from top to bottom, keys from left to right."""
    settings = _signed_colours(change, quantity)
    settings["hovertemplate"] = "%{y}<br>%{x}<br>%{z:+.3f}<extra></extra>"
    words = None
    if len(tokens) <= CROWDED:
        words = [
            [f"{value:+.2f}" if abs(value) >= 0.005 else "" for value in row] for row in change
        ]
    cells = legible(change, settings["zmax"], words=words, signed=True, **settings)
    return _token_figure(cells, tokens, title)


def _token_figure(cells: list[go.Heatmap], tokens: Sequence[str], title: str) -> go.Figure:
    across, down = named("to", tokens), named("from", tokens)
    figure = go.Figure([heatmap.update(x=across, y=down) for heatmap in cells])
    token_axes(figure, tokens, title)
    return figure


def _colours(top: float, words: str) -> dict[str, Any]:
    return {"colorscale": ATTENTION_SCALE, "zmin": 0.0, "zmax": top, "colorbar": bar(words)}


def _signed_colours(change: np.ndarray, quantity: str) -> dict[str, Any]:
    top = max(0.05, float(np.ceil(20 * np.abs(change).max(initial=0)) / 20))
    words = f"change of the {quantity} by fine-tuning"
    return {"colorscale": CHANGE_SCALE, "zmin": -top, "zmax": top, "colorbar": bar(words)}


def _ceiling(weights: np.ndarray) -> float:
    """The largest weight, rounded up to a tenth so that ranges repeat from text to text."""
    largest = float(np.nanmax(weights)) if weights.size else 1.0
    return max(0.1, np.ceil(round(largest, 4) * 10) / 10)
