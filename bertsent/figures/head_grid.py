"""What kind of head each one is in, heatmaps out: one measure of all heads as a board, and one
query times one key.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.attention_heatmap import legible
from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE, HIGHLIGHT
from bertsent.figures.head_tiles import bar, bare, plain_frame

ROW = 36  # pixels
NUMBERED = 200  # up to so many heads the numbers are printed in the cells
UNITS = {"entropy": "nats", "distance": "tokens"}  # all else are shares


def measure_heatmap(
    table: pd.DataFrame, measure: str, chosen: tuple[int, int] | None = None
) -> go.Figure:
    """One column of ``head_measures`` as layers × heads; ``chosen`` (layer, head) from 0 is
    outlined.
    """
    layers, heads = int(table["layer"].max()), int(table["head"].max())
    values = table[measure].to_numpy(float).reshape(layers, heads)
    top = max(float(np.nanmax(values)), 1e-6) if np.isfinite(values).any() else 1.0
    unit = UNITS.get(measure, "share of the attention")
    settings = {
        "x": [f"Head {h + 1} of {heads}" for h in range(heads)],
        "y": [f"Layer {n + 1} of {layers}" for n in range(layers)],
        "hovertemplate": f"%{{y}}<br>%{{x}}<br>{measure} %{{z:.3f}}<extra></extra>",
        "colorscale": ATTENTION_SCALE,
        "zmin": 0.0,
        "zmax": top,
        "colorbar": bar(f"{measure}, {unit}"),
    }
    if layers * heads <= NUMBERED:
        settings["texttemplate"] = "%{z:.2f}"
    figure = go.Figure(legible(values, top, **settings))
    columns = {
        "tickvals": list(range(heads)),
        "ticktext": [f"H{h + 1}" for h in range(heads)],
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
    if chosen is not None:
        layer, head = chosen
        box = {"x0": head - 0.5, "x1": head + 0.5, "y0": layer - 0.5, "y1": layer + 0.5}
        figure.add_shape(type="rect", line={"color": HIGHLIGHT, "width": 3}, **box)
    return figure


def product_strips(query: np.ndarray, key: np.ndarray) -> go.Figure:
    """A query, a key and their product number by number, each (d,), as three rows around 0."""
    shown = np.stack([query, key, query * key])
    top = max(float(np.abs(shown).max()), 1e-6)
    names = ("query", "key", "query × key")
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            x=[f"number {n + 1}" for n in range(len(query))],
            y=list(names),
            xgap=1,
            ygap=3,
            colorscale=CHANGE_SCALE,
            zmin=-top,
            zmax=top,
            hovertemplate="%{y}, %{x}<br>%{z:+.3f}<extra></extra>",
            colorbar=bar("value"),
        )
    )
    every = max(1, len(query) // 16)
    places = list(range(0, len(query), every))
    across = {"tickvals": places, "ticktext": [str(place + 1) for place in places], "side": "top"}
    down = {"tickvals": [0, 1, 2], "ticktext": list(names), "autorange": "reversed"}
    figure.update_layout(height=230, xaxis=bare(across), yaxis=bare(down), **plain_frame(top=30))
    return figure
