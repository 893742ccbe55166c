"""Gradients at words, matches of filters, reading orders and the years before BERT as figures."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from bertsent.figures.attention_axes import category_axes
from bertsent.figures.colours import ATTENTION_SCALE, CLUSTERS, HIGHLIGHT, LESS, MORE, QUIET, escape
from bertsent.figures.plotly_panels import (
    FAINT,
    FIXED,
    LEGEND_ABOVE,
    colour_bar,
    legible,
    on_page,
)
from bertsent.probing.before_bert.history import LANES, MILESTONES
from bertsent.probing.before_bert.reading_order import (
    FROM_LEFT,
    FROM_RIGHT,
    ITSELF,
    MEANING,
    ORDERS,
    TOGETHER,
    UNSEEN,
    ReadingOrder,
)
from bertsent.written_numbers import written

ROW = 52  # pixels of a network's row; on a projector its name takes two lines
NUMBERED = 14  # up to so many words numbers are printed
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "solid")
LINES = (CLUSTERS[2], CLUSTERS[0], CLUSTERS[1], CLUSTERS[7], "#0072B2", CLUSTERS[4])
_CODES = {
    UNSEEN: "rgba(138,138,138,0.12)",
    ITSELF: QUIET,
    FROM_LEFT: CLUSTERS[2],
    FROM_RIGHT: CLUSTERS[1],
    TOGETHER: CLUSTERS[0],
}


def reach_heatmap(shares: Mapping[str, np.ndarray], words: Sequence[str]) -> go.Figure:
    """One row a network, one column a word, coloured by each word's share of the gradient (T,)
    beside the largest of its row, so that rows can be compared; hovering shows the share.
    """
    matrix = np.array(list(shares.values()))
    largest = matrix.max(axis=1, keepdims=True)
    printed = None
    if len(words) <= NUMBERED:
        printed = [[f"{100 * share:.0f}" for share in row] for row in matrix]
    cells = legible(
        matrix / np.where(largest > 0, largest, 1),
        1.0,
        words=printed,
        colorscale=ATTENTION_SCALE,
        zmin=0.0,
        zmax=1.0,
        colorbar=colour_bar("share of the gradient, beside the row’s largest", tickformat=".0%"),
    )
    names = [escape(name) for name in shares]
    hover = "%{y}<br>%{x}<br>%{customdata:.1%} of its gradient<extra></extra>"
    places = [f"{place} {escape(word)}" for place, word in enumerate(words, start=1)]
    figure = go.Figure(
        [cell.update(x=places, y=names, customdata=matrix, hovertemplate=hover) for cell in cells]
    )
    across = {"tickangle": None, "autotickangles": [-45, -90]}  # as many words as there is room for
    down = {"tickvals": list(range(len(names))), "ticktext": _two_lines(names)}
    category_axes(figure, across, down, height=ROW * len(names) + 122, top=70)
    return figure


def mean_reach_lines(found: Mapping[str, np.ndarray]) -> go.Figure:
    """A line a network: the share of its gradient (P,) in each stretch of the reviews, and a rule
    where all words would count alike.
    """
    figure = go.Figure()
    for number, (name, shares) in enumerate(found.items()):
        figure.add_scatter(
            x=[(place + 0.5) / len(shares) for place in range(len(shares))],
            y=shares,
            name=escape(name),
            mode="lines+markers",
            line={"color": LINES[number % len(LINES)], "dash": DASHES[number % len(DASHES)]},
            hovertemplate=f"{escape(name)}: %{{y:.1%}}<extra></extra>",
        )
    even = 1 / len(next(iter(found.values())))
    figure.add_hline(y=even, line={"color": QUIET, "width": 1, "dash": "dot"})
    figure.update_xaxes(
        title="place in the review",
        range=[0, 1],
        tickvals=[0.06, 0.5, 0.94],
        ticktext=["first words", "middle", "last words"],
        gridcolor=FAINT,
        **FIXED,
    )
    figure.update_yaxes(
        title="share of the gradient",
        rangemode="tozero",
        tickformat=".0%",
        gridcolor=FAINT,
        **FIXED,
    )
    return on_page(figure, 360, (0, 10, 10, 10), legend=LEGEND_ABOVE)


def filter_bars(names: Sequence[str], contributions: Sequence[float], chosen: int) -> go.Figure:
    """What each filter adds to the logit, the first on top; the bar of ``chosen``, from 0, is
    outlined.
    """
    colours = [MORE if value >= 0 else LESS for value in contributions]
    widths = [3 if place == chosen else 0 for place in range(len(names))]
    figure = go.Figure(
        go.Bar(
            x=list(contributions),
            y=list(range(len(names))),
            orientation="h",
            marker={"color": colours, "line": {"color": HIGHLIGHT, "width": widths}},
            text=[written(value, "+.2f") for value in contributions],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    reach = 1.3 * max(map(abs, contributions), default=1.0) or 1.0
    figure.update_xaxes(title="adds to the logit of POSITIVE", range=[-reach, reach], **FIXED)
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[escape(name) for name in names],
        autorange="reversed",
        showgrid=False,
        **FIXED,
    )
    return on_page(figure, 26 * len(names) + 70, (0, 10, 10, 10), showlegend=False)


def feature_map(places: Sequence[str], matches: np.ndarray) -> go.Figure:
    """The matches of one filter at every place, its one maximum in another colour."""
    best = int(matches.argmax())
    figure = go.Figure(
        go.Bar(
            x=[f"{number} {escape(words)}" for number, words in enumerate(places, start=1)],
            y=matches,
            marker={
                "color": [HIGHLIGHT if n == best else CLUSTERS[2] for n in range(len(matches))]
            },
            hovertemplate="%{x}: %{y:.2f}<extra></extra>",
        )
    )
    figure.update_xaxes(type="category", tickangle=-45, **FIXED)
    figure.update_yaxes(title="match", rangemode="tozero", gridcolor=FAINT, **FIXED)
    return on_page(figure, 300, (0, 10, 10, 10), showlegend=False)


def reading_orders(words: Sequence[str], *, orders: Sequence[ReadingOrder] = ORDERS) -> go.Figure:
    """One small square a kind of network: row by row what a word's vector knows of the words, in
    the colours of ``MEANING``.
    """
    columns = 4
    rows = -(-len(orders) // columns)
    titles = [f"<b>{escape(order.models)}</b>" for order in orders]
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=titles,
        vertical_spacing=0.2,
        horizontal_spacing=0.05,
    )
    for number, order in enumerate(orders):
        place = {"row": number // columns + 1, "col": number % columns + 1}
        figure.add_trace(_square(order, words), **place)
        figure.update_xaxes(
            showticklabels=place["row"] == rows or number + columns >= len(orders), **place
        )
        figure.update_yaxes(showticklabels=place["col"] == 1, autorange="reversed", **place)
    ticks = {"tickvals": list(range(len(words))), "ticktext": [escape(word) for word in words]}
    figure.update_xaxes(**ticks, tickangle=-60, showgrid=False, zeroline=False, **FIXED)
    figure.update_yaxes(**ticks, showgrid=False, zeroline=False, **FIXED)
    for code, meaning in MEANING.items():
        marker = {"symbol": "square", "size": 11, "color": _CODES[code]}
        figure.add_scatter(x=[None], y=[None], mode="markers", marker=marker, name=meaning)
    figure.update_annotations(font_size=12)
    legend = {"orientation": "h", "x": 0, "y": -0.12, "yanchor": "top"}
    return on_page(figure, 210 * rows + 110, (0, 0, 50, 10), legend=legend)


def history_figure() -> go.Figure:
    """The five models from left to right by date, each in the lane of how it reads."""
    figure = go.Figure()
    lanes = list(LANES)
    colours = (QUIET, CLUSTERS[2], CLUSTERS[1], CLUSTERS[0])
    for lane in lanes:
        figure.add_hline(y=lane, line={"color": FAINT, "width": 22}, layer="below")
    figure.add_scatter(
        x=list(range(len(MILESTONES))),
        y=[each.reads for each in MILESTONES],
        mode="lines+markers+text",
        line={"color": FAINT, "width": 1},
        marker={"size": 20, "color": [colours[each.reads] for each in MILESTONES]},
        text=[f"<b>{escape(each.name)}</b>" for each in MILESTONES],
        textposition="top center",
        customdata=[[each.date, each.network, each.objective] for each in MILESTONES],
        hovertemplate="%{text}, %{customdata[0]}<br>%{customdata[1]}<br>%{customdata[2]}"
        "<extra></extra>",
        cliponaxis=False,
    )
    figure.update_xaxes(
        tickvals=list(range(len(MILESTONES))),
        ticktext=[each.date.replace(" ", "<br>") for each in MILESTONES],
        range=[-0.4, len(MILESTONES) - 0.6],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    figure.update_yaxes(
        tickvals=lanes,
        ticktext=_two_lines([LANES[lane] for lane in lanes]),
        range=[-0.5, len(lanes) - 0.3],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    return on_page(figure, 320, (0, 10, 20, 10), showlegend=False)


def _square(order: ReadingOrder, words: Sequence[str]) -> go.Heatmap:
    codes = order.sees(len(words))
    known = [
        [f"“{escape(row)}” and “{escape(column)}”: {MEANING[code]}" for column, code in cells]
        for row, cells in (
            (row, list(zip(words, codes[place].tolist(), strict=True)))
            for place, row in enumerate(words)
        )
    ]
    steps = len(_CODES)
    scale = [
        (end, colour)
        for code, colour in _CODES.items()
        for end in (code / steps, (code + 1) / steps)
    ]
    return go.Heatmap(
        z=codes,
        zmin=-0.5,
        zmax=steps - 0.5,
        colorscale=scale,
        showscale=False,
        xgap=1,
        ygap=1,
        text=known,
        hovertemplate="%{text}<extra></extra>",
    )


def _two_lines(names: Sequence[str]) -> list[str]:
    """Long names on two lines, so that a phone has room for the figure."""
    return [_broken(name) for name in names]


def _broken(name: str) -> str:
    head, comma, tail = name.partition(", ")
    if comma and len(name) > 16:
        return f"{head},<br>{tail}"
    words = name.split(" ")
    middle = (len(words) + 1) // 2
    return f"{' '.join(words[:middle])}<br>{' '.join(words[middle:])}" if len(name) > 16 else name
