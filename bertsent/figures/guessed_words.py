"""Words for a gap with their probabilities in, bars out; the same over the checkpoints of a run as
lines.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.colours import CLUSTERS, HIGHLIGHT, QUIET, escape
from bertsent.figures.plotly_panels import FAINT, FIXED, LEGEND_ABOVE, error_bars, on_page
from bertsent.probing.fill_mask import written_chance

GUESSED, TRUE = CLUSTERS[2], HIGHLIGHT  # no sentiments
ROW, LETTERS = 24, 20  # pixels of a bar; of a word beside it
COLOURS = (CLUSTERS[0], CLUSTERS[1], CLUSTERS[2], CLUSTERS[4], CLUSTERS[7], CLUSTERS[5])
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def guess_bars(
    words: Sequence[tuple[str, float]],
    *,
    truth: tuple[str, float, int] | None = None,
    reach: float | None = None,
) -> go.Figure:
    """One bar a word, the likeliest on top; the true word has a star and another colour, and a row
    of its own with its rank below the others where it is not among them.

    Args:
        words: word pieces with their probabilities, the likeliest first.
        truth: the true word, its probability and its rank, where they are known.
        reach: the probability at the end of the axis, so that two figures can be compared.
    """
    rows = [(word, p, truth is not None and word == truth[0]) for word, p in words]
    names = [f"★ {_cut(word)}" if true else _cut(word) for word, _, true in rows]
    if truth is not None and not any(true for _, _, true in rows):
        rows.append((truth[0], truth[1], True))
        names.append(f"★ {_cut(truth[0])}, rank {truth[2]:,}")
    places = [str(number) for number in range(len(rows))]
    figure = go.Figure(
        go.Bar(
            x=[p for _, p, _ in rows],
            y=places,
            orientation="h",
            marker={"color": [TRUE if true else GUESSED for _, _, true in rows]},
            text=[written_chance(p) for _, p, _ in rows],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=[f"{escape(word)}: {p:.4%}<extra></extra>" for word, p, _ in rows],
        )
    )
    figure.update_yaxes(
        autorange="reversed",
        type="category",
        tickvals=places,
        ticktext=[escape(name) for name in names],
        showgrid=False,
        **FIXED,
    )
    end = reach or max(p for _, p, _ in rows)
    figure.update_xaxes(
        range=[0, 1.25 * end], tickformat=".0%", nticks=5, gridcolor=FAINT, zeroline=False, **FIXED
    )
    return on_page(figure, 44 + ROW * len(rows), (0, 6, 4, 22), bargap=0.25, showlegend=False)


def guess_lines(
    steps: Sequence[int],
    titles: Sequence[str],
    chances: Mapping[str, np.ndarray],
    truth: str,
    chosen: int,
) -> go.Figure:
    """A line for each word over the checkpoints, on a logarithmic axis; the true word is bold, and
    the chosen checkpoint is marked.

    Args:
        steps: of the checkpoints (n,).
        titles: what they are called.
        chances: probabilities (n,) by word.
        truth: the true word, empty where it is not known.
        chosen: a place among the steps.
    """
    figure = go.Figure()
    others = [word for word in chances if word != truth]
    for word, values in chances.items():
        true = word == truth
        number = 0 if true else others.index(word)
        figure.add_scatter(
            x=list(steps),
            y=np.asarray(values),
            name=escape(f"★ {_cut(word)}" if true else _cut(word)),
            mode="lines+markers",
            line={
                "color": TRUE if true else COLOURS[number % len(COLOURS)],
                "width": 4 if true else 2,
                "dash": "solid" if true else DASHES[(number + bool(truth)) % len(DASHES)],
            },
            customdata=list(titles),
            hovertemplate=f"{escape(word)}, %{{customdata}}: %{{y:.3%}}<extra></extra>",
        )
    figure.add_vline(x=steps[chosen], line={"color": QUIET, "dash": "dot"})
    few = len(steps) <= 6
    ticks = {"tickvals": list(steps), "ticktext": list(titles)} if few else {"tickformat": ","}
    figure.update_xaxes(title="" if few else "step", gridcolor=FAINT, **ticks, **FIXED)
    figure.update_yaxes(
        title="probability", type="log", tickformat=".2~%", dtick=1, gridcolor=FAINT, **FIXED
    )
    return on_page(figure, 320, (0, 10, 10, 10), legend=LEGEND_ABOVE)


def labels_figure(
    labels: Sequence[int], scores: np.ndarray, *, tuned: float, floor: float, name: str
) -> go.Figure:
    """Accuracy over the number of labelled reviews that were learned from.

    Args:
        labels: (n,) from few to many.
        scores: (n, 3) accuracies with both ends of their intervals.
        tuned: accuracy of the fine-tuned model.
        floor: share of the majority class.
        name: of the fine-tuned model.
    """
    figure = go.Figure(
        go.Scatter(
            x=list(labels),
            y=scores[:, 0],
            mode="lines+markers+text",
            error_y=error_bars(scores),
            line={"color": GUESSED, "width": 3},
            marker={"size": 10},
            text=[f"{100 * value:.0f} %" for value in scores[:, 0]],
            textposition="top left",
            cliponaxis=False,
            hovertemplate="%{x:,} labels: %{y:.1%}<extra></extra>",
        )
    )
    for value, said, dash in ((tuned, name, "dash"), (floor, "majority class", "dot")):
        figure.add_hline(
            value,
            line={"color": QUIET, "dash": dash},
            annotation={"text": f"{escape(said)}: {100 * value:.1f} %"},
            annotation_position="top left" if said == name else "bottom right",
        )
    low = max(0.0, min(float(scores[:, 1].min()), floor) - 0.06)
    ticks = {"tickvals": list(labels), "ticktext": [f"{count:,}" for count in labels]}
    figure.update_xaxes(
        title="labelled reviews it learned from", type="log", gridcolor=FAINT, **ticks, **FIXED
    )
    figure.update_yaxes(
        title="accuracy", tickformat=".0%", range=[low, 1], gridcolor=FAINT, **FIXED
    )
    return on_page(figure, 340, (0, 20, 10, 10), showlegend=False)


def _cut(word: str) -> str:
    return word if len(word) <= LETTERS else word[: LETTERS - 1] + "…"
