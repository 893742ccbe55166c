"""Maps of many heads as tiles of one heatmap: where a tile lies, what its rows and columns are
called, how its axes look.

Layers and heads are counted from 0 in arguments, as in arrays, and from 1 wherever a person reads
them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from bertsent.errors import BadInput
from bertsent.figures.colours import CLEAR, HIGHLIGHT, escape

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

TILE_HEIGHT = 74  # pixels
TILE_TOKENS = (
    64  # cells along a tile; more would be finer than the screen and would halt the browser
)
LABELLED = (
    48  # up to so many tokens each one is named beside the heatmap; above, every second, third …
)
TOKEN_CHARACTERS = 16


def coarse(maps: "AttentionMaps") -> "AttentionMaps":
    """At most ``TILE_TOKENS`` rows and columns: squares of neighbouring cells become one, with what
    is farthest from 0 among them.
    """
    side = -(-len(maps.tokens) // TILE_TOKENS)
    if side <= 1:
        return maps
    starts = range(0, len(maps.tokens), side)
    largest = _reduced(np.maximum, maps.weights, starts)
    if maps.weights.min() < 0:
        least = _reduced(np.minimum, maps.weights, starts)
        largest = np.where(-least > largest, least, largest)
    tokens = tuple(" ".join(maps.tokens[start : start + side]) for start in starts)
    return replace(maps, tokens=tokens, special=(False,) * len(tokens), weights=largest)


def tiled(weights: np.ndarray) -> np.ndarray:
    """(L, H, T, T) as one (L·(T+gap)-gap, H·(T+gap)-gap) picture, NaN between the tiles."""
    layers, heads, size, _ = weights.shape
    step = size + gap(size)
    room = np.full((layers, heads, step, step), np.nan, dtype=np.float32)
    room[:, :, :size, :size] = weights
    return room.transpose(0, 2, 1, 3).reshape(layers * step, heads * step)[
        : size - step, : size - step
    ]


def gap(size: int) -> int:
    """Empty rows and columns between two tiles of ``size`` tokens."""
    return max(1, round(size / 14))


def tile_axes(figure: go.Figure, layers: int, heads: int, size: int) -> None:
    """Name the columns of tiles H1, H2 … and the rows L1, L2 …"""
    step = size + gap(size)
    middles = [(size - 1) / 2 + step * i for i in range(max(layers, heads))]
    columns = {
        "tickvals": middles[:heads],
        "ticktext": [f"H{h + 1}" for h in range(heads)],
        "side": "top",
    }
    rows = {
        "tickvals": middles[:layers],
        "ticktext": [f"L{n + 1}" for n in range(layers)],
        "autorange": "reversed",
    }
    figure.update_layout(
        height=TILE_HEIGHT * layers + 90,
        xaxis=bare(columns),
        yaxis=bare(rows),
        **plain_frame(top=30),
    )


def tile_names(tile: str, role: str, tokens: Sequence[str]) -> list[str]:
    """The categories of one tile and of the gap after it; all differ, for equal categories would
    fall on one place.
    """
    return [
        *named(f"{tile} · {role}", tokens),
        *(f"{tile} · gap {i}" for i in range(gap(len(tokens)))),
    ]


def named(role: str, tokens: Sequence[str]) -> list[str]:
    """One category a position, "to boring (4)": equal tokens stay apart by their position."""
    return [
        f"{role} {escape(token)} ({position})" for position, token in enumerate(tokens, start=1)
    ]


def token_ticks(tokens: Sequence[str]) -> dict:
    """Ticks that name the tokens, every second, third … of many."""
    every = -(-len(tokens) // LABELLED)
    places = list(range(0, len(tokens), every))
    short = [
        t if len(t) <= TOKEN_CHARACTERS else t[: TOKEN_CHARACTERS - 1] + "…"
        for t in (tokens[i] for i in places)
    ]
    return {"tickvals": places, "ticktext": [escape(token) for token in short]}


def bare(settings: dict) -> dict:
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


def plain_frame(*, top: int) -> dict:
    """What these figures share. Dragging does nothing, or a finger on the figure could not scroll
    the page.
    """
    return {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "margin": {"l": 10, "r": 10, "t": top, "b": 60},
        "dragmode": False,
    }


def bar(words: str) -> dict:
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


def bounds(chosen: tuple[int, int | None], layers: int, heads: int) -> tuple[int, int, int]:
    """Layer, first and last head of what was chosen; with None for the head, its whole layer.

    Raises:
        BadInput: there is no such head.
    """
    layer, head = chosen
    first, last = (0, heads - 1) if head is None else (head, head)
    if not (0 <= layer < layers and 0 <= first and last < heads):
        raise BadInput(
            f"There is no head {layer + 1}·{first + 1}.",
            f"This model has {layers} layers of {heads} heads.",
        )
    return layer, first, last


def outline(figure: go.Figure, chosen: tuple[int, int, int], size: int) -> None:
    """A box around the tiles of ``bounds``."""
    y, x, last = (index * (size + gap(size)) - 0.5 for index in chosen)
    box = {"x0": x, "x1": last + size, "y0": y, "y1": y + size}
    figure.add_shape(type="rect", line={"color": HIGHLIGHT, "width": 3}, **box)


def _reduced(by: np.ufunc, weights: np.ndarray, starts: range) -> np.ndarray:
    return by.reduceat(by.reduceat(weights, starts, axis=2), starts, axis=3)
