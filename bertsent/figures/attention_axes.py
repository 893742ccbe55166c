"""The axes of the attention figures: layers and heads, or tokens, and the height that fits the
first screen.
"""

from collections.abc import Collection, Sequence
from typing import Any

import plotly.graph_objects as go

from bertsent.figures.colours import escape
from bertsent.figures.plotly_panels import BARE, CATEGORIES, on_page

HEIGHT = 476  # pixels of a figure that stands beside another on the first screen
TILE_HEIGHT, TILES = 66, 394  # pixels of a tile at most, and of all layers together
LEAST_ROW = 10  # pixels of a row that is named; of thinner ones every second, third … is
TOKEN_CHARACTERS = 16
TOP, BOTTOM = 92, 52  # pixels for the title and the words above a large map, and the legend below


def grid_height(layers: int) -> int:
    """Pixels of a grid of so many layers; however many they are, it fits the first screen."""
    return min(TILE_HEIGHT * layers, TILES) + 30 + BOTTOM


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
    across = {"tickvals": list(columns), "ticktext": list(columns.values())}
    down = {"tickvals": list(rows), "ticktext": list(rows.values())}
    category_axes(figure, across, down, height=height, top=30)


def category_axes(
    figure: go.Figure, across: dict[str, Any], down: dict[str, Any], *, height: int, top: int
) -> None:
    """Axes of categories that are nothing but their labels, columns above and rows downwards.
    Dragging does nothing, or a finger on the figure could not scroll the page.
    """
    usual = {**BARE, **CATEGORIES, "showline": False, "tickangle": 0}
    on_page(
        figure,
        height,
        (10, 10, top, BOTTOM),
        dragmode=False,
        xaxis={**usual, "side": "top", **across},
        yaxis={**usual, "autorange": "reversed", **down},
    )


def token_ticks(tokens: Sequence[str], pixels: int, marked: Collection[int] = ()) -> dict[str, Any]:
    """The names along an axis of tokens on so many pixels: those of all, or of every second, third
    …; the ``marked`` ones are in bold, with a sign.
    """
    every = -(-len(tokens) * LEAST_ROW // pixels)
    places = sorted({*range(0, len(tokens), every), *marked})
    small = {"tickfont": {"size": 10}} if pixels < 14 * len(tokens) else {}
    names = [_tick(tokens[n], n in marked) for n in places]
    return {"tickvals": places, "ticktext": names, **small}


def _tick(token: str, marked: bool) -> str:
    short = token if len(token) <= TOKEN_CHARACTERS else token[: TOKEN_CHARACTERS - 1] + "…"
    return f"<b>▸ {escape(short)}</b>" if marked else escape(short)


def token_categories(role: str, tokens: Sequence[str]) -> list[str]:
    """One category a position, "to boring (4)": equal tokens stay apart by their position."""
    return [
        f"{role} {escape(token)} ({position})" for position, token in enumerate(tokens, start=1)
    ]
