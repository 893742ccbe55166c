"""Attention maps and the points of a map in, small still pictures out, which a browser shows
without loading a chart library. Their ground is clear, and their colours are seen on light and on
dark.
"""

import base64
import struct
import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from bertsent.figures.attention_heatmap import coarse, gap
from bertsent.figures.colours import ATTENTION_SCALE, HIGHLIGHT, NEGATIVE, POSITIVE
from bertsent.probing.heads.attention_maps import AttentionMaps

SHADES = 254  # of the palette; then come the mark and the clear ground
_MARK, _CLEAR = SHADES, SHADES + 1
_CELLS = 48  # along a tile: a picture of 72 tiles has no room for more
WIDTH, HEIGHT = 1000, 500  # of a map, in its own units
_EDGE, _STAR = 40, 34.0
# what is drawn at a place, and how: a round dot, and a diamond
_MARKS = {
    "POSITIVE": (
        "h0",
        f'stroke="{POSITIVE}" stroke-opacity=".8" stroke-width="18" stroke-linecap="round"',
    ),
    "NEGATIVE": ("m0-11l9 11-9 11-9-11z", f'fill="{NEGATIVE}" fill-opacity=".8"'),
}


def heads_picture(maps: AttentionMaps, marked: tuple[int, int] | None = None) -> bytes:
    """Every head as a tile of one PNG: rows are layers, columns are heads, a pixel is a weight. All
    share one range of colours, from 0 to the largest weight; ``marked`` (layer, head) is framed.
    """
    weights = coarse(maps).weights
    side = -(-weights.shape[-1] // _CELLS)
    starts = range(0, weights.shape[-1], side)
    tiles = np.maximum.reduceat(np.maximum.reduceat(weights, starts, axis=2), starts, axis=3)
    shades = np.rint(tiles / max(float(tiles.max()), 1e-9) * (SHADES - 1)).astype(np.uint8)
    layers, heads, size, _ = shades.shape
    around = gap(size)
    step = size + around
    picture = np.full((layers * step + around, heads * step + around), _CLEAR, np.uint8)
    for layer, head in np.ndindex(layers, heads):
        top, left = around + layer * step, around + head * step
        if (layer, head) == marked:
            picture[top - around : top + step, left - around : left + step] = _MARK
        picture[top : top + size, left : left + size] = shades[layer, head]
    return _png(picture)


def map_picture(points: pd.DataFrame, place: Sequence[float]) -> str:
    """The dots of a flat map as an SVG: discs are positive, diamonds negative by their label; a
    star is at ``place`` (x, y), for which the map grows where it lies outside.
    """
    xy = np.vstack([points[["x", "y"]].to_numpy(np.float64), np.asarray(place, np.float64)[None]])
    low, span = xy.min(0), np.ptp(xy, axis=0)
    inside = (xy - low) / np.where(span > 0, span, 1)
    room = np.array([WIDTH, HEIGHT]) - 2 * _EDGE
    on_page = np.column_stack([inside[:, 0], 1 - inside[:, 1]]) * room + _EDGE
    dots = ""
    for label, (mark, style) in _MARKS.items():
        shown = on_page[:-1][(points["label"] == label).to_numpy()].tolist()
        path = "".join(f"M{x:.0f} {y:.0f}{mark}" for x, y in shown)
        dots += f'<path d="{path}" {style}/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{dots}'
        f'<path d="{_star(*on_page[-1].tolist())}" fill="{HIGHLIGHT}" stroke="#fff" '
        'stroke-width="14" stroke-linejoin="round" paint-order="stroke"/>'
        f'<path d="{_star(*on_page[-1].tolist())}" fill="{HIGHLIGHT}" stroke="#000" '
        'stroke-width="4" stroke-linejoin="round"/></svg>'
    )


def data_uri(picture: bytes | str) -> str:
    """The address that carries a PNG (bytes) or an SVG (text) in itself."""
    kind = "png" if isinstance(picture, bytes) else "svg+xml"
    raw = picture if isinstance(picture, bytes) else picture.encode()
    return f"data:image/{kind};base64,{base64.b64encode(raw).decode()}"


@lru_cache(maxsize=1)
def attention_shades() -> np.ndarray:
    """The colours of attention from none to most, (SHADES, 3) uint8."""
    from plotly.colors import sample_colorscale

    sampled = sample_colorscale(ATTENTION_SCALE, np.linspace(0, 1, SHADES).tolist())
    found = [[float(part) for part in rgb[4:-1].split(",")] for rgb in sampled]
    return np.rint(found).astype(np.uint8)


def _png(places: np.ndarray) -> bytes:
    """A PNG of the places (rows, columns) of its palette, see the specification
    https://www.w3.org/TR/png-3/.
    """
    mark = bytes.fromhex(HIGHLIGHT.removeprefix("#"))
    rows, columns = places.shape
    lines = np.pad(places, ((0, 0), (1, 0)))  # each row begins with a 0: no filter
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)),
        (b"PLTE", attention_shades().tobytes() + mark + bytes(3)),
        (b"tRNS", bytes([255] * _CLEAR) + bytes(1)),
        (b"IDAT", zlib.compress(lines.tobytes(), 6)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _star(x: float, y: float) -> str:
    """The outline of a five-pointed star around (x, y)."""
    turns = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2, 0.42, 1.0) * _STAR
    corners = zip(x + reach * np.sin(turns), y - reach * np.cos(turns), strict=True)
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "z"
