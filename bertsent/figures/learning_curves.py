"""The curves of a run while it learns: frames of its events in, three Altair charts out that lie on
one step axis.

Everything that changes while a run lives is in the data, never in the specification, so Streamlit
replaces rows in place and keeps the chart it has.
"""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.figures.altair_panels import (
    DASHES,
    LEFT,
    RIGHT,
    edge_axis,
    legend,
    level,
    named_level,
    series_looks,
    share_scale,
    step_axis,
    two_axis_panel,
)
from bertsent.figures.colours import QUIET, TRAINING, VALIDATION
from bertsent.training.curves.series import finite_numbers, last_of_stretches, smoothed, thinned

# for all sentinels together; above 2,000 marks Streamlit leaves SVG for canvas
SENTINEL_POINTS = 1500
SENTINELS = 12
TRAINED, EACH_STEP, VALIDATED, RATE = (
    "training, smoothed",
    "training, each step",
    "validation",
    "learning rate (right)",
)
_LINE_COLOURS = {TRAINED: TRAINING, EACH_STEP: "#7CC5AE", VALIDATED: VALIDATION, RATE: QUIET}
_STEP = alt.Tooltip("step:Q", format=",d")
_LOSS, _ACCURACY = alt.Tooltip("loss:Q", format=".3f"), alt.Tooltip("accuracy:Q", format=".1%")
_STEP_TIP = [
    _STEP,
    _LOSS,
    _ACCURACY,
    alt.Tooltip("learning_rate:Q", title="learning rate", format=".2e"),
]
_CHECK_TIP = [_STEP, _LOSS, _ACCURACY, alt.Tooltip("macro_f1:Q", title="macro-F1", format=".3f")]
_SENTENCE_TIP = [
    alt.Tooltip("text:N"),
    _STEP,
    alt.Tooltip("p_positive:Q", title="P(positive)", format=".1%"),
]


class LearningCurves(NamedTuple):
    """Three charts, to be shown with ``width="stretch"`` one under the other."""

    loss: alt.LayerChart
    accuracy: alt.LayerChart
    sentinels: alt.LayerChart


def learning_curves(
    steps: pd.DataFrame,
    evaluations: pd.DataFrame,
    sentinels: pd.DataFrame,
    *,
    total_steps: int,
    smooth: bool = True,
    height: int = 240,
) -> LearningCurves:
    """Loss with the learning rate, accuracy, and P(positive) of the sentinels, all over the steps
    of one run.

    ``steps`` has step, epoch, loss, accuracy, learning_rate; ``evaluations`` has step, epoch, loss,
    accuracy, macro_f1; ``sentinels`` has step, text, p_positive: one row a sentence and step. Any
    may be empty. What is missing or not finite leaves a gap; a sentence with missing values only
    still has its place in the legend. ``height`` is about that of the loss curve in pixels, without
    title, legend and axis. Long runs are thinned.
    """
    found = finite_numbers(steps, ["step", "loss", "accuracy", "learning_rate"])
    means = {f"smooth_{name}": smoothed(found[name], total_steps) for name in ("loss", "accuracy")}
    drawn = thinned(found.assign(**means), total_steps)
    checks = finite_numbers(evaluations, ["step", "loss", "accuracy", "macro_f1"])
    x = step_axis(total_steps)
    epochs = _epoch_rules(steps, x)
    names = sentence_names(list(dict.fromkeys(sentinels["text"].astype(str)))[:SENTINELS])
    rows = _sentence_rows(sentinels, names, total_steps)
    low = round(height * 0.75)
    return LearningCurves(
        _loss_panel(drawn, checks, epochs, x, smooth, height),
        _accuracy_panel(drawn, checks, epochs, x, smooth, low),
        _sentence_panel(rows, list(names.values()), epochs, x, low),
    )


def sentence_names(texts: list[str], characters: int = 44) -> dict[str, str]:
    """A short legend name for each sentinel; names that would be equal are told apart by their ends
    or a number.
    """
    names: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        name, number = shorten(text, characters), 2
        if name in names.values():
            name = "…" + clean_text(text)[1 - characters :].lstrip()
        while name in names.values():
            name, number = f"{shorten(text, characters - 4)} ({number})", number + 1
        names[text] = name
    return names


def _y(field: str, *, share: bool, right: bool = False) -> alt.Y:
    """An axis with a fixed extent; shares reach from 0 to 100 %, anything else from 0 to what is
    there.
    """
    axis = edge_axis(
        RIGHT if right else LEFT,
        orient="right" if right else "left",
        format=".0%" if share else ".1e" if right else ".2~f",
        grid=not right,
    )
    return alt.Y(f"{field}:Q", scale=share_scale() if share else alt.Scale(zero=True), axis=axis)


def _epoch_rules(steps: pd.DataFrame, x: alt.X) -> alt.Chart:
    """A dotted upright line where an epoch begins, except at the left edge."""
    known = finite_numbers(steps, ["step", "epoch"]).dropna()
    starts = known.assign(epoch=np.floor(known["epoch"])).drop_duplicates("epoch").iloc[1:]
    rules = alt.Chart(starts).mark_rule(color=QUIET, strokeDash=[2, 4], opacity=0.8)
    return rules.encode(x=x, tooltip=[alt.Tooltip("epoch:Q", title="epoch begins"), _STEP])


