"""What models answer and how often they are right: numbers in, bars, dots and heatmaps out."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.figures.colours import (
    ATTENTION_SCALE,
    CLUSTERS,
    HIGHLIGHT,
    POSITIVE,
    QUIET,
    SAFE,
    UNDECIDED,
    escape,
)
from bertsent.figures.plotly_panels import (
    CATEGORIES,
    FIXED,
    LEGEND_ABOVE,
    error_bars,
    legible,
    on_page,
)
from bertsent.written_numbers import written

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}
MOST_WORDS = 16
_MODEL_MARKS = (("circle", POSITIVE), ("diamond", CLUSTERS[0]), ("square", CLUSTERS[1]))
_HALF = {"line": {"width": 2, "dash": "dot", "color": "#FFFFFF"}}
AccuracyInterval = tuple[float, float, float]  # accuracy and the ends of its interval, 0 to 1


def probability_bar(p_positive: float) -> str:
    """HTML: both probabilities as one bar, NEGATIVE from the left, POSITIVE up to the right, with
    a mark at 50 %. Above it stand their names and per cent, the likelier one in bold.

    Raises:
        BadInput: ``p_positive`` is no probability.
    """
    if not 0.0 <= p_positive <= 1.0:
        raise BadInput(f"{p_positive} is no probability.", "It has to lie between 0 and 1.")
    words, parts = [], []
    for label, share in zip(LABELS, (1 - p_positive, p_positive), strict=True):
        said = f"{label} {100 * share:.1f} %"
        words.append(f"<b>{said}</b>" if share > 0.5 else f"<span>{said}</span>")
        parts.append(f'<i style="width:{100 * share:.1f}%;background:{SAFE.of(label)}"></i>')
    return (
        f'<div class="probability-words">{"".join(words)}</div>'
        f'<div class="probability-bar" aria-hidden="true">{"".join(parts)}</div>'
    )


def answer_bars(
    answers: Mapping[str, float], *, outlined: Sequence[str], notes: Mapping[str, str]
) -> go.Figure:
    """One bar a method, NEGATIVE from the left and POSITIVE up to the right.

    Args:
        answers: P(positive) by method, the first on top.
        outlined: methods with a frame and a ≠: they disagree with another one.
        notes: what stands under a name: "0.4 ms".
    """
    names, figure = list(answers), go.Figure()
    for side, label in enumerate(LABELS):
        shares = [answers[name] if side else 1 - answers[name] for name in names]
        words = [f"{SIGNS[label]} {label} {100 * share:.1f} %" for share in shares]
        figure.add_bar(
            x=shares,
            y=names,
            orientation="h",
            marker={"color": SAFE.of(label)},
            name=label,
            text=[
                f"\u2002{w}\u2002" if p > 0.5 else "" for w, p in zip(words, shares, strict=True)
            ],
            textposition="inside",
            insidetextanchor="end" if side else "start",
            textfont={"color": "#FFFFFF" if side else "#000000", "size": 14},  # WCAG AA
            textangle=0,
            constraintext="none",
            hovertemplate=[
                f"{escape(name)}<br>{said}<extra></extra>"
                for name, said in zip(names, words, strict=True)
            ],
        )
    for place in (names.index(name) for name in outlined):
        figure.add_shape(
            type="rect",
            x0=0,
            x1=1,
            y0=place - 0.4,
            y1=place + 0.4,
            line={"width": 4, "color": HIGHLIGHT},
            layer="above",
        )
    figure.add_vline(x=0.5, **_HALF)
    ticks = []
    for name in names:
        tick = _two_lines(escape(name)) if len(name) > 12 else escape(name)
        tick = f"<b>{tick}</b> ≠" if name in outlined else tick
        ticks.append(f"{tick}<br>{escape(notes.get(name, ''))}")
    figure.update_yaxes(autorange="reversed", tickvals=names, ticktext=ticks, **FIXED)
    figure.update_xaxes(range=[-0.005, 1.005], visible=False, fixedrange=True)
    return on_page(
        figure, 30 + 56 * len(names), (0, 6, 6, 6), barmode="stack", bargap=0.2, showlegend=False
    )


def word_weight_bars(rows: pd.DataFrame, bias: float, score: float) -> go.Figure:
    """Σ wx + b as bars: the heaviest words, the rest in one bar, the bias, and their sum; right is
    positive.

    ``rows`` has word and contribution, the heaviest first.
    """
    shown, rest = rows.head(MOST_WORDS), rows.iloc[MOST_WORDS:]
    bars = [
        (f"{place} {word}", escape(word), weight)
        for place, (word, weight) in enumerate(
            zip(shown["word"], shown["contribution"], strict=True)
        )
    ]
    if len(rest):
        bars.append(("rest", f"{len(rest)} more", float(rest["contribution"].sum())))
    bars += [("bias", "bias b", bias), ("sum", "<b>score</b>", score)]
    names, ticks, values = zip(*bars, strict=True)
    figure = go.Figure(
        go.Bar(
            x=values,
            y=names,
            orientation="h",
            marker={"color": [UNDECIDED if abs(v) < 5e-5 else SAFE.of(int(v > 0)) for v in values]},
            text=[written(v, "+.3f") for v in values],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    quiet = {"width": 1, "color": QUIET}
    figure.add_vline(x=0, line=quiet).add_hline(y=len(names) - 1.5, line=quiet)
    reach = 1.35 * max(map(abs, values)) or 1.0
    figure.update_yaxes(
        autorange="reversed",
        tickvals=names,
        ticktext=ticks,
        type="category",
        showgrid=False,
        **FIXED,
    )
    figure.update_xaxes(
        range=[-reach, reach], title="← negative · positive →", zeroline=False, fixedrange=True
    )
    return on_page(figure, 90 + 28 * len(names), (0, 0, 6, 6), showlegend=False)


def accuracy_dots(
    rows: Sequence[str], models: Mapping[str, Sequence[AccuracyInterval]], notes: Sequence[str] = ()
) -> go.Figure:
    """One row a slice or method, one dot a model, a line for the interval, and a dotted one where
    guessing would lie.

    Args:
        rows: their names, the first on top.
        models: for each model (up to three) one interval a row.
        notes: what follows each name, such as "(1,200)" reviews.
    """
    figure = go.Figure()
    for number, (name, found) in enumerate(models.items()):
        symbol, colour = _MODEL_MARKS[number]
        percent = 100 * np.asarray(found)
        shift = 0.2 * (number - (len(models) - 1) / 2)
        figure.add_scatter(
            x=percent[:, 0].tolist(),
            y=[place + shift for place in range(len(rows))],
            mode="markers",
            name=name,
            marker={"size": 9, "symbol": symbol, "color": colour},
            error_x=error_bars(percent, width=0, color=colour),
            hoverinfo="text",
            hovertext=[
                f"{name}<br>{escape(row)}: {accuracy:.1f} %<br>"
                f"95 % interval {low:.1f} to {high:.1f} %"
                for row, (accuracy, low, high) in zip(rows, percent, strict=True)
            ],
        )
    figure.add_vline(x=50, line={"width": 1, "dash": "dot", "color": QUIET})
    labels = [_two_lines(escape(name)) for name in rows]
    if notes:
        labels = [f"{label} {note}" for label, note in zip(labels, notes, strict=True)]
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=labels,
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    figure.update_xaxes(
        title="right answers, per cent", range=[0, 101], zeroline=False, fixedrange=True
    )
    return on_page(
        figure, 110 + 38 * len(rows), (8, 8, 36, 8), legend=LEGEND_ABOVE, hovermode="closest"
    )


def phenomenon_heatmap(
    table: pd.DataFrame, phenomena: Sequence[str], counts: Mapping[str, int]
) -> go.Figure:
    """Accuracy by method (columns) and phenomenon (rows) as a heatmap with its numbers."""
    shares = table[list(phenomena)].to_numpy(float).T
    words = [[f"{100 * share:.0f}" for share in row] for row in shares]
    rows = [f"{escape(name)} ({counts[name]:,})" for name in phenomena]
    columns = [
        escape(name.replace("logistic regression", "LR").replace("small network", "network"))
        for name in table["method"]
    ]
    figure = _share_heatmap(shares, words, columns, rows, "%{x}<br>%{y}<br>%{text} % right")
    figure.update_traces(textfont_size=14)
    figure.update_xaxes(tickangle=-60, fixedrange=True).update_yaxes(fixedrange=True)
    return on_page(figure, 130 + 30 * len(rows), (0, 0, 90, 6))


def _share_heatmap(
    shares: np.ndarray, words: list[list[str]], columns: list[str], rows: list[str], hover: str
) -> go.Figure:
    figure = go.Figure(
        legible(
            shares,
            1.0,
            words=words,
            x=columns,
            y=rows,
            colorscale=ATTENTION_SCALE,
            zmin=0.0,
            zmax=1.0,
            showscale=False,
            hovertemplate=f"{hover}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", **CATEGORIES)
    return figure.update_xaxes(side="top", **CATEGORIES)


def _two_lines(name: str) -> str:
    """``TF-IDF + logistic regression`` in two lines: names share the page with the figure."""
    return name.replace(" + ", " +<br>", 1)
