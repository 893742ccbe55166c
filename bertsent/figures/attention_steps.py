"""The steps of multi-head attention as pictures: query, key and value, scores and weights, the
heads side by side, what each head adds. And the same review read both ways and left to right.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.attention_axes import (
    BOTTOM,
    HEIGHT,
    category_axes,
    token_categories,
    token_ticks,
)
from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE, escape
from bertsent.figures.plotly_panels import colour_bar, legible, outline

STEP = HEIGHT - 130  # pixels; the choice of the step and its sentences stand around it
HEADED = 86  # pixels above two maps, for their words and their names
NUMBERED = 14  # tokens, or heads, up to which numbers are printed
COSINE = "cosine of the two last vectors"


def token_blocks(
    tokens: Sequence[str],
    blocks: Mapping[str, np.ndarray],
    *,
    chosen: str = "",
    together: bool = False,
) -> go.Figure:
    """Matrices with one row a token side by side, each under its name: (T, n) each.

    Each is scaled to its own largest number, or ``together`` to the largest of all; the ``chosen``
    one is outlined.
    """
    between = max(1, round(sum(block.shape[1] for block in blocks.values()) / 60))
    room, names, middles, edges = [], list[str](), dict[str, float](), dict[str, tuple[int, int]]()
    largest = max(float(np.abs(block).max(initial=0)) for block in blocks.values())
    scale = []
    for name, block in blocks.items():
        edges[name] = len(names), len(names) + block.shape[1]
        middles[name] = len(names) + (block.shape[1] - 1) / 2
        names += [f"{name}, number {n + 1}" for n in range(block.shape[1])]
        names += [f"{name} · gap {n}" for n in range(between)]
        top = largest if together else float(np.abs(block).max(initial=0))
        room.append(np.pad(block, ((0, 0), (0, between)), constant_values=np.nan))
        scale += [top] * (block.shape[1] + between)
    values = np.concatenate(room, axis=1)[:, :-between]
    figure = go.Figure(
        go.Heatmap(
            **_signed(values, np.array(scale[:-between])),
            x=names[:-between],
            y=[f"{escape(token)} ({n})" for n, token in enumerate(tokens, start=1)],
            hoverongaps=False,
            hovertemplate="%{y}<br>%{x}<br>%{customdata:+.3f}<extra></extra>",
        )
    )
    across = {"tickvals": list(middles.values()), "ticktext": [escape(name) for name in middles]}
    category_axes(figure, across, token_ticks(tokens, STEP - 82), height=STEP, top=30)
    if chosen:
        first, last = edges[chosen]
        outline(figure, first - 0.5, last - 0.5, -0.5, len(tokens) - 0.5)
    return figure


def head_shares(tokens: Sequence[str], shares: np.ndarray, chosen: int) -> go.Figure:
    """How much each head adds to each token after the output projection: ``shares`` (H, T), of
    which the row of head ``chosen``, from 0, is outlined, standing as a column.
    """
    values, heads = shares.T, len(shares)
    top = max(float(values.max(initial=0)), 1e-6)
    settings: dict[str, Any] = {
        "x": [f"Head {h + 1}" for h in range(heads)],
        "y": [f"{escape(token)} ({n})" for n, token in enumerate(tokens, start=1)],
        "colorscale": ATTENTION_SCALE,
        "zmin": 0.0,
        "zmax": top,
        "colorbar": colour_bar("length of what the head adds"),
        "hovertemplate": "%{x} adds %{z:.2f} to %{y}<extra></extra>",
    }
    if len(tokens) <= NUMBERED:
        settings["texttemplate"] = "%{z:.1f}"
    figure = go.Figure(legible(values, top, **settings))
    across = {"tickvals": list(range(heads)), "ticktext": [f"H{h + 1}" for h in range(heads)]}
    category_axes(figure, across, token_ticks(tokens, STEP - 82), height=STEP, top=30)
    outline(figure, chosen - 0.5, chosen + 0.5, -0.5, len(tokens) - 0.5)
    return figure


def direction_maps(
    tokens: Sequence[str],
    both: np.ndarray,
    left_to_right: np.ndarray,
    cosines: np.ndarray,
    *,
    place: int | None,
) -> go.Figure:
    """One head read both ways and left to right, (T, T) each, side by side; what the mask hides is
    empty. At the right the cosine (T,) of each token's last vector in one and the other; the row of
    token ``place``, from 0, is outlined, unless that is None.
    """
    size = len(tokens)
    hidden = np.triu(np.ones_like(both, dtype=bool), 1)
    empty = np.full((size, 1), np.nan)
    values = np.hstack([both, empty, np.where(hidden, np.nan, left_to_right), empty, empty])
    top = max(0.1, float(max(both.max(), left_to_right.max())))
    across = [
        *token_categories("both ways, to", tokens),
        "gap",
        *token_categories("left to right, to", tokens),
        "gap 2",
        COSINE,
    ]
    down = token_categories("from", tokens)
    settings: dict[str, Any] = {
        "x": across,
        "y": down,
        "colorscale": ATTENTION_SCALE,
        "zmin": 0.0,
        "zmax": top,
        "colorbar": colour_bar("attention weight"),
        "hovertemplate": "%{y}<br>%{x}<br>attention weight %{z:.3f}<extra></extra>",
    }
    if size <= NUMBERED:
        settings["texttemplate"] = "%{z:.2f}"
    figure = go.Figure(legible(values, top, **settings))
    figure.add_scatter(
        x=[COSINE] * size,
        y=down,
        text=[f"{cosine:.2f}" for cosine in cosines],
        mode="text",
        hovertemplate="%{y}<br>cosine of its last vectors %{text}<extra></extra>",
        showlegend=False,
    )
    ticks = token_ticks(tokens, STEP - HEADED - BOTTOM, [] if place is None else [place])
    right = [size + 1 + n for n in ticks["tickvals"]]
    names = {
        "tickvals": [*ticks["tickvals"], *right, len(across) - 1],
        "ticktext": [*ticks["ticktext"], *ticks["ticktext"], "alike"],
        "tickangle": -90 if size > 6 else -45,
    }
    category_axes(figure, names, ticks, height=STEP, top=HEADED)
    if place is not None:
        for start in (0, size + 1):
            outline(figure, start - 0.5, start + size - 0.5, place - 0.5, place + 0.5)
    return figure.update_layout(annotations=_headings(size, len(across)))


def _headings(size: int, columns: int) -> list[dict[str, Any]]:
    """The names of the two halves, over them."""
    return [
        {
            "text": f"<b>{heading}</b>",
            "x": (start + size / 2) / columns,
            "xref": "x domain",
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "yshift": HEADED - 26,
            "showarrow": False,
        }
        for heading, start in (("Both ways", 0), ("Left to right", size + 1))
    ]


def _signed(values: np.ndarray, largest: np.ndarray) -> dict[str, Any]:
    """Cells coloured by their share of the ``largest`` number that each is compared with."""
    return {
        "z": (values / np.maximum(largest, 1e-12)).astype(np.float32),
        "customdata": values.astype(np.float32),
        "colorscale": CHANGE_SCALE,
        "zmin": -1.0,
        "zmax": 1.0,
        "colorbar": colour_bar("share of the largest number", tickvals=[-1, 0, 1]),
    }
