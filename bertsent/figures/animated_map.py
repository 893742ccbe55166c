"""The places of the same reviews at every checkpoint of a run in, one animated map out; shares over
the steps in, their line out.

The animation is one figure with Plotly frames, drawn by the graphics card on axes that never
change; it plays in the browser without asking the server. Between two checkpoints the dots move in
a straight line; only the checkpoints are measured. Reviews are escaped, and every dot carries its
review's id first in ``customdata``.
"""

import html
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.figures.colours import (
    HIGHLIGHT,
    NEGATIVE,
    POSITIVE,
    QUIET,
    SAFE,
    VALIDATION,
    escape,
    wrapped,
)
from bertsent.figures.maps import BARE_AXIS, FAINT, dressed

AnimationColour = Literal["answer", "label"]
PLAY, PAUSE, CONTINUE = "Play", "Pause", "Continue"
BETWEEN = 8  # frames between two checkpoints, at most
_MILLISECONDS, _NUMBERS = 70, 300_000  # of a frame; coordinates that an animation may have in all
_SCALE = [(0.0, NEGATIVE), (0.5, "#D9D9D9"), (1.0, POSITIVE)]
_SYMBOLS = dict(zip((*reversed(LABELS), ""), ("circle", "diamond", "square"), strict=True))
_HOVER = "%{hovertext}<br>P(positive) = %{customdata[1]:.1%}<extra></extra>"
_NEAR = 0.06  # room around the dots, as a share of their spread


def animation_figure(
    places: np.ndarray,
    steps: Sequence[int],
    p_positive: np.ndarray,
    reviews: pd.DataFrame,
    *,
    at: int,
    colour_by: AnimationColour = "answer",
    chosen: str | None = None,
    height: int = 560,
) -> go.Figure:
    """Draw an animation that stands at one of its checkpoints.

    Args:
        places: (m, n, 2).
        steps: of the m checkpoints.
        p_positive: (m, n).
        reviews: the n reviews, columns id, text and label ("" where unknown).
        at: the checkpoint that is shown until somebody presses Play.
        colour_by: ``answer``, P(positive) there, or ``label``, the truth; the shape of a dot is
            always the truth.
        chosen: the id of a review whose path is drawn as a line.

    Raises:
        BadInput: the parts do not fit each other.
    """
    if (
        places.shape != (len(steps), len(reviews), 2)
        or p_positive.shape != places.shape[:2]
        or not 0 <= at < len(steps)
    ):
        raise BadInput(
            "The checkpoints of this animation do not fit its reviews.", "Make it again."
        )
    traces = _Traces(places, list(steps), p_positive, reviews, colour_by)
    figure = go.Figure(data=[*traces.dots(at), *_path(traces, chosen, at)], frames=traces.frames())
    _fixed_axes(figure, places)
    dressed(figure, height, "animation")
    axis = {
        "colorscale": _SCALE,
        "cmin": 0,
        "cmax": 1,
        "colorbar": {"title": {"text": "P(positive)"}, "tickformat": ".0%", "thickness": 10},
    }
    figure.update_layout(
        coloraxis=axis, margin={"b": 150}, legend={"y": 1.0, "yanchor": "bottom"}, margin_t=40
    )
    return figure.update_layout(
        updatemenus=[_buttons(figure.frames, traces.steps[at])], sliders=[_slider(traces.steps, at)]
    )


