"""The curves of a run while it learns: frames of its events in, three Altair charts out that lie on
one step axis.

The axis reaches from 0 to the last step from the start, so nothing jumps while data arrive.
Everything that changes while a
run lives is in the data, never in the specification, so Streamlit replaces rows in place and keeps
the chart it has.
The charts are three and not one concatenation: a concatenated chart does not fit its container in
Streamlit 1.67 (its axes
are drawn outside); three charts with equal edges do, and stay in line at any width.
"""

import math
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.data.examples import LABELS
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, TRAINING, VALIDATION

STEP_BUCKETS = (
    400  # a longer run is drawn by the lowest and the highest loss of so many equal stretches
)
SENTENCE_POINTS = (
    1500  # for all pinned sentences together; above 2,000 marks Streamlit leaves SVG for canvas
)
SENTENCES = 12
AROUND = 100  # pixels that title, legend and step axis take of a panel's height
LEFT, RIGHT = 40, 46  # pixels beside each panel: equal, so that the step axes lie in line
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
SENTENCE_COLOURS = (TRAINING, VALIDATION, "#56B4E9", HIGHLIGHT, CLUSTERS[4], CLUSTERS[5])
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3])


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
    """Loss with the learning rate, accuracy, and P(positive) of the pinned sentences, all over the
    steps of one run.

    ``steps`` has step, epoch, loss, accuracy, learning_rate; ``evaluations`` has step, epoch, loss,
    accuracy, macro_f1;
    ``sentinels`` has step, text, p_positive: one row a sentence and step. Any may be empty. What is
    missing or not finite
    leaves a gap; a sentence with missing values only still has its place in the legend. ``height``
    is about that of the
    loss curve in pixels, without title, legend and axis. Long runs are thinned: see ``thinned``.
    """
    drawn = thinned(
        _smoothed(_numbers(steps, ["step", "loss", "accuracy", "learning_rate"]), total_steps),
        total_steps,
    )
    checks = _numbers(evaluations, ["step", "loss", "accuracy", "macro_f1"])
    x = _step_axis(total_steps)
    epochs = _epoch_rules(steps, x)
    return LearningCurves(
        _loss_panel(drawn, checks, epochs, x, smooth, height),
        _accuracy_panel(drawn, checks, epochs, x, smooth, round(height * 0.75)),
        _sentence_panel(sentinels, epochs, x, total_steps, round(height * 0.75)),
    )


def flips(sentinels: pd.DataFrame) -> pd.DataFrame:
    """When which pinned sentence changed sides: step, text, from_label, to_label, in order of step.

    A probability of exactly one half, or one that is missing, changes nothing.
    """
    sided = sentinels[
        sentinels["p_positive"].notna() & (sentinels["p_positive"] != 0.5)
    ].sort_values("step", kind="stable")
    label = (sided["p_positive"] > 0.5).map({False: LABELS[0], True: LABELS[1]})
    before = label.groupby(sided["text"]).shift()
    turned = before.notna() & (before != label)
    found = pd.DataFrame(
        {"step": sided["step"], "text": sided["text"], "from_label": before, "to_label": label}
    )
    return found[turned].reset_index(drop=True)


def thinned(steps: pd.DataFrame, total_steps: int) -> pd.DataFrame:
    """At most three rows of each of ``STEP_BUCKETS`` equal stretches: lowest loss, highest loss,
    first gap.

    A spike therefore survives. The stretches depend on ``total_steps`` only, so what is drawn once
    stays. The newest row stays.
    """
    if len(steps) <= 2 * STEP_BUCKETS:
        return steps
    stretch = steps["step"] * STEP_BUCKETS // max(1, total_steps)
    known = steps["loss"].dropna().groupby(stretch)
    gaps = steps.index[steps["loss"].isna() & ~stretch.where(steps["loss"].isna()).duplicated()]
    return steps.loc[
        sorted({*known.idxmin(), *known.idxmax(), *gaps, steps.index[-1]})
    ].reset_index(drop=True)


