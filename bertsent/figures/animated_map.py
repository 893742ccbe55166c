"""The places of the same reviews at every checkpoint of a run in, one animated map out; shares over
the steps in, their line out.

The animation is one figure with Plotly frames on axes that never change; it plays in the browser
without asking the server. Between two checkpoints the dots move in a straight line; only the
checkpoints are measured. Reviews are escaped, and every dot carries its review's id first in
``customdata``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
from bertsent.figures.maps import BARE_AXIS, dressed, flat_trace_type
from bertsent.figures.plotly_panels import FAINT

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
    traces = _Traces(places, steps, p_positive, reviews, colour_by)
    figure = go.Figure(data=[*traces.dots(at), *_path(traces, chosen, at)], frames=traces.frames())
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    room = np.maximum((high - low) * _NEAR, 1e-6)
    x, y = np.transpose([low - room, high + room]).tolist()  # ranges that hold every checkpoint
    figure.update_xaxes(**BARE_AXIS, range=x, autorange=False)
    figure.update_yaxes(**BARE_AXIS, range=y, autorange=False, scaleanchor="x", scaleratio=1)
    return dressed(figure, height, "animation").update_layout(
        coloraxis={
            "colorscale": _SCALE,
            "cmin": 0,
            "cmax": 1,
            "colorbar": {"title": {"text": "P(positive)"}, "tickformat": ".0%", "thickness": 10},
        },
        margin_t=40,
        margin_b=150,
        legend={"y": 1.0, "yanchor": "bottom"},
        updatemenus=[_buttons(figure.frames, steps[at])],
        sliders=[_slider(steps, at)],
    )


@dataclass
class _Traces:
    """The traces and frames of one animation: a trace for each truth, so that its shape has a name
    in the legend.
    """

    places: np.ndarray
    steps: Sequence[int]
    p: np.ndarray
    reviews: pd.DataFrame
    colour_by: AnimationColour

    @property
    def trace_type(self) -> type[go.Scatter | go.Scattergl]:
        """What draws the dots; SVG for a quarter of those that stand still, because they move."""
        return flat_trace_type(4 * len(self.reviews))

    @cached_property
    def groups(self) -> list[tuple[str, np.ndarray]]:
        labels = self.reviews["label"].to_numpy()
        found = [(label, np.flatnonzero(labels == label)) for label in _SYMBOLS]
        return [(label, rows) for label, rows in found if len(rows)]

    def dots(self, at: int) -> list[go.Scatter | go.Scattergl]:
        """The traces of one checkpoint, with what no frame changes."""
        found = self._changing(at)
        for trace, (label, rows) in zip(found, self.groups, strict=True):
            truth = label or "no label"
            texts = self.reviews["text"].iloc[rows]
            trace.update(
                mode="markers",
                name=f"truth: {truth}",
                hovertext=[f"{wrapped(text, 60, 6)}<br>Truth: {truth}" for text in texts],
                hovertemplate=_HOVER,
                selected={"marker": {"color": HIGHLIGHT, "size": 16}},
                unselected={"marker": {"opacity": 0.85}},
            )
        return found

    def _changing(self, at: int) -> list[go.Scatter | go.Scattergl]:
        """What a checkpoint changes: places, answers, and colours where they are the answers."""
        found = self._placed(self.places[at])
        usual = {"size": 9, "opacity": 0.85, "line": {"width": 1, "color": QUIET}}
        for trace, (label, rows) in zip(found, self.groups, strict=True):
            p, ids = self.p[at, rows], self.reviews["id"].iloc[rows]
            colour: dict[str, object] = {"color": SAFE.of(label)}
            if self.colour_by == "answer":
                colour = {"color": p.astype(np.float32), "coloraxis": "coloraxis"}
            trace.update(
                marker={"symbol": _SYMBOLS[label], **usual, **colour},
                customdata=[[i, round(float(q), 4)] for i, q in zip(ids, p, strict=True)],
            )
        return found

    def _placed(self, places: np.ndarray) -> list[go.Scatter | go.Scattergl]:
        exact = np.ascontiguousarray(places.T, dtype=np.float32)
        return [self.trace_type(x=exact[0, rows], y=exact[1, rows]) for _, rows in self.groups]

    def frames(self) -> list[go.Frame]:
        """Each checkpoint under the name of its step, and frames between two of them."""
        between = int(np.clip(_NUMBERS // max(1, self.places.size) - 1, 0, BETWEEN))
        found = []
        for at, step in enumerate(self.steps):
            for number in range(1, between + 1) if at else ():
                share = number / (between + 1)
                share = share * share * (3 - 2 * share)  # slow at both ends
                places = (1 - share) * self.places[at - 1] + share * self.places[at]
                found.append((f"{step}-{number}", self._placed(places)))
            found.append((str(step), self._changing(at)))
        traces = list(range(len(self.groups)))
        return [go.Frame(name=name, data=data, traces=traces) for name, data in found]


def _path(traces: _Traces, chosen: str | None, at: int) -> list[go.Scatter | go.Scattergl]:
    rows = np.flatnonzero(traces.reviews["id"] == chosen)
    if not len(rows):
        return []
    path, line = traces.places[:, rows[0]], {"color": HIGHLIGHT, "width": 2}
    return [
        traces.trace_type(
            x=path[:, 0],
            y=path[:, 1],
            mode="lines+markers",
            name="the path of the chosen review",
            marker={
                "size": [16 if number == at else 6 for number in range(len(path))],
                "symbol": "circle-open",
                "color": HIGHLIGHT,
                "line": line,
            },
            line=line,
            hoverinfo="text",
            hovertext=[
                f"step {step:,}<br>P(positive) = {100 * p:.1f} %"
                for step, p in zip(traces.steps, traces.p[:, rows[0]], strict=True)
            ],
        )
    ]


def _buttons(frames: Sequence[go.Frame], step: int) -> dict[str, object]:
    names = [frame.name for frame in frames]
    ahead = names[names.index(str(step)) + 1 :]
    moving, still = _jump(_MILLISECONDS, redraw=True), _jump(0, redraw=False)
    actions = {PLAY: [None, moving], PAUSE: [[None], still]}  # Play begins at the first step
    if 0 < len(ahead) < len(names) - 1:
        actions[CONTINUE] = [ahead, moving]
    return {
        "type": "buttons",
        "direction": "left",
        "buttons": [
            {"label": label, "method": "animate", "args": args} for label, args in actions.items()
        ],
        "x": 0,
        "y": 0,
        "xanchor": "left",
        "yanchor": "top",
        "pad": {"t": 104},
        "bgcolor": "rgba(128,128,128,0.12)",
        "bordercolor": FAINT,
        "showactive": False,
    }


def _slider(steps: Sequence[int], at: int) -> dict[str, object]:
    jump = _jump(0, redraw=True)
    stops = [
        {"label": f"{step:,}", "value": str(step), "method": "animate", "args": [[str(step)], jump]}
        for step in steps
    ]
    return {
        "active": at,
        "steps": stops,
        "x": 0,
        "len": 1,
        "y": 0,
        "pad": {"t": 20},
        "currentvalue": {"prefix": "step ", "xanchor": "right"},
        "bgcolor": "rgba(128,128,128,0.25)",
        "bordercolor": FAINT,
        "activebgcolor": HIGHLIGHT,
        "tickcolor": QUIET,
    }


def _jump(milliseconds: int, *, redraw: bool) -> dict[str, object]:
    """How Plotly goes to a frame: without a transition, in so many milliseconds."""
    frame = {"duration": milliseconds, "redraw": redraw}
    return {"mode": "immediate", "frame": frame, "transition": {"duration": 0}}


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
