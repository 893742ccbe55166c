"""What fine-tuning did to the heads in, heatmaps out: all heads as one grid of signed tiles, and
one of them large.

Purple: training added weight there; orange: it took weight away; the middle of the scale is no
    change.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CHANGE_SCALE, escape
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
from bertsent.probing.heads.attention_maps import AttentionMaps

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_change import AttentionChange

NUMBERED = 20  # up to so many tokens the changes are printed in the cells
WORDS = "change of the attention weight by fine-tuning"


def difference_grid(found: "AttentionChange", chosen: tuple[int, int] | None = None) -> go.Figure:
    """Every head's change as a tile of one heatmap, all on one range around 0; ``chosen`` (layer,
    head) from 0 is outlined.
    """
    maps = coarse(AttentionMaps(found.tokens, found.special, found.change.astype(np.float32)))
    layers, heads, size, _ = maps.weights.shape
    across = [
        name for h in range(heads) for name in tile_names(f"Head {h + 1}", "to", maps.tokens)
    ][: -gap(size)]
    down = [
        name for n in range(layers) for name in tile_names(f"Layer {n + 1}", "from", maps.tokens)
    ][: -gap(size)]
    cells = go.Heatmap(
        z=tiled(maps.weights),
        x=across,
        y=down,
        hoverongaps=False,
        hovertemplate="%{y}<br>%{x}<br>%{z:+.3f}<extra></extra>",
        **_colours(maps.weights),
    )
    figure = go.Figure(cells)
    tile_axes(figure, layers, heads, size)
    if chosen is not None:
        outline(figure, bounds(chosen, layers, heads), size)
    return figure


def difference_heatmap(tokens: Sequence[str], change: np.ndarray, *, title: str) -> go.Figure:
    """One head's change large, (T, T): queries from top to bottom, keys from left to right."""
    size = len(tokens)
    settings = {
        "x": named("to", tokens),
        "y": named("from", tokens),
        "hoverongaps": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y}<br>%{x}<br>%{z:+.3f}<extra></extra>",
        **_colours(change),
    }
    figure = go.Figure(
        _written(change, settings)
        if size <= NUMBERED
        else go.Heatmap(z=np.asarray(change, np.float32), **settings)
    )
    ticks = token_ticks(tokens)
    across = bare({**ticks, "side": "top", "tickangle": None, "autotickangles": [-45, -90]})
    down, heading = (
        bare({**ticks, "autorange": "reversed"}),
        {"text": escape(title), "font": {"size": 15}},
    )
    figure.update_layout(
        height=min(900, 170 + 28 * size),
        xaxis=across,
        yaxis=down,
        title=heading,
        **plain_frame(top=110),
    )
    return figure


def _written(change: np.ndarray, settings: dict) -> list[go.Heatmap]:
    values = np.asarray(change, np.float32)
    strong = np.abs(values) > 0.55 * settings["zmax"]
    words = np.array(
        [[f"{value:+.2f}" if abs(value) >= 0.005 else "" for value in row] for row in values],
        dtype=object,
    )
    halves = [
        go.Heatmap(
            z=np.where(cells, values, np.nan),
            text=np.where(cells, words, "").tolist(),
            texttemplate="%{text}",
            textfont={"color": ink},
            **settings,
        )
        for cells, ink in ((~strong, "#000000"), (strong, "#FFFFFF"))
    ]
    return [halves[0], halves[1].update(showscale=False)]


def _colours(change: np.ndarray) -> dict:
    top = max(0.05, float(np.ceil(20 * np.abs(change).max()) / 20)) if change.size else 0.05
    return {"colorscale": CHANGE_SCALE, "zmin": -top, "zmax": top, "colorbar": bar(WORDS)}
