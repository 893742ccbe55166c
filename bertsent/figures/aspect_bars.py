"""Aspects with the probabilities of their labels in, one bar an aspect out, from negative at its
left to positive at its right.
"""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import escape
from bertsent.figures.plotly_panels import FIXED, LEGEND_ABOVE, on_page
from bertsent.figures.step_bars import step_colours

NARROW, WIDE = 0.16, 0.34  # parts of a bar: from which on it holds its number, and its name, too
SIGNS = ("▼", "◇", "▲")


def aspect_bars(labels: Sequence[str], aspects: Mapping[str, Sequence[float]]) -> go.Figure:
    """One bar an aspect, the first on top; its parts are the probabilities of ``labels`` in their
    order.
    """
    names, figure, colours = list(aspects), go.Figure(), step_colours(len(labels))
    signs = SIGNS if len(labels) == len(SIGNS) else ("",) * len(labels)
    for place, (label, colour, sign) in enumerate(zip(labels, colours, signs, strict=True)):
        shares = [aspects[name][place] for name in names]
        said = f"{sign} {label}".strip()
        figure.add_bar(
            x=shares,
            y=[str(row) for row in range(len(names))],
            orientation="h",
            name=escape(said),
            marker={"color": colour, "line": {"width": 0}},
            text=[_words(escape(said), sign, p) for p in shares],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": "#FFFFFF" if place == len(labels) - 1 else "#000000", "size": 14},
            hovertemplate=[
                f"{escape(name)}<br>{escape(label)} {100 * p:.1f} %<extra></extra>"
                for name, p in zip(names, shares, strict=True)
            ],
        )
    figure.update_yaxes(
        autorange="reversed",
        type="category",
        tickvals=[str(row) for row in range(len(names))],
        ticktext=[_two_lines(name) for name in names],
        showgrid=False,
        **FIXED,
    )
    figure.update_xaxes(range=[0, 1], visible=False, fixedrange=True)
    return on_page(
        figure,
        70 + 52 * len(names),
        (0, 6, 34, 6),
        barmode="stack",
        bargap=0.25,
        legend={**LEGEND_ABOVE, "traceorder": "normal"},
    )


def _words(said: str, sign: str, share: float) -> str:
    """What a part carries, on a phone as well."""
    if share < NARROW:
        return ""
    return f"{said if share >= WIDE else sign} {100 * share:.0f} %".strip()


def _two_lines(name: str) -> str:
    """A name of several words in two lines: names share the page with the bars."""
    short = name if len(name) <= 28 else name[:27] + "…"
    return escape(short).replace(" ", "<br>", 1) if len(short) > 9 else escape(short)