def sentence_names(texts: list[str], characters: int = 44) -> dict[str, str]:
    """A short legend name for each pinned sentence; names that would be equal are told apart by
    their ends or a number.
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


def _numbers(frame: pd.DataFrame, columns: list[str], **words: pd.Series) -> pd.DataFrame:
    """The columns as floats, ``words`` beside them, in order of step; infinite becomes missing, for
    a curve cannot draw it.
    """
    found = frame.reindex(columns=columns).apply(pd.to_numeric, errors="coerce").astype("float64")
    found = found.replace([np.inf, -np.inf], np.nan).assign(**words)
    return found.sort_values("step", kind="stable").reset_index(drop=True)


def _smoothed(steps: pd.DataFrame, total_steps: int) -> pd.DataFrame:
    """Adds exponential means that remember about a fiftieth of the run; a gap stays a gap."""
    for name in ("loss", "accuracy"):
        mean = steps[name].ewm(halflife=max(2.0, total_steps / 50), ignore_na=True).mean()
        steps = steps.assign(**{f"smooth_{name}": mean.where(steps[name].notna())})
    return steps


def _step_axis(total_steps: int) -> alt.X:
    scale = alt.Scale(domain=[0, max(1, total_steps)], nice=False, zero=False)
    axis = alt.Axis(
        title=None,
        format=",d",
        tickMinStep=1,
        tickCount=alt.ExprRef("max(3, width / 90)"),
        grid=False,
        labelFlush=True,
    )
    return alt.X("step:Q", scale=scale, axis=axis)


def _y(field: str, *, share: bool, right: bool = False) -> alt.Y:
    """An axis with a fixed extent; shares reach from 0 to 100 %, anything else from 0 to what is
    there.
    """
    edge, kind = (RIGHT, "right") if right else (LEFT, "left")
    form = ".0%" if share else ".1e" if right else ".2~f"
    axis = alt.Axis(
        title=None,
        orient=kind,
        format=form,
        minExtent=edge,
        maxExtent=edge,
        labelPadding=6,
        tickCount=5,
        grid=not right,
    )
    return alt.Y(
        f"{field}:Q", scale=alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=True), axis=axis
    )


def _epoch_rules(steps: pd.DataFrame, x: alt.X) -> alt.Chart:
    """A dotted upright line where an epoch begins, except at the left edge."""
    known = _numbers(steps, ["step", "epoch"]).dropna()
    starts = known.assign(epoch=np.floor(known["epoch"])).drop_duplicates("epoch").iloc[1:]
    tooltip = [alt.Tooltip("epoch:Q", title="epoch begins"), alt.Tooltip("step:Q", format=",d")]
    return (
        alt.Chart(starts)
        .mark_rule(color=QUIET, strokeDash=[2, 4], opacity=0.8)
        .encode(x=x, tooltip=tooltip)
    )


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
    guess = alt.Chart(pd.DataFrame({"loss": [math.log(2)], "why": ["guessing: ln 2"]}))
    rule = guess.mark_rule(color=QUIET, strokeWidth=1, opacity=0.6).encode(y="loss:Q")
    label = guess.mark_text(
        color=QUIET, align="right", baseline="bottom", dx=-2, dy=-2, fontSize=11
    )
    rate = (
        _named(drawn, RATE)
        .mark_line(strokeWidth=1)
        .encode(x=x, y=_y("learning_rate", share=False, right=True), color=color)
    )
    lines = _lines(drawn, checks, "loss", x, color, raw=True, smooth=smooth)
    left = [epochs, rule, label.encode(x=alt.value("width"), y="loss:Q", text="why:N"), *lines]
    return _panel("Loss, by step", left, rate, height)


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
    return _panel("Accuracy, by step", [epochs, *lines], _mirror(visible=False), height)


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
    share, check = what == "accuracy", _named(checks, VALIDATED)
    y, smooth_y = _y(what, share=share), _y(f"smooth_{what}", share=share)
    each = (
        [_named(drawn, EACH_STEP).mark_line(strokeWidth=1).encode(x=x, y=y, color=color)]
        if raw
        else []
    )
    mean = (
        [_named(drawn, TRAINED).mark_line(strokeWidth=2.5).encode(x=x, y=smooth_y, color=color)]
        if smooth
        else []
    )
    hover = (
        alt.Chart(drawn)
        .mark_circle(size=40, opacity=0)
        .encode(x=x, y=smooth_y if smooth and not raw else y, tooltip=_STEP_TIP)
    )
    line = check.mark_line(strokeWidth=1.5, strokeDash=[5, 3]).encode(x=x, y=y, color=color)
    points = check.mark_point(shape="diamond", size=70, filled=True, opacity=1).encode(
        x=x, y=y, color=color, tooltip=_CHECK_TIP
    )
    return [*each, *mean, hover, line, points]


def _mirror(*, visible: bool) -> alt.Chart:
    """A right axis in per cent, which also keeps the panel's edge like that of the loss panel; its
    rule lies at one half.
    """
    half = alt.Chart(pd.DataFrame({"half": [0.5]}))
    return half.mark_rule(color=QUIET, strokeWidth=1, opacity=1 if visible else 0).encode(
        y=_y("half", share=True, right=True)
    )


def _named(frame: pd.DataFrame, name: str) -> alt.Chart:
    """A chart of the frame whose marks take the colour and legend entry of ``name``."""
    return alt.Chart(frame).transform_calculate(line=f"'{name}'")


def _line_colours(names: list[str]) -> alt.Color:
    """The colour of each line by its name; one legend above the panel, in two columns where the
    panel is narrow.
    """
    scale = alt.Scale(domain=names, range=[_LINE_COLOURS[name] for name in names])
    look = alt.Legend(
        title=None,
        orient="top",
        symbolType="stroke",
        symbolStrokeWidth=3,
        columns=alt.ExprRef("width < 520 ? 2 : 4"),
    )
    return alt.Color("line:N", scale=scale, legend=look)


def _panel(title: str, left: list[alt.Chart], right: alt.Chart, height: int) -> alt.LayerChart:
    """Layers that share the left axis and one that has the right axis, under a title."""
    heading = alt.Title(title, anchor="start", frame="group", fontSize=14, offset=4)
    padding = {"left": 0, "top": 4, "right": 0, "bottom": 4}
    chart = alt.layer(
        alt.layer(*left),
        right,
        title=heading,
        height=height + AROUND,
        padding=padding,
        background="transparent",
    )
    return chart.resolve_scale(y="independent")


def _sentence_panel(
    sentinels: pd.DataFrame, epochs: alt.Chart, x: alt.X, total_steps: int, height: int
) -> alt.LayerChart:
    """P(positive) of each pinned sentence, told apart by colour and dash, with a rule at one
    half.
    """
    names = sentence_names(list(dict.fromkeys(sentinels["text"].astype(str)))[:SENTENCES])
    base, y = alt.Chart(_sentence_rows(sentinels, names, total_steps)), _y("p_positive", share=True)
    color, dash = _sentence_looks(list(names.values()))
    lines = base.mark_line(strokeWidth=2).encode(
        x=x, y=y, color=color, strokeDash=dash, detail="sentence:N"
    )
    points = base.mark_circle(size=45, opacity=0).encode(x=x, y=y, tooltip=_SENTENCE_TIP)
    return _panel(
        "P(positive) of the pinned sentences, by step",
        [epochs, lines, points],
        _mirror(visible=True),
        height + 19 * len(names),
    )


def _sentence_rows(
    sentinels: pd.DataFrame, names: dict[str, str], total_steps: int
) -> pd.DataFrame:
    """One row a sentence and step, thinned to the last of each stretch so that all stay below
    ``SENTENCE_POINTS``.
    """
    texts = sentinels["text"].astype(str)
    shown = {text: shorten(text, 200) for text in names}
    rows = _numbers(
        sentinels, ["step", "p_positive"], sentence=texts.map(names), text=texts.map(shown)
    )
    rows = rows[rows["sentence"].notna()]
    stretch = rows["step"] * (SENTENCE_POINTS // max(1, len(names))) // max(1, total_steps)
    kept = ~pd.DataFrame({"sentence": rows["sentence"], "stretch": stretch}).duplicated(keep="last")
    return rows[kept | (len(rows) <= SENTENCE_POINTS)].reset_index(drop=True)


def _sentence_looks(names: list[str]) -> tuple[alt.Color, alt.StrokeDash]:
    """One legend below the panel; colour and dash together are different for each of ``SENTENCES``
    sentences.
    """
    colours = [SENTENCE_COLOURS[i % len(SENTENCE_COLOURS)] for i in range(len(names))]
    dashes = [DASHES[(i + i // len(SENTENCE_COLOURS)) % len(DASHES)] for i in range(len(names))]
    columns = alt.ExprRef("width < 700 ? 1 : 2")
    look = alt.Legend(
        title=None,
        orient="bottom",
        columns=columns,
        labelLimit=300,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )
    color = alt.Color(
        "sentence:N", scale=alt.Scale(domain=names, range=colours), legend=look if names else None
    )
    return color, alt.StrokeDash(
        "sentence:N", scale=alt.Scale(domain=names, range=dashes), legend=look if names else None
    )
