"""The probabilities of several labels in: a bar for each with the threshold across, and a wheel of
the eight that Plutchik (1980) laid in a ring.
"""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from bertsent.figures.colours import CLEAR, HIGHLIGHT, QUIET, escape
from bertsent.figures.plotly_panels import FAINT, on_page, per_cent_axes

WHEEL_HEIGHT = 400
# Okabe and Ito's, near those of the original; names stand at all petals
_COLOURS = {
    "joy": "#F0E442",
    "trust": "#8CC63F",
    "fear": "#009E73",
    "surprise": "#56B4E9",
    "sadness": "#0072B2",
    "disgust": "#AA4499",
    "anger": "#D55E00",
    "anticipation": "#E69F00",
}
_OTHER = "#7F7F7F"


def feeling_bars(
    labels: Sequence[str], probabilities: Sequence[float], threshold: float
) -> go.Figure:
    """One bar a label, the first on top; those over the threshold are filled and marked."""
    order = sorted(range(len(labels)), key=lambda place: -probabilities[place])
    shares = [probabilities[place] for place in order]
    names = [labels[place] for place in order]
    colours = [_COLOURS.get(name, _OTHER) for name in names]
    over = [share > threshold for share in shares]
    figure = go.Figure(
        go.Bar(
            x=shares,
            y=[str(row) for row in range(len(names))],
            orientation="h",
            marker={
                "color": [c if o else CLEAR for c, o in zip(colours, over, strict=True)],
                "line": {"width": 2, "color": colours},
            },
            text=[f"{'✓ ' if o else ''}{100 * s:.0f} %" for s, o in zip(shares, over, strict=True)],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=[
                f"{escape(name)} {100 * share:.1f} %<extra></extra>"
                for name, share in zip(names, shares, strict=True)
            ],
        )
    )
    line = {"width": 3, "dash": "dot", "color": HIGHLIGHT}
    figure.add_vline(x=threshold, line=line, layer="below")  # the numbers stay readable
    rows = [str(row) for row in range(len(names))]
    per_cent_axes(figure, rows, [escape(name) for name in names], reach=1.28)
    return on_page(figure, 60 + 27 * len(names), (0, 6, 6, 26), bargap=0.25, showlegend=False)


def feelings_wheel(
    shares: Mapping[str, float],
    dyads: Mapping[str, tuple[float, tuple[str, str]]],
    threshold: float,
) -> go.Figure:
    """Eight petals as long as they are probable, clockwise from the top, with a ring at the
    threshold.

    Args:
        shares: the eight in the order of the ring.
        dyads: labels of two feelings, with their probability and those two; where these are
            neighbours a thin petal stands between them.
        threshold: from 0 to 1.
    """
    step, figure, ring = 360 / len(shares), go.Figure(), list(shares)
    figure.add_barpolar(
        r=list(shares.values()),
        theta=[step * place for place in range(len(ring))],
        width=[0.8 * step] * len(ring),
        marker={"color": [_COLOURS.get(name, _OTHER) for name in ring]},
        hovertemplate=[f"{escape(n)} {100 * s:.1f} %<extra></extra>" for n, s in shares.items()],
    )
    ticks = {step * place: _petal(name, shares[name]) for place, name in enumerate(ring)}
    for name, (share, (first, second)) in dyads.items():
        a, b = ring.index(first), ring.index(second)
        if (b - a) % len(ring) == 1:
            middle = step * (a + 0.5)
            figure.add_barpolar(
                r=[share],
                theta=[middle],
                width=[0.16 * step],
                marker={"color": _OTHER},
                hovertemplate=f"{escape(name)} {100 * share:.1f} %<extra></extra>",
            )
            ticks[middle] = f"<i>{_petal(name, share)}</i>"
    circle = [360 * turn / 90 for turn in range(91)]
    figure.add_scatterpolar(
        r=[threshold] * len(circle),
        theta=circle,
        mode="lines",
        line={"width": 3, "dash": "dot", "color": HIGHLIGHT},
        hoverinfo="skip",
    )
    axis = {"gridcolor": FAINT, "linecolor": QUIET, "layer": "below traces"}
    polar = {
        "bgcolor": CLEAR,
        "radialaxis": {**axis, "range": [0, 1], "showticklabels": False, "ticks": ""},
        "angularaxis": {
            **axis,
            "direction": "clockwise",
            "rotation": 90,
            "tickvals": list(ticks),
            "ticktext": list(ticks.values()),
        },
    }
    return on_page(
        figure, WHEEL_HEIGHT, (70, 70, 40, 40), polar=polar, showlegend=False, dragmode=False
    )


def _petal(name: str, share: float) -> str:
    return f"{escape(name)}<br>{100 * share:.0f} %"
