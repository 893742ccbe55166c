"""The answer of a classifier before and after fine-tuning: two pairs of bars (lecture slides,
Appendix A1b).
"""

import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.figures.colours import SAFE
from bertsent.figures.plotly_panels import on_page

RANDOM = (0.5, 0.5)
BEFORE, AFTER = "Before fine-tuning: a random head", "After fine-tuning"
_NAMES = [label.title() for label in LABELS]


def before_after_bars(negative: float, positive: float) -> go.Figure:
    """P(negative) and P(positive) of the random head and of the fine-tuned one; a tag at the larger
    bar of the latter says whether it is right. The true label is NEGATIVE.
    """
    figure = go.Figure()
    for side, shares in enumerate((RANDOM, (negative, positive))):
        figure.add_bar(
            x=_NAMES,
            y=list(shares),
            xaxis=f"x{side + 1}",
            marker={"color": [SAFE.of(label) for label in LABELS]},
            text=_words(shares, tagged=side == 1),
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    figure.update_layout(
        xaxis={"domain": [0, 0.46], "title": BEFORE, "fixedrange": True},
        xaxis2={"domain": [0.54, 1], "title": AFTER, "fixedrange": True, "anchor": "y"},
        yaxis={"range": [0, 1.2], "tickvals": [0, 0.5, 1], "title": "probability"},
    )
    figure.update_yaxes(fixedrange=True)
    return on_page(figure, 280, (0, 0, 10, 10), showlegend=False, bargap=0.35)


def _words(shares: tuple[float, float], *, tagged: bool) -> list[str]:
    words = [f"{share:.2f}" for share in shares]
    if tagged and shares[0] != shares[1]:
        larger = int(shares[1] > shares[0])
        words[larger] = f"{words[larger]}<br><b>{'wrong' if larger else 'correct'}</b>"
    return words
