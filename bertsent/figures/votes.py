"""How a class voted, and how sure and right it was: numbers in, bars and dots out."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, POSITIVE, QUIET, UNDECIDED, escape
from bertsent.figures.plotly_panels import FIXED, on_page

# of the figure, not of its axes, from which Plotly would measure anew when presenter mode widens it
_AT_THE_TOP = {"orientation": "h", "x": 0, "yref": "container", "y": 1.0, "yanchor": "top"}
_MARKS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
_WIDEST = 44  # characters of an option in one line


def vote_bars(
    options: Sequence[str],
    counts: Sequence[int],
    confidences: Sequence[float | None],
    said: Sequence[Sequence[str]],
    right: int | None = None,
) -> go.Figure:
    """One bar an option, as long as it has votes.

    Args:
        options: what could be chosen, the first on top.
        counts: votes for each.
        confidences: mean confidence of these, None without any.
        said: who else says so.
        right: the place of the right option, which gets a frame and a ✓; None for none.
    """
    words = [
        "<br>".join(filter(None, (_votes(n, sure), f"<b>{', '.join(map(escape, others))}</b>")))
        if others
        else _votes(n, sure)
        for n, sure, others in zip(counts, confidences, said, strict=True)
    ]
    places = list(range(len(options)))
    figure = go.Figure(
        go.Bar(
            x=list(counts),
            y=places,
            orientation="h",
            marker={
                "color": [POSITIVE if place == right else UNDECIDED for place in places],
                "line": {
                    "width": [4 if place == right else 0 for place in places],
                    "color": HIGHLIGHT,
                },
            },
            text=words,
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    ticks = [
        f"<b>✓ {_wrapped(name)}</b>" if place == right else _wrapped(name)
        for place, name in enumerate(options)
    ]
    figure.update_yaxes(autorange="reversed", tickvals=places, ticktext=ticks, **FIXED)
    figure.update_xaxes(range=[0, 2.2 * max(*counts, 1)], visible=False, fixedrange=True)
    return on_page(figure, 30 + 52 * len(options), (0, 6, 6, 6), showlegend=False, bargap=0.3)


def class_reliability_figure(tables: Mapping[str, pd.DataFrame]) -> go.Figure:
    """Right over confidence, a mark each and a line through its dots; on the diagonal they are
    equal. The size of a dot is its share of the answers.

    Args:
        tables: ``probing.calibration.reliability_of`` by who answered, the class first.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 100],
        y=[0, 100],
        mode="lines",
        line={"dash": "dot", "color": QUIET},
        name="as sure as right",
        hoverinfo="skip",
    )
    last = len(tables) - 1
    for place, (who, table) in enumerate(tables.items()):
        colour = {0: HIGHLIGHT, last: POSITIVE}.get(place, CLUSTERS[place % len(CLUSTERS)])
        confidence, right = 100 * table["confidence"], 100 * table["accuracy"]
        figure.add_scatter(
            x=confidence,
            y=right,
            mode="lines+markers",
            name=escape(who),
            line={"width": 3 if not place else 1, "color": colour},
            marker={
                "size": 9 + 20 * (table["n"] / table["n"].sum()) ** 0.5,
                "symbol": _MARKS[place % len(_MARKS)],
                "line": {"width": 1, "color": QUIET},
            },
            visible=True if place in (0, last) else "legendonly",
            hoverinfo="text",
            hovertext=[
                f"{escape(who)}<br>{n} answers: sure {s:.0f} %, right {r:.0f} %"
                for n, s, r in zip(table["n"], confidence, right, strict=True)
            ],
        )
    fixed = {"zeroline": False, "fixedrange": True, "range": [-4, 106]}
    figure.update_xaxes(title="sure, per cent", **fixed)
    figure.update_yaxes(title="right, per cent", **fixed)
    return on_page(figure, 400, (0, 6, 6, 6), legend=_AT_THE_TOP)


def _votes(n: int, sure: float | None) -> str:
    votes = f"{n} {'vote' if n == 1 else 'votes'}"
    return votes if sure is None else f"{votes} · {100 * sure:.0f} % sure"


def _wrapped(text: str) -> str:
    """An option in at most two lines."""
    if len(text) <= _WIDEST:
        return escape(text)
    cut = text.rfind(" ", 0, _WIDEST)
    first, rest = text[: max(cut, 1)], text[max(cut, 1) :].strip()
    short = rest if len(rest) <= _WIDEST else f"{rest[: _WIDEST - 1]}…"
    return f"{escape(first)}<br>{escape(short)}"
