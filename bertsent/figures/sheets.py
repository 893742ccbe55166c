"""A Plotly figure of heatmaps in, one file to take away out: a PNG, an SVG, or an HTML page that
needs no network.

Plotly itself draws pictures only in a browser. What these figures consist of is little: cells in
colours, words in cells, labels,
boxes and a colour bar; that is written as SVG here, on white, and the PNG is made from it.
"""

import base64
import html
import re
import struct
import zlib
from collections.abc import Iterator

import numpy as np
import plotly.graph_objects as go
from plotly.colors import hex_to_rgb, unlabel_rgb

from bertsent.figures.forms import Form

WIDTH = 1000  # pixels of a sheet
DRAWN = 2_000  # up to so many cells each one is a shape; more are one picture inside the SVG
FINE = 3  # dots of such a picture to a pixel of the sheet
_INK = 'font-family="Helvetica, Arial, sans-serif" font-size="12"'
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def sheet(figure: go.Figure, form: Form) -> bytes:
    """The figure as a file. ``png`` is twice as fine as a screen; ``html`` keeps the hover and
    sends nothing anywhere.
    """
    if form == "html":
        return figure.to_html(
            include_plotlyjs=True, config={"showSendToCloud": False, "displaylogo": False}
        ).encode()
    svg = heatmap_svg(figure)
    if form == "svg":
        return svg.encode()
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=2)


def heatmap_svg(figure: go.Figure) -> str:
    """The heatmaps of a figure, which lie over each other on one grid of categories, as SVG."""
    first = figure.data[0]
    rows, columns = np.asarray(first.z).shape
    across, down = _ticks(figure.layout.xaxis), _ticks(figure.layout.yaxis)
    slanted = len(across) * 9 * max((len(words) for _, words in across), default=1) > WIDTH
    left = 14 + 7 * max((len(words) for _, words in down), default=1)
    title = _plain(figure.layout.title.text or "")
    top = (34 if title else 10) + (
        10 + 6 * max((len(words) for _, words in across), default=1) if slanted else 22
    )
    wide, tall = WIDTH - left - 40, max(rows, (figure.layout.height or 500) - 150)
    place = _Place(left, top, wide / columns, tall / rows)
    parts = [
        *_cells(figure, place, rows, columns),
        *_labels(across, down, place, slanted),
        *_boxes(figure, place),
    ]
    if title:
        parts.append(_text(left, 22, title, size=15))
    parts += _bar(first, left, top + tall + 26)
    height = top + tall + 76
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}">'
    )
    return "\n".join(
        [head, f'<rect width="{WIDTH}" height="{height:.0f}" fill="#FFFFFF"/>', *parts, "</svg>"]
    )


class _Place:
    """Where a cell lies: columns and rows, from 0, in pixels."""

    def __init__(self, left: float, top: float, wide: float, tall: float) -> None:
        self.left, self.top, self.wide, self.tall = left, top, wide, tall

    def x(self, column: float) -> float:
        return self.left + (column + 0.5) * self.wide

    def y(self, row: float) -> float:
        return self.top + (row + 0.5) * self.tall


def _cells(figure: go.Figure, place: _Place, rows: int, columns: int) -> Iterator[str]:
    if rows * columns > DRAWN:
        yield _raster(figure, place, rows, columns)
        return
    for trace in figure.data:
        colours, space = _colours(trace, np.asarray(trace.z, float)), float(trace.xgap or 0)
        for row, column in zip(*np.nonzero(np.isfinite(np.asarray(trace.z, float))), strict=True):
            x, y = place.x(column - 0.5), place.y(row - 0.5)
            r, g, b = colours[row, column]
            size = f'width="{place.wide - space:.2f}" height="{place.tall - space:.2f}"'
            yield f'<rect x="{x:.2f}" y="{y:.2f}" {size} fill="#{r:02x}{g:02x}{b:02x}"/>'
            if words := _written(trace, row, column):
                yield _text(
                    place.x(column),
                    place.y(row) + 4,
                    words,
                    anchor="middle",
                    ink=str(trace.textfont.color),
                )


