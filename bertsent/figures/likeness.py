"""Measures of two texts in, one row a measure out: a dot for the texts as they stand and a hollow
one for the texts swapped, all on one scale from nothing in common to the same.
"""

from collections.abc import Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import POSITIVE, QUIET, VALIDATION, escape
from bertsent.figures.plotly_panels import FAINT, FIXED, LEGEND_ABOVE, on_page

ROW = 54  # pixels


def likeness_dots(
    names: Sequence[str],
    shown: Sequence[str],
    shares: Sequence[float],
    swapped: Sequence[float | None],
) -> go.Figure:
    """One row a measure, the first on top.

    Args:
        names: of the measures.
        shown: their numbers in words, such as "3.9 of 5".
        shares: as parts of their scales, 0 to 1.
        swapped: the same with the texts swapped; None for a measure that cannot move.
    """
    rows = list(range(len(names)))
    figure = go.Figure()
    for row, share, other in zip(rows, shares, swapped, strict=True):
        figure.add_shape(type="line", x0=0, x1=1, y0=row, y1=row, line={"width": 1, "color": FAINT})
        if other is not None:
            line = {"width": 3, "color": VALIDATION}
            figure.add_shape(type="line", x0=share, x1=other, y0=row, y1=row, line=line)
    figure.add_scatter(
        x=list(shares),
        y=rows,
        mode="markers+text",
        name="as they stand",
        marker={"size": 13, "color": POSITIVE},
        text=[f"<b>{escape(words)}</b>" for words in shown],
        textposition=["top left" if share > 0.55 else "top right" for share in shares],
        cliponaxis=False,
        hovertemplate=[
            f"{escape(name)}: {escape(words)}<extra></extra>"
            for name, words in zip(names, shown, strict=True)
        ],
    )
    moving = [row for row in rows if swapped[row] is not None]
    figure.add_scatter(
        x=[swapped[row] for row in moving],
        y=moving,
        mode="markers",
        name="texts swapped",
        marker={"size": 17, "symbol": "circle-open", "color": VALIDATION, "line": {"width": 3}},
        hovertemplate=[
            f"{escape(names[row])}, swapped: {100 * (swapped[row] or 0):.0f} % of its scale"
            "<extra></extra>"
            for row in moving
        ],
    )
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[escape(name).replace(" of ", "<br>of ", 1) for name in names],
        range=[len(rows) - 0.5, -0.75],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    figure.update_xaxes(
        range=[-0.03, 1.03],
        tickvals=[0, 0.5, 1],
        showticklabels=False,  # a label that is wider than the margin would not be drawn
        zeroline=False,
        gridcolor=QUIET,
        fixedrange=True,
    )
    for words, x, side in (("nothing in common", 0, "left"), ("the same", 1, "right")):
        figure.add_annotation(
            text=words,
            x=x,
            xanchor=side,
            y=0,
            yref="paper",
            yanchor="top",
            yshift=-4,
            showarrow=False,
        )
    return on_page(
        figure,
        90 + ROW * len(rows),
        (0, 12, 30, 30),
        legend=LEGEND_ABOVE,
        hovermode="closest",
    )
