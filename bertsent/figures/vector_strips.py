"""Vectors as strips of colour below each other, however many numbers each has, and matrices as
heatmaps of a readable stretch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from bertsent.figures.attention_axes import BOTTOM, category_axes
from bertsent.figures.colours import ATTENTION_SCALE, CHANGE_SCALE, MORE, QUIET, escape
from bertsent.figures.plotly_panels import FIXED, colour_bar, on_page, outline

ROW = 36  # pixels of a strip with two lines at its left
WITHIN = 0.99  # share of the numbers up to whose size the colours tell them apart


@dataclass(frozen=True)
class Strip:
    """A vector and its name. Strips of one ``group`` have one colour range; without a group a strip
    has its own. ``outlined`` numbers, from the first up to the second, stand in a box.
    """

    name: str
    values: np.ndarray
    group: str = ""
    outlined: tuple[int, int] | None = None


def vector_strips(
    strips: Sequence[Strip] | Mapping[str, np.ndarray],
    *,
    row: int = ROW,
    columns: bool = False,
    chosen: int | None = None,
) -> go.Figure:
    """Strips from top to bottom, each as wide as the figure; orange is below 0, purple above.

    Args:
        strips: what is drawn; vectors by their names have a colour range each.
        row: pixels of each.
        columns: whether hovering names the numbers of all strips at a place; all are of one width
            then.
        chosen: the strip that is outlined.
    """
    if isinstance(strips, Mapping):
        strips = [Strip(name, values) for name, values in strips.items()]
    ends = _ends(strips)
    shared = _hover(strips) if columns else None
    figure = go.Figure(
        [
            _trace(place, strip, end, shared or _hover([strip]))
            for place, (strip, end) in enumerate(zip(strips, ends, strict=True))
        ]
    )
    for place, strip in enumerate(strips):
        if strip.outlined is not None:
            first, last = (edge / len(strip.values) for edge in strip.outlined)
            outline(figure, first, last, place - 0.46, place + 0.46)
    names = [
        f"{escape(strip.name)}<br>"
        f"<span style='font-size:0.8em'>{len(strip.values)} · ±{_short(end)}</span>"
        for strip, end in zip(strips, ends, strict=True)
    ]
    if chosen is not None:
        outline(figure, 0, 1, chosen - 0.48, chosen + 0.48)
    height = row * len(strips) + 10 + BOTTOM
    down = {"tickvals": list(range(len(strips))), "ticktext": names, "type": "linear"}
    category_axes(figure, {"showticklabels": False, "type": "linear"}, down, height=height, top=10)
    return figure


def one_hot_strips(places: Mapping[str, int], entries: int) -> go.Figure:
    """Words as one-hot vectors of ``entries`` numbers: an empty strip each, with a line at the
    ``places`` of their single 1, from 0.
    """
    figure = go.Figure()
    for row, (word, place) in enumerate(places.items()):
        figure.add_shape(
            type="rect", x0=0, x1=entries, y0=row - 0.3, y1=row + 0.3, line={"color": QUIET}
        )
        figure.add_scatter(
            x=[place + 1, place + 1],
            y=[row - 0.3, row + 0.3],
            mode="lines",
            line={"color": MORE, "width": 4},
            hovertemplate=f"{escape(word)}: a 1 at {place + 1:,}, else 0<extra></extra>",
        )
        figure.add_annotation(
            x=place + 1,
            y=row,
            text=f" 1 at {place + 1:,} ",
            showarrow=False,
            xanchor="left" if place < 0.8 * entries else "right",
            font={"size": 12},
        )
    names = [escape(word) for word in places]
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[len(names) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        **FIXED,
    )
    figure.update_xaxes(range=[0, entries], showgrid=False, zeroline=False, **FIXED)
    return on_page(figure, 60 + ROW * len(names), (8, 16, 8, 24), showlegend=False)


def matrix_stretch(
    matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str], *, shares: bool = False
) -> go.Figure:
    """Part of a matrix (n, m) with the names of its rows and columns; ``shares`` are from 0 to 1
    and have the colours of attention, all else stands around 0.
    """
    end = _end(matrix)
    figure = go.Figure(
        go.Heatmap(
            z=matrix.astype(np.float32),
            x=[f"column {escape(name)}" for name in columns],
            y=[f"row {escape(name)}" for name in rows],
            colorscale=ATTENTION_SCALE if shares else CHANGE_SCALE,
            zmin=0.0 if shares else -end,
            zmax=float(matrix.max(initial=1e-6)) if shares else end,
            hovertemplate="%{y}<br>%{x}<br>%{z:+.4f}<extra></extra>",
            colorbar=colour_bar("weight" if shares else f"value; colours end at ±{_short(end)}"),
        )
    )
    height = min(440, max(190, 26 * len(rows) + 66 + BOTTOM))
    across = {**_sparse(columns, 12), "tickangle": -45}
    category_axes(
        figure, across, _sparse(rows, (height - 66 - BOTTOM) // 18), height=height, top=66
    )
    return figure


def _ends(strips: Sequence[Strip]) -> list[float]:
    """The number that has the last colour, of each strip."""
    groups = dict[str, list[np.ndarray]]()
    for place, strip in enumerate(strips):
        groups.setdefault(strip.group or f"{place}", []).append(strip.values)
    ends = {name: _end(np.concatenate(members)) for name, members in groups.items()}
    return [ends[strip.group or f"{place}"] for place, strip in enumerate(strips)]


def _end(values: np.ndarray) -> float:
    """A few numbers of BERT's vectors are many times larger than the others, which would all be
    pale beside them.
    """
    sizes = np.abs(values).reshape(-1)
    return max(float(np.quantile(sizes, WITHIN, method="higher")) if sizes.size else 0.0, 1e-6)


def _trace(
    place: int, strip: Strip, end: float, hover: tuple[np.ndarray, str]
) -> dict[str, object]:
    """One strip, its numbers in shares of ``end``; ``hover`` is what hovering shows of each."""
    size = len(strip.values)
    return {
        "type": "heatmap",
        "z": (strip.values[None] / end).astype(np.float32),
        "x": (np.arange(size) + 0.5) / size,
        "y": [place],
        "customdata": hover[0],
        "hovertemplate": hover[1],
        "colorscale": CHANGE_SCALE,
        "zmin": -1.0,
        "zmax": 1.0,
        "ygap": 4,
        "showscale": place == 0,
        "colorbar": colour_bar(
            "from − to + as at the left",
            tickvals=[-1, 0, 1],
            ticktext=["−", "0", "+"],
        ),
    }


def _hover(strips: Sequence[Strip]) -> tuple[np.ndarray, str]:
    """What hovering over a number shows: it and those at the same place of the other strips."""
    size = len(strips[0].values)
    numbers = np.stack([np.arange(1, size + 1), *(strip.values for strip in strips)], axis=1)
    lines = [
        f"{escape(strip.name)} %{{customdata[{n}]:+.4f}}" for n, strip in enumerate(strips, start=1)
    ]
    title = f"number %{{customdata[0]:.0f}} of {size}"
    return numbers.astype(np.float32)[None], "<br>".join([title, *lines]) + "<extra></extra>"


def _sparse(names: Sequence[str], most: int) -> dict[str, list[object]]:
    """Every second, third … name, so that they can be read."""
    places = range(0, len(names), -(-len(names) // max(most, 1)))
    return {"tickvals": list(places), "ticktext": [escape(names[place]) for place in places]}


def _short(number: float) -> str:
    return f"{number:.2g}" if number < 10 else f"{number:.0f}"
