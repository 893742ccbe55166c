"""The board of silenced heads in, a heatmap of ΔP out: layers from top to bottom, heads from left
to right, whole layers beside them.

Cells are named "Layer 4 …" and "Head 7 …" so that a click can be told (``ui.heads.tiles``); the
column of whole layers is that of
"head" ``WHOLE``.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CHANGE_SCALE, HIGHLIGHT
from bertsent.figures.head_tiles import bar, bare, plain_frame

if TYPE_CHECKING:
    from bertsent.probing.heads.head_ablation import AblationGrid

ROW = 36  # pixels
NUMBERED = 200  # up to so many heads the changes are printed in the cells
WHOLE = 999  # the number by which a click on the cell of a whole layer is told


def ablation_heatmap(
    board: "AblationGrid", silenced: Collection[tuple[int, int]] = ()
) -> go.Figure:
    """ΔP(positive) in percentage points when each head, and each layer's heads together, are
    silenced.

    Orange: P(positive) falls; purple: it rises. The colours are scaled to the single heads.
        ``silenced`` heads,
    (layer, head) from 0, are outlined.
    """
    layers, heads = board.heads.shape
    shown = np.full((layers, heads + 2), np.nan)
    shown[:, :heads], shown[:, heads + 1] = 100 * board.change, 100 * board.layer_change
    top = max(1.0, float(100 * np.abs(board.change).max()))
    after = np.full_like(shown, np.nan)
    after[:, :heads], after[:, heads + 1] = 100 * board.heads, 100 * board.layers
    numbers = layers * heads <= NUMBERED
    figure = go.Figure(_cells(shown, after, top, numbers))
    columns = {
        "tickvals": [*range(heads), heads + 1],
        "ticktext": [*(f"H{h + 1}" for h in range(heads)), "all"],
        "side": "top",
    }
    rows = {
        "tickvals": list(range(layers)),
        "ticktext": [f"L{n + 1}" for n in range(layers)],
        "autorange": "reversed",
    }
    figure.update_layout(
        height=ROW * layers + 110, xaxis=bare(columns), yaxis=bare(rows), **plain_frame(top=30)
    )
    for layer, head in silenced:
        box = {"x0": head - 0.46, "x1": head + 0.46, "y0": layer - 0.44, "y1": layer + 0.44}
        figure.add_shape(type="rect", line={"color": HIGHLIGHT, "width": 4}, **box)
    return figure


def _cells(shown: np.ndarray, after: np.ndarray, top: float, numbers: bool) -> list[go.Heatmap]:
    """Cells of strong colour are written on in white, pale ones in black: two heatmaps that lie
    over each other.
    """
    layers, columns = shown.shape
    heads = columns - 2
    words = [
        [
            "" if np.isnan(value) else f"{value:+.0f}" if abs(value) >= 9.95 else f"{value:+.1f}"
            for value in row
        ]
        for row in shown
    ]
    settings = {
        "x": [
            *(f"Head {h + 1} silenced" for h in range(heads)),
            "gap",
            f"Head {WHOLE} (all heads of the layer) silenced",
        ],
        "y": [f"Layer {n + 1} of {layers}" for n in range(layers)],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hovertext": [
            [_hover(n, h, heads, shown[n, h], after[n, h]) for h in range(columns)]
            for n in range(layers)
        ],
        "colorscale": CHANGE_SCALE,
        "zmin": -top,
        "zmax": top,
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        "colorbar": bar("change of P(positive) by silencing, in percentage points"),
    }
    strong = np.abs(shown) > 0.55 * top
    halves = []
    for cells, ink in ((~strong, "#000000"), (strong, "#FFFFFF")):
        half = go.Heatmap(
            z=np.where(cells, shown, np.nan), textfont={"color": ink, "size": 12}, **settings
        )
        if numbers:
            half.update(
                text=np.where(cells, np.array(words, dtype=object), "").tolist(),
                texttemplate="%{text}",
            )
        halves.append(half)
    return [halves[0], halves[1].update(showscale=False)]


def _hover(layer: int, head: int, heads: int, change: float, after: float) -> str:
    name = f"all heads of layer {layer + 1}" if head > heads else f"head {layer + 1}·{head + 1}"
    return f"without {name}<br>P(positive) {after:.1f} %, {change:+.2f} points"