def _raster(figure: go.Figure, place: _Place, rows: int, columns: int) -> str:
    """All cells as one PNG whose dots are smaller than a cell, so that no viewer blurs it."""
    shown = np.full((rows, columns, 3), 255, np.uint8)
    for trace in figure.data:
        values = np.asarray(trace.z, float)
        shown = np.where(np.isfinite(values)[..., None], _colours(trace, values), shown)
    many = max(1, round(FINE * place.wide)), max(1, round(FINE * place.tall))
    fine = shown.repeat(many[1], axis=0).repeat(many[0], axis=1)
    data = base64.b64encode(_png(fine)).decode()
    box = (
        f'x="{place.left}" y="{place.top}" width="{columns * place.wide:.2f}" '
        f'height="{rows * place.tall:.2f}"'
    )
    return f'<image {box} preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'


def _png(dots: np.ndarray) -> bytes:
    """(rows, columns, 3) bytes as a PNG file."""
    rows, columns, _ = dots.shape
    lines = np.zeros((rows, 1 + 3 * columns), np.uint8)  # each begins with its filter: none
    lines[:, 1:] = dots.reshape(rows, -1)

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
        + chunk(b"IEND", b"")
    )


def _colours(trace: go.Heatmap, values: np.ndarray) -> np.ndarray:
    """(..., 3) bytes of the trace's colour scale; what is not a number gets the first colour."""
    share = (np.nan_to_num(values) - trace.zmin) / (trace.zmax - trace.zmin)
    places = [place for place, _ in trace.colorscale]
    known = np.array([_rgb(colour) for _, colour in trace.colorscale])
    return np.stack(
        [np.rint(np.interp(share, places, known[:, part])) for part in range(3)], axis=-1
    ).astype(np.uint8)


def _rgb(colour: str) -> tuple[float, ...]:
    return hex_to_rgb(colour) if colour.startswith("#") else unlabel_rgb(colour)


def _written(trace: go.Heatmap, row: int, column: int) -> str:
    if trace.text is not None:
        return _plain(str(trace.text[row][column]))
    return f"{float(trace.z[row][column]):.2f}" if trace.texttemplate else ""


def _ticks(axis: go.layout.XAxis) -> list[tuple[float, str]]:
    return [
        (float(value), _plain(words))
        for value, words in zip(axis.tickvals or (), axis.ticktext or (), strict=True)
    ]


def _labels(across: list, down: list, place: _Place, slanted: bool) -> Iterator[str]:
    for value, words in across:
        yield _text(
            place.x(value),
            place.top - 8,
            words,
            anchor="start" if slanted else "middle",
            turned=-60 if slanted else 0,
        )
    for value, words in down:
        yield _text(place.left - 8, place.y(value) + 4, words, anchor="end")


def _boxes(figure: go.Figure, place: _Place) -> Iterator[str]:
    for box in figure.layout.shapes:
        x, y = place.x(box.x0), place.y(box.y0)
        size = f'width="{place.x(box.x1) - x:.2f}" height="{place.y(box.y1) - y:.2f}"'
        yield (
            f'<rect x="{x:.2f}" y="{y:.2f}" {size} fill="none" stroke="{box.line.color}" '
            f'stroke-width="{box.line.width}"/>'
        )


def _bar(trace: go.Heatmap, left: float, top: float) -> Iterator[str]:
    steps, wide = 60, 300
    colours = _colours(trace, np.linspace(trace.zmin, trace.zmax, steps))
    yield _text(left, top, _plain(trace.colorbar.title.text or ""))
    for step, (r, g, b) in enumerate(colours):
        x = left + step * wide / steps
        yield (
            f'<rect x="{x:.1f}" y="{top + 8}" width="{wide / steps + 0.5:.1f}" height="10" '
            f'fill="#{r:02x}{g:02x}{b:02x}"/>'
        )
    for share in (0.0, 0.5, 1.0):
        yield _text(
            left + share * wide,
            top + 34,
            f"{trace.zmin + share * (trace.zmax - trace.zmin):.3g}",
            anchor="middle",
        )


def _text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    ink: str = "#000000",
    size: int = 12,
    turned: int = 0,
) -> str:
    turn = f' transform="rotate({turned} {x:.1f} {y:.1f})"' if turned else ""
    look = _INK.replace('"12"', f'"{size}"')
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" {look} text-anchor="{anchor}" '
        f'fill="{ink}"{turn}>{html.escape(words)}</text>'
    )


def _plain(words: str) -> str:
    """What Plotly shows for its markup, without what XML cannot carry."""
    return _NOT_XML.sub("", html.unescape(re.sub(r"<[^<>]*>", " ", words)))
