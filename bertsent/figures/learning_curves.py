"""The curves of a run while it learns: frames of its events in, Altair charts out that lie on one
step axis.

Everything that changes while a run lives is in the data, never in the specification, so Streamlit
replaces rows in place and keeps the chart it has.
"""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.figures.altair_panels import (
    DASHES,
    LEFT,
    RIGHT,
    STEP_TIP,
    edge_axis,
    layered,
    legend,
    level,
    named_level,
    named_scale,
    series_looks,
    share_scale,
    step_axis,
    tips,
    two_axis_panel,
)
from bertsent.figures.colours import QUIET, TRAINING, VALIDATION
from bertsent.tasks.followed import P_POSITIVE, FollowedAnswer
from bertsent.tasks.measure import ACCURACY, Measure
from bertsent.training.config import MAX_GRADIENT_NORM
from bertsent.training.curves.series import (
    finite_numbers,
    last_of_stretches,
    sentinel_flips,
    smoothed,
    thinned,
)

# for all sentinels together; above 2,000 marks Streamlit leaves SVG for canvas
SENTINEL_POINTS = 1500
SENTINELS = 12
TRAINED, EACH_STEP, VALIDATED, RATE = (
    "training",
    "each step",
    "validation",
    "rate (right)",
)
_TURNS = ("triangle-down", "triangle-up")
EACH_NORM, SMOOTH_NORM, ENCODER, HEAD = "each step", "smoothed", "encoder", "head"
_LINE_COLOURS = {
    TRAINED: TRAINING,
    EACH_STEP: "#7CC5AE",
    VALIDATED: VALIDATION,
    RATE: QUIET,
    EACH_NORM: "#7CC5AE",
    SMOOTH_NORM: TRAINING,
    ENCODER: TRAINING,
    HEAD: VALIDATION,
}
_QUARTERS = [0, 0.25, 0.5, 0.75, 1]
_NORM_MARKS = [m * 10.0**e for e in range(-4, 5) for m in (1, 3)]
_RATE_TIP = alt.Tooltip("learning_rate:Q", title="learning rate", format=".2e")
_MACRO_TIP = alt.Tooltip("macro_f1:Q", title="macro-F1", format=".3f")


class LearningCurves(NamedTuple):
    """Three charts, to be shown with ``width="stretch"``: loss and accuracy side by side, sentinels
    below them.
    """

    loss: alt.LayerChart
    accuracy: alt.LayerChart
    sentinels: alt.LayerChart


class GradientCharts(NamedTuple):
    """Two charts, to be shown with ``width="stretch"`` one under the other, below the learning
    curves.
    """

    gradient: alt.LayerChart
    rates: alt.LayerChart


