"""An irony grid in, a heatmap of P(negative) out; each cell is a point that can be clicked and
carries its row and column.
"""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from bertsent.data.cleaning import shorten
from bertsent.figures.colours import CLEAR, NEGATIVE, POSITIVE, escape
from bertsent.figures.plotly_panels import BARE, colour_bar, on_page, outline

if TYPE_CHECKING:
    from bertsent.probing.pairs.template_grid import IronyGrid

SCALE = [[0.0, POSITIVE], [0.5, "#F2F2F2"], [1.0, NEGATIVE]]
ROW = 40  # pixels


def irony_heatmap(grid: "IronyGrid", chosen: tuple[int, int] | None = None) -> go.Figure:
    """Openers from top to bottom, adjectives from left to right. ▼ is negative, ▲ positive; * where
    the answer goes against the opener.

    Beside it a column with the opener by itself, below it a row with the sentence without its
    opener. ``chosen`` is outlined.
    Cells carry ``[row, column]`` as ``customdata``.
    """
    plan, (n, m) = grid.plan, grid.p_negative.shape
    shown = np.full((n + 2, m + 2), np.nan)
    shown[:n, :m] = grid.p_negative
    shown[:n, m + 1], shown[n + 1, :m] = grid.openers_alone, grid.rest_alone
    figure = go.Figure(
        go.Heatmap(
            z=shown,
            zmin=0,
            zmax=1,
            colorscale=SCALE,
            xgap=1,
            ygap=1,
            hoverinfo="skip",
            hoverongaps=False,
            colorbar=colour_bar("P(negative)", tickformat=".0%"),
        )
    )
    cells = [(int(i), int(j)) for i, j in np.argwhere(np.isfinite(shown))]
    inside = [i < n and j < m for i, j in cells]
    figure.add_scatter(
        x=[j for _, j in cells],
        y=[i for i, _ in cells],
        mode="markers+text",
        showlegend=False,
        hoverinfo="text",
        marker={"symbol": "square", "size": 34, "color": CLEAR},
        text=[
            _words(shown[c], own and grid.against_opener[c])
            for c, own in zip(cells, inside, strict=True)
        ],
        textfont={
            "size": 13,
            "color": ["#000000" if 0.12 < shown[c] < 0.95 else "#FFFFFF" for c in cells],
        },
        hovertext=[_hover(grid, i, j, shown[i, j]) for i, j in cells],
        customdata=[[i, j] if own else [-1, -1] for (i, j), own in zip(cells, inside, strict=True)],
        unselected={"marker": {"opacity": 1}, "textfont": {"color": None}},
    )
    across = [*(escape(shorten(a, 14)) for a in plan.adjectives), "", "<i>by itself</i>"]
    down = [*(escape(shorten(o, 22)) for o in plan.openers), "", "<i>no opener</i>"]
    figure.update_xaxes(
        tickvals=list(range(m + 2)), ticktext=across, side="top", range=[-0.5, m + 1.5], **BARE
    )
    figure.update_yaxes(tickvals=list(range(n + 2)), ticktext=down, range=[n + 1.5, -0.5], **BARE)
    if chosen is not None:
        i, j = chosen
        outline(figure, j - 0.5, j + 0.5, i - 0.5, i + 0.5, width=4)
    return on_page(figure, ROW * (n + 2) + 160, (8, 8, 70, 60), dragmode=False, uirevision="grid")


def _words(p: float, against: bool) -> str:
    return f"{'▼' if p >= 0.5 else '▲'}{100 * p:.0f}{'*' if against else ''}"


def _hover(grid: "IronyGrid", i: int, j: int, p: float) -> str:
    plan, (n, m) = grid.plan, grid.p_negative.shape
    if i < n and j < m:
        text = plan.fill(plan.openers[i], plan.adjectives[j])
    else:
        text = plan.openers[i] if i < n else plan.rest(plan.adjectives[j])
    return f"{escape(text)}<br>P(negative) {100 * p:.1f} %"
