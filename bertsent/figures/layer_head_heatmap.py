"""One number a head as a heatmap, layers from top to bottom and heads from left to right: a
measure, or what silencing the head changes. And a query times a key, number by number.

Cells are named "Layer 4 …" and "Head 7 …" so that a click names them; the column of whole layers is
that of "head" ``WHOLE``.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.attention_axes import BOTTOM, category_axes, layer_head_axes
from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE
from bertsent.figures.plotly_panels import colour_bar, legible, outline

if TYPE_CHECKING:
    from bertsent.probing.heads.head_ablation import AblationGrid

ROW, ROWS = 58, 384  # pixels of a row at most, and of all together
NUMBERED = 200  # up to so many heads the numbers are printed in the cells
WHOLE = 999  # the number of the head that a click on the cell of a whole layer gives
UNITS = {"entropy": "nats", "distance": "tokens"}  # all else are shares


def measure_heatmap(
    table: pd.DataFrame, measure: str, chosen: tuple[int, int] | None = None, *, unit: str = ""
) -> go.Figure:
    """One column of a table with one row a head as layers × heads; ``chosen`` (layer, head) from 0
    is outlined.
    """
    layers, heads = int(table["layer"].max()), int(table["head"].max())
    values = table[measure].to_numpy(float).reshape(layers, heads)
    top = max(float(np.nanmax(values)), 1e-6) if np.isfinite(values).any() else 1.0
    unit = unit or f"{measure}, {UNITS.get(measure, 'share of the attention')}"
    settings: dict[str, Any] = {
        "x": [f"Head {h + 1} of {heads}" for h in range(heads)],
        "y": [f"Layer {n + 1} of {layers}" for n in range(layers)],
        "hovertemplate": f"%{{y}}<br>%{{x}}<br>{unit} %{{z:.3f}}<extra></extra>",
        "colorscale": ATTENTION_SCALE,
        "zmin": 0.0,
        "zmax": top,
        "colorbar": colour_bar(unit),
    }
    if layers * heads <= NUMBERED:
        settings["texttemplate"] = "%{z:.2f}"
    figure = go.Figure(legible(values, top, **settings))
    layer_head_axes(figure, layers, heads, height=_height(layers))
    if chosen is not None:
        _outline_cell(figure, chosen)
    return figure


def ablation_heatmap(
    grid: "AblationGrid", silenced: Collection[tuple[int, int]] = (), *, logits: bool = False
) -> go.Figure:
    """What changes when each head, and each layer's heads together, are silenced: P(positive) in
    percentage points, or with ``logits`` the logit difference.

    Orange: it falls; purple: it rises. The colours are scaled to the single heads. ``silenced``
    heads, (layer, head) from 0, are outlined.
    """
    layers, heads = grid.support.shape
    change, unit, digits, least = 100 * grid.change, "points", 1, 1.0
    measure, whole = "P(positive), in percentage points", "(all heads of the layer) silenced"
    if logits:
        change, unit, digits, least = grid.logit_change, "logit difference", 2, 0.1
        measure = "the logit difference"
    shown = np.insert(change, heads, np.nan, axis=1)
    top = max(least, float(np.abs(change[:, :-1]).max()))
    settings = {
        "x": [
            *(f"Head {h + 1} silenced" for h in range(heads)),
            "gap",
            f"Head {WHOLE} {whole}",
        ],
        "y": [f"Layer {n + 1} of {layers}" for n in range(layers)],
        "hovertemplate": "%{y}, %{x}<br>P(positive) %{customdata:.1f} %, %{z:+.2f} "
        f"{unit}<extra></extra>",
        "customdata": np.insert(100 * grid.p_without, heads, np.nan, axis=1),
        "colorscale": CHANGE_SCALE,
        "zmin": -top,
        "zmax": top,
        "xgap": 2,
        "ygap": 2,
        "colorbar": colour_bar(f"change of {measure}, by silencing"),
    }
    words = None
    if layers * heads <= NUMBERED:
        words = [[_signed(value, digits) for value in row] for row in shown]
    figure = go.Figure(legible(shown, top, words=words, signed=True, **settings))
    layer_head_axes(figure, layers, heads, height=_height(layers), whole=True)
    for head in silenced:
        _outline_cell(figure, head, width=4)
    return figure


def query_key_strips(query: np.ndarray, key: np.ndarray) -> go.Figure:
    """A query, a key and their product number by number, each (d,), as three rows around 0."""
    shown, names = np.stack([query, key, query * key]), ["query", "key", "query × key"]
    top = max(float(np.abs(shown).max()), 1e-6)
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=[f"number {n + 1}" for n in range(len(query))],
            y=names,
            xgap=1,
            ygap=3,
            colorscale=CHANGE_SCALE,
            zmin=-top,
            zmax=top,
            hovertemplate="%{y}, %{x}<br>%{z:+.3f}<extra></extra>",
            colorbar=colour_bar("value"),
        )
    )
    places = list(range(0, len(query), max(1, len(query) // 16)))
    across = {"tickvals": places, "ticktext": [str(place + 1) for place in places]}
    category_axes(figure, across, {"tickvals": [0, 1, 2], "ticktext": names}, height=250, top=30)
    return figure


def _height(layers: int) -> int:
    return min(ROW * layers, ROWS) + 30 + BOTTOM


def _outline_cell(figure: go.Figure, head: tuple[int, int], width: int = 3) -> None:
    layer, number = head
    outline(figure, number - 0.47, number + 0.47, layer - 0.46, layer + 0.46, width)


def _signed(value: float, digits: int) -> str:
    if np.isnan(value):
        return ""
    return f"{value:+.0f}" if abs(value) >= 9.95 else f"{value:+.{digits}f}"
