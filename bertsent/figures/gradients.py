"""Gradients in, pictures out: what one row of attention would have to change, what each word vector
does to the loss, and the answer after one step by learning rate.

Purple raises the loss, orange lowers it; signs and numbers say it again.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.attention_axes import category_axes, token_ticks
from bertsent.figures.colours import CHANGE_SCALE, HIGHLIGHT, LESS, MORE, QUIET, SAFE, escape
from bertsent.figures.plotly_panels import FAINT, colour_bar, legible, on_page, outline

NUMBERED = 14  # tokens up to which numbers are printed in the cells
STRIPS, BARS, RATES = 300, 320, 360  # pixels
WIDE = 900  # pixels of the axis of tokens, about


def token_strips(
    tokens: Sequence[str], rows: Mapping[str, np.ndarray], *, first: int = 1, chosen: int | None
) -> go.Figure:
    """Numbers (T,) of each token below each other, each row scaled to its own largest.

    Args:
        tokens: the tokens that are drawn.
        rows: the numbers by their names.
        first: the position of the first token in the review.
        chosen: the place, from 0, among those drawn that is outlined.
    """
    values = np.stack(list(rows.values()))
    largest = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-30)
    printed = len(tokens) <= NUMBERED
    words = [_printed(row) if printed else [""] * len(row) for row in values]
    hover = [[f"{name}<br>{value:+.3g}" for value in row] for name, row in rows.items()]
    figure = go.Figure(
        legible(
            values / largest,
            1.0,
            signed=True,
            words=words,
            x=[f"{escape(token)} ({n})" for n, token in enumerate(tokens, start=first)],
            y=list(rows),
            colorscale=CHANGE_SCALE,
            zmin=-1.0,
            zmax=1.0,
            ygap=6,
            customdata=hover,
            hovertemplate="%{x}<br>%{customdata}<extra></extra>",
            colorbar=colour_bar("share of the largest number of the row", tickvals=[-1, 0, 1]),
        )
    )
    across = token_ticks(tokens, WIDE) | {"tickangle": -45 if len(tokens) > 6 else 0}
    down = {"tickvals": list(range(len(rows))), "ticktext": list(rows)}
    category_axes(figure, across, down, height=STRIPS, top=70)
    if chosen is not None:
        outline(figure, chosen - 0.5, chosen + 0.5, -0.5, len(rows) - 0.5)
    return figure


def _printed(row: np.ndarray) -> list[str]:
    """Numbers of which none is negative need no sign."""
    words = [compact(value) for value in row]
    return words if (row < 0).any() else [word.lstrip("+") for word in words]


def gradient_input_bars(tokens: Sequence[str], values: np.ndarray, *, first: int = 1) -> go.Figure:
    """Gradient times input (T,) of each token as bars around 0; ``first`` is the position of the
    first in the review.
    """
    names = [f"{escape(token)} ({n})" for n, token in enumerate(tokens, start=first)]
    figure = go.Figure(
        go.Bar(
            x=names,
            y=values,
            marker={"color": [MORE if value > 0 else LESS for value in values]},
            text=[compact(value) for value in values] if len(tokens) <= NUMBERED else None,
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{x}<br>gradient × input %{y:+.3g}<extra></extra>",
        )
    )
    figure.add_hline(y=0, line={"width": 1, "color": QUIET})
    ticks = token_ticks(tokens, WIDE) | {"tickangle": -45 if len(tokens) > 6 else 0}
    figure.update_xaxes(type="category", showgrid=False, fixedrange=True, automargin=True, **ticks)
    reach = 1.3 * max(float(np.abs(values).max(initial=0)), 1e-30)
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    figure.update_yaxes(
        title="← lowers the loss · raises it →",
        range=[1.3 * low - 0.05 * reach, 1.3 * high + 0.05 * reach],
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
        exponentformat="power",
    )
    return on_page(figure, BARS, (10, 10, 10, 10), showlegend=False, dragmode=False)


def learning_rate_ladder(
    rates: Sequence[float], p_positive: Sequence[float], before: float, chosen: float, label: int
) -> go.Figure:
    """P(positive) after one step by learning rate, each rate from the untouched model.

    Args:
        rates: rising.
        p_positive: after the step, one a rate.
        before: of the untouched model, a dotted line.
        chosen: the rate that is marked.
        label: what the step was told, which gives the colour.
    """
    figure = go.Figure(
        go.Scatter(
            x=list(rates),
            y=list(p_positive),
            mode="lines+markers",
            line={"color": SAFE.of(label), "width": 2},
            marker={
                "size": [16 if rate == chosen else 9 for rate in rates],
                "color": SAFE.of(label),
                "line": {"color": HIGHLIGHT, "width": [4 if r == chosen else 0 for r in rates]},
            },
            hovertemplate="learning rate %{x:.0e}<br>P(positive) %{y:.1%}<extra></extra>",
        )
    )
    for level, words, dash in ((before, "untouched", "dot"), (0.5, "", "solid")):
        figure.add_hline(
            y=level,
            line={"width": 1, "dash": dash, "color": QUIET},
            annotation={"text": words, "xanchor": "left", "x": 0} if words else None,
        )
    figure.update_xaxes(
        title="learning rate",
        type="log",
        tickvals=list(rates),
        ticktext=[f"{rate:.0e}".replace("e-0", "e-") for rate in rates],
        gridcolor=FAINT,
        fixedrange=True,
    )
    figure.update_yaxes(
        title="P(positive)",
        range=[-0.03, 1.03],
        tickformat=".0%",
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return on_page(figure, RATES, (10, 10, 16, 10), showlegend=False, dragmode=False)


def compact(value: float) -> str:
    """A signed number in two or three digits: "+0.31", "−2e-5"."""
    size = abs(value)
    digits = f"{size:.2f}" if size >= 0.095 else f"{size:.1g}".replace("e-0", "e-")
    return f"{'−' if value < 0 else '+'}{digits}"