def _loss_panel(
    drawn: pd.DataFrame,
    checks: pd.DataFrame,
    epochs: alt.Chart,
    x: alt.X,
    smooth: bool,
    height: int,
) -> alt.LayerChart:
    """Loss on the left axis, learning rate on the right one, and a rule at ln 2, the loss of
    knowing nothing of two labels.
    """
    color = _line_colours([*([TRAINED] if smooth else []), EACH_STEP, VALIDATED, RATE])
    rate_line = _named(drawn, RATE).mark_line(strokeWidth=1)
    rate = rate_line.encode(x=x, y=_y("learning_rate", share=False, right=True), color=color)
    guess = named_level("loss", math.log(2), "guessing: ln 2", _y("loss", share=False))
    lines = _lines(drawn, checks, "loss", x, color, raw=True, smooth=smooth)
    return two_axis_panel("Loss, by step", [epochs, *guess, *lines], rate, height)


def _accuracy_panel(
    drawn: pd.DataFrame,
    checks: pd.DataFrame,
    epochs: alt.Chart,
    x: alt.X,
    smooth: bool,
    height: int,
) -> alt.LayerChart:
    color = _line_colours([TRAINED if smooth else EACH_STEP, VALIDATED])
    lines = _lines(drawn, checks, "accuracy", x, color, raw=not smooth, smooth=smooth)
    return two_axis_panel("Accuracy, by step", [epochs, *lines], _half(0), height)


def _sentence_panel(
    rows: pd.DataFrame, names: list[str], epochs: alt.Chart, x: alt.X, height: int
) -> alt.LayerChart:
    """P(positive) of each sentinel, told apart by colour and dash, with a rule at one half."""
    look = legend(
        orient="bottom",
        columns=alt.ExprRef("width < 700 ? 1 : 2"),
        labelLimit=300,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )
    color, dash = series_looks("sentence", names, DASHES, look)
    base = alt.Chart(rows).encode(x=x, y=_y("p_positive", share=True))
    line = base.mark_line(strokeWidth=2).encode(color=color, strokeDash=dash, detail="sentence:N")
    points = base.mark_circle(size=45, opacity=0).encode(tooltip=_SENTENCE_TIP)
    title, tall = "P(positive) of the sentinels, by step", height + 19 * len(names)
    return two_axis_panel(title, [epochs, line, points], _half(1), tall)


def _sentence_rows(
    sentinels: pd.DataFrame, names: dict[str, str], total_steps: int
) -> pd.DataFrame:
    """One row a sentence and step, thinned."""
    texts = sentinels["text"].astype(str)
    shown = {text: shorten(text, 200) for text in names}
    words = {"sentence": texts.map(names), "text": texts.map(shown)}
    rows = finite_numbers(sentinels, ["step", "p_positive"], **words)
    rows = rows[rows["sentence"].notna()]
    return last_of_stretches(rows, "sentence", SENTINEL_POINTS, total_steps)


def _lines(
    drawn: pd.DataFrame,
    checks: pd.DataFrame,
    what: str,
    x: alt.X,
    color: alt.Color,
    *,
    raw: bool,
    smooth: bool,
) -> list[alt.Chart]:
    """Training lines with points to hover, validation line and points."""
    share = what == "accuracy"
    y, smooth_y = _y(what, share=share), _y(f"smooth_{what}", share=share)
    check = _named(checks, VALIDATED).encode(x=x, y=y, color=color)
    each = _named(drawn, EACH_STEP).mark_line(strokeWidth=1).encode(x=x, y=y, color=color)
    mean = _named(drawn, TRAINED).mark_line(strokeWidth=2.5).encode(x=x, y=smooth_y, color=color)
    hover = alt.Chart(drawn).mark_circle(size=40, opacity=0)
    return [
        *([each] if raw else []),
        *([mean] if smooth else []),
        hover.encode(x=x, y=y if raw else smooth_y, tooltip=_STEP_TIP),
        check.mark_line(strokeWidth=1.5, strokeDash=[5, 3]),
        check.mark_point(shape="diamond", size=70, filled=True, opacity=1).encode(
            tooltip=_CHECK_TIP
        ),
    ]


def _half(opacity: float) -> alt.Chart:
    """A rule at one half on a right axis in per cent, which keeps the panel's edge like that of the
    loss panel.
    """
    y = _y("half", share=True, right=True)
    return level(0.5, "half", opacity=opacity).encode(y=y)


def _named(frame: pd.DataFrame, name: str) -> alt.Chart:
    """A chart of the frame whose marks take the colour and legend entry of ``name``."""
    return alt.Chart(frame).transform_calculate(line=f"'{name}'")


def _line_colours(names: list[str]) -> alt.Color:
    """The colour of each line by its name; one legend above the panel, in two columns where the
    panel is narrow.
    """
    scale = alt.Scale(domain=names, range=[_LINE_COLOURS[name] for name in names])
    columns = alt.ExprRef("width < 520 ? 2 : 4")
    look = legend(symbolType="stroke", symbolStrokeWidth=3, columns=columns)
    return alt.Color("line:N", scale=scale, legend=look)
