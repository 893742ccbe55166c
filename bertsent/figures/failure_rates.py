"""Scorecards in, failure rates with their intervals as dots and lines out (Altair)."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from bertsent.figures.learning_curves import AROUND, DASHES, SENTENCE_COLOURS

ROW, ROOM = (
    22,
    36,
)  # pixels of a capability, and what the axis at the bottom takes beside legend and title
LOOKS = len(SENTENCE_COLOURS)


def failure_rate_chart(table: pd.DataFrame, title: str) -> alt.LayerChart:
    """The failure rate of each capability with its 95 % interval, one mark a model.

    ``table`` has model, capability, n, failed, failure, low, high.
    """
    models, names = list(dict.fromkeys(table["model"])), list(dict.fromkeys(table["capability"]))
    tip = [
        "model:N",
        "capability:N",
        alt.Tooltip("failed:Q", format=",d"),
        alt.Tooltip("n:Q", title="tests", format=",d"),
    ]
    tip += [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("failure", "low", "high")]
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
    base = alt.Chart(table).encode(
        y=alt.Y("capability:N", sort=names, title=None, axis=alt.Axis(labelLimit=190)),
        yOffset=alt.YOffset("model:N", sort=models),
        color=alt.Color(
            "model:N",
            scale=alt.Scale(domain=models, range=_colours(models)),
            legend=_legend() if len(models) > 1 else None,
        ),
        tooltip=tip,
    )
    share = alt.Axis(title="failure rate", format=".0%", orient="bottom", tickCount=6)
    shape = alt.Shape(
        "model:N", scale=alt.Scale(domain=models, range=shapes[: len(models)]), legend=None
    )
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", axis=share, scale=alt.Scale(domain=[0, 1])), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("failure:Q", axis=share), shape=shape
    )
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14)
    height = max(14 * len(models), ROW) * len(names) + AROUND + ROOM
    return alt.layer(line, dot, title=heading, height=height, background="transparent")


def failure_rate_history(table: pd.DataFrame, capabilities: Sequence[str]) -> alt.LayerChart:
    """The failure rate of some capabilities over the checkpoints of a run: ``table`` has step,
    capability, failure, low, high.
    """
    rows = table[table["capability"].isin(list(capabilities))]
    names = list(capabilities)
    colour = alt.Color(
        "capability:N", scale=alt.Scale(domain=names, range=_colours(names)), legend=_legend()
    )
    dash = alt.StrokeDash(
        "capability:N",
        scale=alt.Scale(
            domain=names, range=[DASHES[i // LOOKS % len(DASHES)] for i in range(len(names))]
        ),
        legend=None,
    )
    x = alt.X("step:Q", title="Steps", axis=alt.Axis(format="~s", grid=False))
    y = alt.Y("failure:Q", axis=alt.Axis(title=None, format=".0%"), scale=alt.Scale(domain=[0, 1]))
    rates = [alt.Tooltip(f"{name}:Q", format=".1%") for name in ("failure", "low", "high")]
    tip = ["capability:N", alt.Tooltip("step:Q", format=",d"), *rates]
    base = alt.Chart(rows).encode(x=x, y=y, color=colour, tooltip=tip)
    heading = alt.Title(
        "Failure rate over the checkpoints of the run", anchor="start", frame="group", fontSize=14
    )
    return alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        base.mark_circle(size=45, opacity=1),
        title=heading,
        height=260 + AROUND,
        background="transparent",
    )


def _colours(names: Sequence[str]) -> list[str]:
    return [SENTENCE_COLOURS[i % LOOKS] for i in range(len(names))]


def _legend() -> alt.Legend:
    return alt.Legend(
        title=None, orient="top", columns=alt.ExprRef("width < 520 ? 2 : 4"), labelLimit=260
    )