class _Traces:
    """The traces and frames of one animation: a trace for each truth, so that its shape has a name
    in the legend.
    """

    def __init__(
        self,
        places: np.ndarray,
        steps: list[int],
        p_positive: np.ndarray,
        reviews: pd.DataFrame,
        colour_by: str,
    ) -> None:
        self.places, self.steps, self.p, self.reviews, self.colour_by = (
            places,
            steps,
            p_positive,
            reviews,
            colour_by,
        )
        labels = reviews["label"].to_numpy()
        self.groups = [
            (label, np.flatnonzero(labels == label))
            for label in _SYMBOLS
            if (labels == label).any()
        ]

    def dots(self, at: int) -> list[go.Scattergl]:
        return [
            go.Scattergl(
                **self._still(rows),
                **self._at(at, rows, label),
                name=f"truth: {label or 'no label'}",
            )
            for label, rows in self.groups
        ]

    def _still(self, rows: np.ndarray) -> dict[str, object]:
        """What no frame changes."""
        few = self.reviews.iloc[rows]
        hover = [
            f"{wrapped(text, 60, 6)}<br>Truth: {escape(label or 'no label')}"
            for text, label in zip(few["text"], few["label"], strict=True)
        ]
        look = {
            "selected": {"marker": {"color": HIGHLIGHT, "size": 16}},
            "unselected": {"marker": {"opacity": 0.85}},
        }
        return {"mode": "markers", "hovertext": hover, "hovertemplate": _HOVER, **look}

    def _at(self, at: int, rows: np.ndarray, label: str) -> dict[str, object]:
        """What a checkpoint changes: places, answers, and colours where they are the answers."""
        p = self.p[at, rows]
        marker: dict[str, object] = {
            "symbol": _SYMBOLS[label],
            "size": 9,
            "opacity": 0.85,
            "line": {"width": 1, "color": QUIET},
        }
        marker |= (
            {"color": p.astype(np.float32), "coloraxis": "coloraxis"}
            if self.colour_by == "answer"
            else {"color": SAFE.of(label)}
        )
        ids = self.reviews["id"].iloc[rows]
        return self._where(self.places[at], rows) | {
            "marker": marker,
            "customdata": [[i, round(float(q), 4)] for i, q in zip(ids, p, strict=True)],
        }

    @staticmethod
    def _where(places: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
        found = places[rows].astype(np.float32)
        return {"x": np.ascontiguousarray(found[:, 0]), "y": np.ascontiguousarray(found[:, 1])}

    def frames(self) -> list[go.Frame]:
        """Each checkpoint under the name of its step, and frames between two of them."""
        between = int(np.clip(_NUMBERS // max(1, self.places.size) - 1, 0, BETWEEN))
        found, traces = [], list(range(len(self.groups)))
        for at, step in enumerate(self.steps):
            for part in range(1, between + 1) if at else ():
                share = part / (between + 1)
                share = share * share * (3 - 2 * share)  # slow at both ends
                places = (1 - share) * self.places[at - 1] + share * self.places[at]
                data = [go.Scattergl(**self._where(places, rows)) for _, rows in self.groups]
                found.append(go.Frame(name=f"{step}-{part}", data=data, traces=traces))
            data = [go.Scattergl(**self._at(at, rows, label)) for label, rows in self.groups]
            found.append(go.Frame(name=str(step), data=data, traces=traces))
        return found


def _path(traces: _Traces, chosen: str | None, at: int) -> list[go.Scattergl]:
    """The line that one review goes, with a ring where it is."""
    rows = np.flatnonzero((traces.reviews["id"] == chosen).to_numpy())
    if not len(rows):
        return []
    path = traces.places[:, rows[0]]
    hover = [
        f"step {step:,}<br>P(positive) = {p:.1%}"
        for step, p in zip(traces.steps, traces.p[:, rows[0]], strict=True)
    ]
    sizes = [16 if number == at else 6 for number in range(len(path))]
    marker = {
        "size": sizes,
        "symbol": "circle-open",
        "color": HIGHLIGHT,
        "line": {"width": 2, "color": HIGHLIGHT},
    }
    line = {"color": HIGHLIGHT, "width": 2}
    text = {"hoverinfo": "text", "hovertext": hover}
    return [
        go.Scattergl(
            x=path[:, 0],
            y=path[:, 1],
            mode="lines+markers",
            name="the path of the chosen review",
            marker=marker,
            line=line,
            **text,
        )
    ]


def _fixed_axes(figure: go.Figure, places: np.ndarray) -> None:
    """Ranges that hold every checkpoint, with equal scales."""
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    room = np.maximum((high - low) * _NEAR, 1e-6)
    x, y = ([float(a), float(b)] for a, b in zip(low - room, high + room, strict=True))
    figure.update_xaxes(**BARE_AXIS, range=x, autorange=False)
    figure.update_yaxes(**BARE_AXIS, range=y, autorange=False, scaleanchor="x", scaleratio=1)


def _buttons(frames: Sequence[go.Frame], step: int) -> dict[str, object]:
    names = [frame.name for frame in frames]
    ahead = names[names.index(str(step)) + 1 :]
    now = {"mode": "immediate", "transition": {"duration": 0}}
    moving = {"frame": {"duration": _MILLISECONDS, "redraw": True}, **now}
    still = [[None], {"frame": {"duration": 0, "redraw": False}, **now}]
    labelled = (
        (PLAY, [None, moving]),  # from step 0
        (PAUSE, still),
        (CONTINUE, [ahead, moving]),
    )[: 3 if 0 < len(ahead) < len(names) - 1 else 2]
    buttons = [{"label": label, "method": "animate", "args": args} for label, args in labelled]
    look = {"bgcolor": "rgba(128,128,128,0.12)", "bordercolor": FAINT, "showactive": False}
    return {
        "type": "buttons",
        "direction": "left",
        "buttons": buttons,
        "x": 0,
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "pad": {"t": 104},
        **look,
    }


def _slider(steps: list[int], at: int) -> dict[str, object]:
    jump = {
        "mode": "immediate",
        "frame": {"duration": 0, "redraw": True},
        "transition": {"duration": 0},
    }
    entries = [
        {"label": f"{step:,}", "value": str(step), "method": "animate", "args": [[str(step)], jump]}
        for step in steps
    ]
    look = {
        "bgcolor": "rgba(128,128,128,0.25)",
        "bordercolor": FAINT,
        "activebgcolor": HIGHLIGHT,
        "tickcolor": QUIET,
    }
    now = {"prefix": "step ", "xanchor": "right"}
    return {
        "active": at,
        "steps": entries,
        "x": 0,
        "len": 1,
        "y": 0,
        "pad": {"t": 20},
        "currentvalue": now,
        **look,
    }


def steps_figure(
    frame: pd.DataFrame, *, at: int, band: bool, name: str, height: int = 230
) -> go.Figure:
    """One share over the steps, the chosen step marked, with the line of one half.

    Args:
        frame: columns step, share, and low and high where ``band``. A dot carries its step as
            ``customdata``.
        at: the row that is marked.
        band: whether an interval is drawn around it.
        name: what the share is.
    """
    figure = go.Figure()
    if band:
        edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(x=frame["step"], y=frame["high"], **edge)
        figure.add_scatter(
            x=frame["step"],
            y=frame["low"],
            fill="tonexty",
            fillcolor="rgba(204,121,167,0.22)",
            **edge,
        )
    colours = [HIGHLIGHT if number == at else VALIDATION for number in range(len(frame))]
    marker = {"size": [13 if number == at else 8 for number in range(len(frame))], "color": colours}
    figure.add_scatter(
        x=frame["step"],
        y=frame["share"],
        mode="lines+markers",
        line={"color": VALIDATION, "width": 2},
        marker=marker,
        showlegend=False,
        customdata=frame["step"],
        hovertemplate=f"step %{{x:,}}<br>{escape(name)} %{{y:.1%}}<extra></extra>",
    )
    figure.add_hline(y=0.5, line={"width": 1, "dash": "dot", "color": QUIET})
    dressed(figure, height, "course").update_layout(margin={"l": 8, "r": 8, "t": 8, "b": 8})
    figure.update_xaxes(title="step", gridcolor=FAINT, zeroline=False, fixedrange=True)
    return figure.update_yaxes(
        range=[-0.03, 1.03], tickformat=".0%", gridcolor=FAINT, zeroline=False, fixedrange=True
    )


def animation_page(figure: go.Figure, title: str, words: str) -> bytes:
    """The animation as one HTML file that plays without a network; ``title`` and ``words`` are
    shown as text.
    """
    config = {
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["sendChartToCloud"],
        "displaylogo": False,
        "responsive": True,
    }
    chart = figure.to_html(include_plotlyjs=True, full_html=False, auto_play=False, config=config)
    head = (
        '<!doctype html><html lang="en"><head><meta '
        f'charset="utf-8"><title>{html.escape(title)}</title>'
    )
    style = (
        "<style>body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 "
        "1em}</style></head>"
    )
    about = f"<h1>{html.escape(title)}</h1><p>{html.escape(words)}</p>"
    return f"{head}{style}<body>{about}{chart}</body></html>".encode()