def learning_curves(
    steps: pd.DataFrame,
    evaluations: pd.DataFrame,
    sentinels: pd.DataFrame,
    *,
    total_steps: int,
    smooth: bool = True,
    height: int = 240,
    measure: Measure = ACCURACY,
    followed: FollowedAnswer = P_POSITIVE,
) -> LearningCurves:
    """Loss with the learning rate, accuracy or what else is the ``measure``, and P(positive) of the
    sentinels, or by what else they are ``followed``, all over the steps of one run.

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
    rows = _sentence_rows(sentinels, names, total_steps, followed)
    return LearningCurves(
        _measure_panel("loss", drawn, checks, epochs, x, smooth, height, measure),
        _measure_panel("accuracy", drawn, checks, epochs, x, smooth, height, measure),
        _sentence_panel(rows, list(names.values()), epochs, x, height, followed),
    )


def gradient_charts(steps: pd.DataFrame, *, total_steps: int, height: int = 160) -> GradientCharts:
    """Gradient norm, with a rule where it is clipped, and the learning rates of encoder and head.

    The norm is drawn on a logarithmic axis, for it may jump a hundredfold. The rates are straight
    lines by design and have an axis each: the head's is often twenty times larger.

    ``steps`` has step, loss, grad_norm, learning_rate (the encoder's), head_learning_rate; it may
    be empty. What is missing, zero or not finite leaves a gap. Long runs are thinned like the loss,
    by the lowest and the highest norm of a stretch.
    """
    columns = ["step", "loss", "grad_norm", "learning_rate", "head_learning_rate"]
    found = finite_numbers(steps, columns)
    positive = found.where(found > 0).assign(step=found["step"])
    smooth = np.exp(smoothed(np.log(positive["grad_norm"]), total_steps))
    norms = thinned(positive.assign(smooth=smooth), total_steps, by="grad_norm")
    x = step_axis(total_steps)
    return GradientCharts(
        _norm_panel(norms.drop(columns="loss"), x, height),
        _rates_panel(thinned(positive, total_steps), x, height),
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


def _panel_title(what: str, measure: Measure) -> str:
    if what != "accuracy":
        return f"{what.capitalize()}, by step"
    return f"{measure.title}{f' (training: {measure.training})' * bool(measure.training)}, by step"


def _step_tip(measure: Measure) -> list[alt.Tooltip]:
    name = measure.training or measure.title.lower()
    measured = alt.Tooltip("accuracy:Q", title=name, format=measure.form)
    return [STEP_TIP, *tips(".3f", "loss"), measured, _RATE_TIP]


def _check_tip(measure: Measure) -> list[alt.Tooltip]:
    measured = alt.Tooltip("accuracy:Q", title=measure.title.lower(), format=measure.form)
    return [STEP_TIP, *tips(".3f", "loss"), measured, _MACRO_TIP]


def _y(field: str, *, share: bool, right: bool = False, measure: Measure = ACCURACY) -> alt.Y:
    """An axis with a fixed extent; shares reach from 0 to 100 %, a measure that may be below 0 from
    its lowest, with 0 among its ticks, anything else from 0 to what is there.
    """
    below = share and measure.lowest < 0
    axis = edge_axis(
        RIGHT if right else LEFT,
        orient="right" if right else "left",
        format=".0%" if share and measure.percent else ".1e" if right and not share else ".2~f",
        grid=not right,
        **({"values": _QUARTERS} if below else {}),
    )
    whole = alt.Scale(domain=[measure.lowest, 1], clamp=True) if below else share_scale()
    return alt.Y(f"{field}:Q", scale=whole if share else alt.Scale(zero=True), axis=axis)


def _epoch_rules(steps: pd.DataFrame, x: alt.X) -> alt.Chart:
    """A dotted upright line where an epoch begins, except at the left edge."""
    known = finite_numbers(steps, ["step", "epoch"]).dropna()
    starts = known.assign(epoch=np.floor(known["epoch"])).drop_duplicates("epoch").iloc[1:]
    rules = alt.Chart(starts).mark_rule(color=QUIET, strokeDash=[2, 4], opacity=0.8)
    return rules.encode(x=x, tooltip=[alt.Tooltip("epoch:Q", title="epoch begins"), STEP_TIP])


def _measure_panel(
    what: str,
    drawn: pd.DataFrame,
    checks: pd.DataFrame,
    epochs: alt.Chart,
    x: alt.X,
    smooth: bool,
    height: int,
    measure: Measure,
) -> alt.LayerChart:
    """Training lines with points to hover, validation line and points. The loss has the learning
    rate on the right axis, and a rule at the loss of guessing, for two labels ln 2.
    """
    share = what == "accuracy"
    each = not (share and smooth)  # the loss of each step is seen behind the smoothed one
    lines = {TRAINED: smooth, EACH_STEP: each, VALIDATED: True, RATE: not share}
    color, y = (
        _line_colours([name for name, shown in lines.items() if shown]),
        _y(what, share=share, measure=measure),
    )
    smooth_y = _y(f"smooth_{what}", share=share, measure=measure)
    check = _named(checks, VALIDATED).encode(x=x, y=y, color=color)
    hover = alt.Chart(drawn).mark_circle(size=40, opacity=0)
    layers = [epochs]
    if not share and measure.guessing is not None:
        layers += named_level("loss", measure.guessing, f"guessing: {measure.guess}", y)
    if each:
        line = _named(drawn, EACH_STEP).mark_line(strokeWidth=1)
        layers.append(line.encode(x=x, y=y, color=color))
    if smooth:
        line = _named(drawn, TRAINED).mark_line(strokeWidth=2.5)
        layers.append(line.encode(x=x, y=smooth_y, color=color))
    layers += [
        hover.encode(x=x, y=y if each else smooth_y, tooltip=_step_tip(measure)),
        check.mark_line(strokeWidth=1.5, strokeDash=[5, 3]),
        check.mark_point(shape="diamond", size=70, filled=True, opacity=1).encode(
            tooltip=_check_tip(measure)
        ),
    ]
    right = _half(0, measure)
    if not share:
        rate = _y("learning_rate", share=False, right=True)
        right = _named(drawn, RATE).mark_line(strokeWidth=1).encode(x=x, y=rate, color=color)
    return two_axis_panel(_panel_title(what, measure), layers, right, height)


def _sentence_panel(
    rows: pd.DataFrame,
    names: list[str],
    epochs: alt.Chart,
    x: alt.X,
    height: int,
    followed: FollowedAnswer,
) -> alt.LayerChart:
    score = alt.Tooltip("p_positive:Q", title=followed.title, format=".1%")
    tip = [alt.Tooltip("text:N"), STEP_TIP, score]
    look = legend(
        orient="bottom",
        columns=alt.ExprRef("width < 700 ? 1 : width < 1000 ? 2 : 3"),
        offset=6,
        labelLimit=300,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=2,
    )
    color, dash = series_looks("sentence", names, DASHES, look)
    base = alt.Chart(rows).encode(x=x, y=_y("p_positive", share=True))
    line = base.mark_line(strokeWidth=2).encode(color=color, strokeDash=dash, detail="sentence:N")
    points = base.mark_circle(size=45, opacity=0).encode(tooltip=tip)
    shapes = dict(zip(followed.sides, _TURNS, strict=True))
    turned = alt.Shape("turned:N", scale=named_scale(shapes), legend=None)
    marks = base.transform_filter("datum.turned").mark_point(size=110, filled=True, opacity=1)
    flips = marks.encode(color=color, shape=turned)
    flips = flips.encode(tooltip=[alt.Tooltip("turned:N", title="became"), *tip])
    title = f"Sentinels by step, {followed.title}; ▲ ▼ flips"
    tall = height + 19 * -(-len(names) // 2)
    return two_axis_panel(title, [epochs, line, points, flips], _half(1), tall)


def _sentence_rows(
    sentinels: pd.DataFrame, names: dict[str, str], total_steps: int, followed: FollowedAnswer
) -> pd.DataFrame:
    texts = sentinels["text"].astype(str)
    shown = {text: shorten(text, 200) for text in names}
    turned = _turns(sentinels, followed)
    words = {"sentence": texts.map(names), "text": texts.map(shown), "turned": turned}
    rows = finite_numbers(sentinels, ["step", "p_positive"], **words)
    rows = rows[rows["sentence"].notna()]
    few = last_of_stretches(rows, "sentence", SENTINEL_POINTS, total_steps)
    together = pd.concat([few, rows[rows["turned"] != ""]], ignore_index=True)
    return together.drop_duplicates(["step", "sentence"]).sort_values("step", kind="stable")


def _turns(sentinels: pd.DataFrame, followed: FollowedAnswer) -> pd.Series:
    """What the answer to the sentence of each row became there; empty where it stayed."""
    flips = sentinel_flips(sentinels, followed.sides)
    became = dict(
        zip(zip(flips["step"], flips["text"], strict=True), flips["to_label"], strict=True)
    )
    keys = zip(sentinels["step"], sentinels["text"], strict=True)
    return pd.Series([became.get(key, "") for key in keys], index=sentinels.index, dtype=object)


def _norm_panel(norms: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    y, smooth_y = (
        alt.Y(
            f"{field}:Q",
            scale=alt.Scale(type="log"),
            axis=edge_axis(values=_NORM_MARKS, format="~g", labelOverlap=True),
        )
        for field in ("grad_norm", "smooth")
    )
    color, base = _line_colours([SMOOTH_NORM, EACH_NORM]), alt.Chart(norms)
    tip = [STEP_TIP, alt.Tooltip("grad_norm:Q", title="gradient norm", format=".3g")]
    each, mean = _named(norms, EACH_NORM), _named(norms, SMOOTH_NORM)
    layers = [
        *named_level("grad_norm", MAX_GRADIENT_NORM, f"clipped above {MAX_GRADIENT_NORM:g}", y),
        each.mark_line(strokeWidth=1).encode(x=x, y=y, color=color),
        mean.mark_line(strokeWidth=2.5).encode(x=x, y=smooth_y, color=color),
        base.mark_circle(size=40, opacity=0).encode(x=x, y=y, tooltip=tip),
    ]
    # nothing, but as wide as the right axis of the other curves
    hidden = edge_axis(RIGHT, orient="right", labels=False, ticks=False, domain=False, grid=False)
    right = level(0.5, "half", opacity=0).encode(y=alt.Y("half:Q", axis=hidden))
    return two_axis_panel("Gradient norm, by step", layers, right, height)


def _rates_panel(steps: pd.DataFrame, x: alt.X, height: int) -> alt.LayerChart:
    color, sides = _line_colours([ENCODER, HEAD]), []
    for name, field, dash, edge, side in (
        (ENCODER, "learning_rate", [1, 0], LEFT, "left"),
        (HEAD, "head_learning_rate", [6, 3], RIGHT, "right"),
    ):
        axis = edge_axis(
            edge,
            orient=side,
            format=".1e",
            labelPadding=3,
            tickCount=4,
            labelColor=_LINE_COLOURS[name],
            grid=side == "left",
        )
        y = alt.Y(f"{field}:Q", scale=alt.Scale(zero=True), axis=axis)
        tip = [STEP_TIP, alt.Tooltip(f"{field}:Q", title=f"rate of the {name}", format=".2e")]
        line = _named(steps, name).mark_line(strokeWidth=2, strokeDash=dash)
        points = alt.Chart(steps).mark_circle(size=40, opacity=0)
        sides.append(
            layered(line.encode(x=x, y=y, color=color), points.encode(x=x, y=y, tooltip=tip))
        )
    return two_axis_panel(
        "Learning rates, by step: encoder (left axis), head (right axis)",
        [sides[0]],
        sides[1],
        height,
    )


def _half(opacity: float, measure: Measure = ACCURACY) -> alt.Chart:
    """A rule at one half on a right axis like the left one, which keeps the panel's edge like that
    of the loss panel.
    """
    y = _y("half", share=True, right=True, measure=measure)
    return level(0.5, "half", opacity=opacity).encode(y=y)


def _named(frame: pd.DataFrame, name: str) -> alt.Chart:
    """A chart of the frame whose marks take the colour and legend entry of ``name``."""
    return alt.Chart(frame).transform_calculate(line=f"'{name}'")


def _line_colours(names: list[str]) -> alt.Color:
    """The colour of each line by its name; one legend above the panel, in two columns where the
    panel is narrow.
    """
    scale = named_scale({name: _LINE_COLOURS[name] for name in names})
    look = legend(
        symbolType="stroke",
        symbolStrokeWidth=3,
        offset=8,
        columns=alt.ExprRef("width < 440 ? 2 : 4"),
    )
    return alt.Color("line:N", scale=scale, legend=look)
