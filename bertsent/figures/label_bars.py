"""What a model with labels of one's own answers: a bar for each label, or a number on its scale."""

from collections.abc import Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, CLUSTERS, QUIET, escape
from bertsent.figures.plotly_panels import FAINT, on_page, per_cent_axes

MOST = 12  # labels that are drawn; the table has all of them
LETTERS = 24  # of a label beside its bar
CHOSEN = CLUSTERS[0]  # no colour of a sentiment
ROW, SCALE_HEIGHT = 32, 130  # pixels


def label_bars(ranked: Sequence[tuple[str, float]]) -> go.Figure:
    """One bar a label, the likeliest on top and filled.

    Args:
        ranked: labels with their probabilities, the likeliest first. What is beyond ``MOST`` is
            one bar.
    """
    rows = list(ranked[:MOST])
    if rest := ranked[MOST:]:
        rows.append((f"{len(rest)} others together", sum(share for _, share in rest)))
    places = [str(row) for row in range(len(rows))]
    figure = go.Figure(
        go.Bar(
            x=[share for _, share in rows],
            y=places,
            orientation="h",
            marker={
                "color": [CHOSEN, *(CLEAR for _ in rows[1:])],
                "line": {"width": 2, "color": [CHOSEN, *(QUIET for _ in rows[1:])]},
            },
            text=[f"{100 * share:.1f} %" for _, share in rows],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=[
                f"{escape(label)} {100 * share:.1f} %<extra></extra>" for label, share in rows
            ],
        )
    )
    per_cent_axes(figure, places, [escape(_cut(label)) for label, _ in rows], reach=1.2)
    height = 50 + ROW * len(rows)
    return on_page(figure, height, (0, 6, 6, 26), bargap=0.3, showlegend=False)


def number_on_scale(number: float, low: float, high: float, measure: str) -> go.Figure:
    """A dot on a line from ``low`` to ``high``."""
    figure = go.Figure()
    line = {"width": 3, "color": QUIET}
    figure.add_shape(type="line", x0=low, x1=high, y0=0, y1=0, line=line, layer="below")
    figure.add_scatter(
        x=[number],
        y=[0],
        mode="markers+text",
        marker={"size": 22, "color": CHOSEN},
        text=[f"<b>{number:.2f}</b>"],
        textposition="top center",
        cliponaxis=False,
        hovertemplate=f"{escape(measure)} {number:.2f}<extra></extra>",
    )
    reach = (high - low) / 40
    ticks = [low + quarter * (high - low) / 4 for quarter in range(5)]
    figure.update_xaxes(
        range=[low - reach, high + reach],
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(range=[-0.6, 1], visible=False, fixedrange=True)
    return on_page(figure, SCALE_HEIGHT, (20, 20, 6, 26), showlegend=False)


def _cut(label: str) -> str:
    return label if len(label) <= LETTERS else label[: LETTERS - 1] + "…"
