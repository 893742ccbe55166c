"""Attention as heatmaps: the weights of one text in, Plotly figures and the sentence under them
out.

All heads are one tiled heatmap: it is built in milliseconds where a grid of subplots takes a third
of a second.
Layers and heads are counted from 0 in arguments, as in arrays, and from 1 wherever a person reads
them ("L4", "head 4·7").
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import ATTENTION_SCALE, escape
from bertsent.figures.head_tiles import (
    bar,
    bare,
    bounds,
    coarse,
    gap,
    named,
    outline,
    plain_frame,
    tile_axes,
    tile_names,
    tiled,
    token_ticks,
)

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

NUMBERED, CROWDED = (
    32,
    20,
    # up to so many tokens the weights are printed in the cells; above the second only those that
    # are
    # not 0.00
)


def head_grid(
    maps: "AttentionMaps", *, rescale: bool = False, chosen: tuple[int, int | None] | None = None
) -> go.Figure:
    """Every head of every layer as a tile of one heatmap: rows are layers, columns are heads.

    ``maps.weights`` is (L, H, T, T). All tiles share one colour range, from 0 to the largest
    weight, unless ``rescale``
    gives each head its own; hovering shows the true weight either way. ``chosen`` (layer, head) is
    outlined; with None for
    the head, its whole layer. Of more than ``TILE_TOKENS`` tokens neighbours share a cell, which
    has their largest weight.

    Raises:
        BadInput: ``chosen`` names no head of this model.
    """
    maps = coarse(maps)
    layers, heads, size, _ = maps.weights.shape
    true = tiled(maps.weights)
    shown = tiled(_rescaled(maps.weights)) if rescale else true
    figure = go.Figure(_grid_trace(maps, shown, true if rescale else None))
    tile_axes(figure, layers, heads, size)
    if chosen is not None:
        outline(figure, bounds(chosen, layers, heads), size)
    return figure


def head_heatmap(
    tokens: Sequence[str], matrix: np.ndarray, *, title: str = "", numbers: bool | None = None
) -> go.Figure:
    """One head, or a mean of heads, large: queries from top to bottom, keys from left to right, (T,
    T).

    ``numbers`` prints the weights in the cells; None does so for at most ``NUMBERED`` tokens, and
    without the many 0.00
    above ``CROWDED``, which say nothing that the dark cell does not and take most of the browser's
    time.
    """
    size, top = len(tokens), _ceiling(matrix)
    settings = {
        "x": named("to", tokens),
        "y": named("from", tokens),
        "hovertemplate": "%{y}<br>%{x}<br>weight %{z:.3f}<extra></extra>",
        **_colours(top),
    }
    if size <= CROWDED if numbers is None else numbers:
        figure = go.Figure(legible(matrix, top, texttemplate="%{z:.2f}", **settings))
    elif size <= NUMBERED and numbers is None:
        words = [[f"{weight:.2f}" if weight >= 0.005 else "" for weight in row] for row in matrix]
        figure = go.Figure(legible(matrix, top, words=words, **settings))
    else:
        figure = go.Figure(go.Heatmap(z=np.asarray(matrix, dtype=np.float32), **settings))
    ticks = token_ticks(tokens)
    across, down = (
        bare({**ticks, "side": "top", "tickangle": None, "autotickangles": [-45, -90]}),
        bare({**ticks, "autorange": "reversed"}),
    )
    heading = {"text": escape(title), "font": {"size": 15}} if title else None
    figure.update_layout(
        height=min(900, 170 + 28 * size),
        xaxis=across,
        yaxis=down,
        title=heading,
        **plain_frame(top=110 if title else 80),
    )
    return figure


def strongest(
    tokens: Sequence[str],
    matrix: np.ndarray,
    special: Sequence[bool],
    *,
    head: tuple[int, int] | None = None,
) -> str:
    """The sentence under a heatmap: who looks hardest at whom, between two different words of the
    text.

    [CLS] and [SEP] often take most of the attention and would always win; when they take more than
    half, that is said too.
    ``head`` is (layer, head) for the name; without it the sentence speaks of "this view". The
    answer is plain text.
    """
    name = f"Head {head[0] + 1}·{head[1] + 1}" if head is not None else "This view"
    words = np.flatnonzero(~np.asarray(special, dtype=bool))
    if len(words) < 2:
        return f"{name} has no two words to compare."
    between = np.where(
        np.eye(len(words), dtype=bool), -1.0, np.asarray(matrix)[np.ix_(words, words)]
    )
    query, key = words[list(np.unravel_index(np.argmax(between), between.shape))]
    said = f"{name} sends {_percent(matrix[query, key])} of “{tokens[query]}” to “{tokens[key]}”."
    resting = 1.0 - float(
        np.asarray(matrix, dtype=np.float64)[np.ix_(words, words)].sum(axis=1).mean()
    )
    return (
        f"{said} {_percent(resting)} of the words’ attention rests on [CLS] and [SEP]."
        if any(special) and resting > 0.5
        else said
    )


def legible(
    values: np.ndarray, top: float, *, words: Sequence[Sequence[str]] | None = None, **settings: Any
) -> list[go.Heatmap]:
    """One heatmap as two that lie over each other, so that what is printed is white on dark cells
    and black on bright ones.

    Plotly chooses one grey for all cells of middle colour, which is hard to read. ``top`` is the
    value of the brightest
    colour; ``words`` are printed instead of what ``texttemplate`` in ``settings`` makes of the
    values.
    """
    values = np.asarray(values, dtype=np.float32)
    bright = values > 0.48 * top
    halves = [
        go.Heatmap(
            z=np.where(cells, values, np.nan),
            textfont={"color": ink},
            hoverongaps=False,
            xgap=1,
            ygap=1,
            **settings,
        )
        for cells, ink in ((~bright, "#FFFFFF"), (bright, "#000000"))
    ]
    if words is not None:
        for half, cells in zip(halves, (~bright, bright), strict=True):
            half.update(
                text=np.where(cells, np.array(words, dtype=object), "").tolist(),
                texttemplate="%{text}",
            )
    return [halves[0], halves[1].update(showscale=False)]


def _rescaled(weights: np.ndarray) -> np.ndarray:
    top = weights.max(axis=(2, 3), keepdims=True)
    return weights / np.where(top > 0, top, 1)


def _grid_trace(maps: "AttentionMaps", shown: np.ndarray, true: np.ndarray | None) -> go.Heatmap:
    """Hover words ride on the axes' categories, one for each row and column, so they cost nothing
    however long the text is.
    """
    layers, heads, size, _ = maps.weights.shape
    across = [name for h in range(heads) for name in tile_names(f"Head {h + 1}", "to", maps.tokens)]
    down = [
        name for n in range(layers) for name in tile_names(f"Layer {n + 1}", "from", maps.tokens)
    ]
    weight = "%{z:.3f}" if true is None else "%{customdata:.3f} (%{z:.0%} of this head's largest)"
    return go.Heatmap(
        z=shown,
        x=across[: -gap(size)],
        y=down[: -gap(size)],
        customdata=true,
        hoverongaps=False,
        hovertemplate=f"%{{y}}<br>%{{x}}<br>weight {weight}<extra></extra>",
        **_colours(
            1.0 if true is not None else _ceiling(maps.weights),
            "attention weight" if true is None else "share of the head’s largest weight",
        ),
    )


def _colours(top: float, words: str = "attention weight") -> dict:
    return {"colorscale": ATTENTION_SCALE, "zmin": 0.0, "zmax": top, "colorbar": bar(words)}


def _ceiling(weights: np.ndarray) -> float:
    """The largest weight, rounded up to a tenth so that ranges repeat from text to text."""
    largest = float(np.nanmax(weights)) if weights.size else 1.0
    return max(0.1, np.ceil(round(largest, 4) * 10) / 10)


def _percent(share: float) -> str:
    return f"{100 * float(share):.0f} %"
