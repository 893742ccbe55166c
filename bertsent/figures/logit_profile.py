"""What each number of a vector adds to the difference of two logits, the most negative first: one
bar a number, so that the areas left and right are the two sides of the answer.
"""

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import QUIET, SAFE
from bertsent.figures.plotly_panels import FAINT, on_page
from bertsent.written_numbers import written

HEIGHT, NAMED = 360, 3  # pixels; numbers at either end that are named


def logit_profile(vector: np.ndarray, row: np.ndarray) -> go.Figure:
    """``vector`` h (W,) times ``row`` (W,), the row of POSITIVE minus that of NEGATIVE."""
    shares = vector * row
    order = np.argsort(shares, kind="stable")
    figure = go.Figure(
        go.Bar(
            x=np.arange(1, len(order) + 1),
            y=shares[order],
            marker={"color": [SAFE.of(int(share > 0)) for share in shares[order]], "line_width": 0},
            customdata=np.stack([order + 1, vector[order], row[order]], axis=1),
            hovertemplate="number %{customdata[0]}<br>%{customdata[1]:+.3f} × "
            "%{customdata[2]:+.3f} = %{y:+.4f}<extra></extra>",
        )
    )
    reach = float(np.abs(shares).max())
    for places, side in ((order[:NAMED], "left"), (order[::-1][:NAMED], "right")):
        _name(figure, places, vector, row, side)
    figure.update_xaxes(
        title="the numbers of h, by what they add",
        showgrid=False,
        zeroline=False,
        showticklabels=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title="← negative · positive →",
        range=[-1.15 * reach, 1.15 * reach],
        gridcolor=FAINT,
        zerolinecolor=QUIET,
        fixedrange=True,
    )
    return on_page(figure, HEIGHT, (10, 10, 10, 10), bargap=0, showlegend=False, dragmode=False)


def _name(
    figure: go.Figure, places: np.ndarray, vector: np.ndarray, row: np.ndarray, side: str
) -> None:
    """The largest numbers of one side with their products, written in the empty quarter."""
    lines = [
        f"h<sub>{place + 1}</sub> {written(h, '+.2f')} × {written(w, '+.2f')} = "
        f"{written(h * w, '+.3f')}"
        for place, h, w in zip(places, vector[places], row[places], strict=True)
    ]
    figure.add_annotation(
        text="<br>".join(lines),
        x=0 if side == "left" else 1,
        xref="paper",
        xanchor=side,
        y=0.98 if side == "left" else 0.02,
        yref="paper",
        yanchor="top" if side == "left" else "bottom",
        align=side,
        showarrow=False,
    )
