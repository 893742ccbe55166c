"""Probabilities of ordered steps in, one bar a step out, from the worst to the best, with a mark
where the expected step lies.
"""

from collections.abc import Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import HIGHLIGHT, NEGATIVE, POSITIVE, QUIET, UNDECIDED, escape
from bertsent.figures.plotly_panels import FAINT, on_page

HEIGHT = 300


def step_colours(count: int) -> list[str]:
    """From negative over undecided to positive; the inner steps paler than the ends."""
    colours = []
    for step in range(count):
        way = 2 * step / (count - 1) - 1 if count > 1 else 0.0
        end = POSITIVE if way > 0 else NEGATIVE
        colours.append(_mixed(UNDECIDED, end, abs(way)) if abs(way) > 1e-9 else UNDECIDED)
    return colours


def step_bars(labels: Sequence[str], probabilities: Sequence[float], expected: float) -> go.Figure:
    """One bar a step, in their order; the triangle stands over the expected step, the first being
    0.
    """
    steps, top = list(range(len(labels))), max(probabilities)
    figure = go.Figure(
        go.Bar(
            x=steps,
            y=list(probabilities),
            marker={
                "color": step_colours(len(labels)),
                "line": {"width": [3 if p == top else 0 for p in probabilities], "color": QUIET},
            },
            text=[f"{100 * p:.1f} %" for p in probabilities],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=[
                f"{escape(label)}<br>{100 * p:.1f} %<extra></extra>"
                for label, p in zip(labels, probabilities, strict=True)
            ],
        )
    )
    figure.add_scatter(
        x=[expected],
        y=[1.24 * top],
        mode="markers+text",
        marker={"symbol": "triangle-down", "size": 15, "color": HIGHLIGHT},
        text=[f"expected step {expected:.2f}"],
        textposition="middle left" if expected > len(labels) / 2 else "middle right",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.update_xaxes(
        tickvals=steps,
        ticktext=[escape(label).replace(" ", "<br>", 1) for label in labels],
        range=[-0.55, len(labels) - 0.45],
        fixedrange=True,
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(
        range=[0, 1.34 * top],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        tickformat=".0%",
        gridcolor=FAINT,
        fixedrange=True,
    )
    return on_page(figure, HEIGHT, (0, 0, 8, 8), bargap=0.25, showlegend=False)


def _mixed(first: str, second: str, share: float) -> str:
    """A colour between two, ``share`` of the way to the second."""
    pairs = ((int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)
