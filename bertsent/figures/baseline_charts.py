"""What several classifiers say of one review, why one of them says it, and how good they are: plain
numbers in, Plotly figures out.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bertsent.data.examples import LABELS
from bertsent.figures.colours import (
    ATTENTION_SCALE,
    CLEAR,
    HIGHLIGHT,
    QUIET,
    SAFE,
    UNDECIDED,
    escape,
)
from bertsent.figures.head_tiles import legible

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}
MOST_WORDS = 16


def answer_bars(
    answers: Mapping[str, float],
    *,
    outlined: Sequence[str] = (),
    notes: Mapping[str, str] | None = None,
) -> go.Figure:
    """One bar a method, NEGATIVE from the left and POSITIVE up to the right.

    Args:
        answers: P(positive) by method, the first on top.
        outlined: methods with a frame and a ≠: they disagree with another one.
        notes: what stands under a name: "0.4 ms".
    """
    names = list(answers)
    figure = go.Figure()
    for side, label in enumerate(LABELS):
        shares = [answers[name] if side else 1 - answers[name] for name in names]
        figure.add_bar(
            x=shares,
            y=names,
            orientation="h",
            marker={"color": SAFE.of(label)},
            name=label,
            text=[f"\u2002{_say(label, share)}\u2002" if share > 0.5 else "" for share in shares],
            textposition="inside",
            insidetextanchor="end" if side else "start",
            textfont={"color": "#FFFFFF", "size": 14},
            textangle=0,
            constraintext="none",
            hovertemplate=[
                f"{escape(name)}<br>{_say(label, share)}<extra></extra>"
                for name, share in zip(names, shares, strict=True)
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
    figure.add_vline(x=0.5, line={"width": 2, "dash": "dot", "color": "#FFFFFF"})
    ticks = [
        f"<b>{_two_lines(escape(name))}</b> ≠" if name in outlined else _two_lines(escape(name))
        for name in names
    ]
    ticks = [
        f"{tick}<br>{escape((notes or {}).get(name, ''))}"
        for tick, name in zip(ticks, names, strict=True)
    ]
    figure.update_yaxes(
        autorange="reversed", tickvals=names, ticktext=ticks, automargin=True, fixedrange=True
    )
    figure.update_xaxes(range=[-0.005, 1.005], visible=False, fixedrange=True)
    return figure.update_layout(
        barmode="stack",
        bargap=0.2,
        height=30 + 56 * len(names),
        showlegend=False,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 0, "r": 6, "t": 6, "b": 6},
    )


def word_weight_bars(rows: pd.DataFrame, bias: float, score: float) -> go.Figure:
    """Σ wx + b as bars: the heaviest words, the rest in one bar, the bias, and their sum; right is
    positive.

    ``rows`` has word and contribution, the heaviest first.
    """
    shown = rows.head(MOST_WORDS)
    names = [f"{place} {word}" for place, word in enumerate(shown["word"])]
    values, ticks = list(shown["contribution"]), [escape(word) for word in shown["word"]]
    if len(rows) > MOST_WORDS:
        names.append("rest")
        values.append(float(rows["contribution"].iloc[MOST_WORDS:].sum()))
        ticks.append(f"{len(rows) - MOST_WORDS} more")
    names, values, ticks = (
        [*names, "bias", "sum"],
        [*values, bias, score],
        [*ticks, "bias b", "<b>score</b>"],
    )
    colours = [UNDECIDED if abs(v) < 5e-5 else SAFE.of(int(v > 0)) for v in values]
    figure = go.Figure()
    figure.add_bar(
        x=values,
        y=names,
        orientation="h",
        marker={"color": colours},
        text=[f"{v:+.3f}".replace("-", "−") for v in values],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    figure.add_vline(x=0, line={"width": 1, "color": QUIET})
    figure.add_hline(y=len(names) - 1.5, line={"width": 1, "color": QUIET})
    reach = 1.35 * max((abs(v) for v in values), default=1.0) or 1.0
    figure.update_yaxes(
        autorange="reversed",
        tickvals=names,
        ticktext=ticks,
        type="category",
        automargin=True,
        fixedrange=True,
        showgrid=False,
    )
    figure.update_xaxes(
        range=[-reach, reach], title="← negative · positive →", zeroline=False, fixedrange=True
    )
    return figure.update_layout(
        height=90 + 28 * len(names),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 0, "r": 0, "t": 6, "b": 6},
        showlegend=False,
    )


def phenomenon_heatmap(
    table: pd.DataFrame, phenomena: Sequence[str], counts: Mapping[str, int]
) -> go.Figure:
    """Accuracy by method (columns) and phenomenon (rows) as a heatmap with its numbers."""
    shares = np.array([[row[name] for _, row in table.iterrows()] for name in phenomena], float)
    words = [[f"{100 * share:.0f}" for share in row] for row in shares]
    rows = [f"{escape(name)} ({counts[name]:,})" for name in phenomena]
    columns = [
        escape(name.replace("logistic regression", "LR").replace("small network", "network"))
        for name in table["method"]
    ]
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
            hovertemplate="%{x}<br>%{y}<br>%{text} % right<extra></extra>",
        )
    )
    figure.update_traces(textfont_size=14)
    figure.update_xaxes(
        side="top", type="category", tickangle=-60, automargin=True, fixedrange=True
    )
    figure.update_yaxes(autorange="reversed", type="category", automargin=True, fixedrange=True)
    return figure.update_layout(
        height=130 + 30 * len(rows),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 0, "r": 0, "t": 90, "b": 6},
    )


def _say(label: str, share: float) -> str:
    return f"{SIGNS[label]} {label} {100 * share:.1f} %"


def _two_lines(name: str) -> str:
    """``TF-IDF + logistic regression`` in two lines: names share the page with the bars."""
    return name.replace(" + ", " +<br>", 1) if len(name) > 12 else name
