"""A map's points in, what the browser draws of them on a canvas out: places, looks, legend and the
words of every dot, packed into one dictionary for JSON.

Flat maps are drawn by ``ui/map/dot_map.js``, because Plotly's dots move at 3 frames a second where
there are 50,000 of them and no graphics card.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput
from bertsent.figures.colours import ATTENTION_SCALE, CLUSTERS, HIGHLIGHT, PAPER, SAFE, Palette
from bertsent.figures.label_looks import SHAPES, own_looks

PALETTES = {"default": SAFE, "paper": PAPER}
UNKNOWN = {"label": "no label", "prediction": "no answer", "confidence": "no answer"}
_SENTIMENTS = (*reversed(LABELS), "")
_SHADES = 64  # of the confidence
# characters of all texts together, and of one: a click opens all of it
_ALL_CHARACTERS, _MOST, _FEWEST = 1_600_000, 420, 32


def dot_picture(
    points: pd.DataFrame,
    *,
    colour_by: str = "label",
    palette: str = "default",
    axes: Sequence[str] = (),
) -> dict[str, Any]:
    """Pack the points of a flat map (``ProjectionMap.points``).

    Args:
        colour_by: ``label`` (the truth), ``prediction``, ``confidence`` (shape: the prediction) or
            ``cluster``.
        palette: ``paper`` is the publication's red positive and blue negative.
        axes: what is written at the two axes; nothing where left out.

    Raises:
        BadInput: an unknown ``colour_by`` or ``palette``.
    """
    look, looks, legend = _looks(points, colour_by, chosen_palette(colour_by, palette))
    length = int(np.clip(_ALL_CHARACTERS // max(len(points), 1), _FEWEST, _MOST))
    share = points["p_positive"].fillna(0).to_numpy()
    own = list(own_looks(points["label"]))
    return {
        "x": packed(points["x"], np.float32),
        "y": packed(points["y"], np.float32),
        "look": packed(look, np.uint8),
        "looks": looks,
        "legend": legend,
        "scale": _scale() if colour_by == "confidence" else None,
        "text": [text[:length] + ("…" if len(text) > length else "") for text in points["text"]],
        "label": packed(_places(points["label"], own or _SENTIMENTS[:2]), np.uint8),
        **({"truths": own} if own else {}),
        "prediction": packed(_places(points["prediction"]), np.uint8),
        "p": packed(np.round(10_000 * share), np.uint16),
        "cluster": packed(points["cluster"], np.uint8),
        "axes": list(axes),
        "highlight": HIGHLIGHT,
    }


def chosen_palette(colour_by: str, palette: str) -> Palette:
    """The palette of that name.

    Raises:
        BadInput: there is none, or a map cannot be coloured by that.
    """
    BadInput.raise_if(
        colour_by not in (*UNKNOWN, "cluster") or palette not in PALETTES,
        f"A map cannot be coloured by “{colour_by}” in “{palette}”.",
        "Choose label, prediction, confidence or cluster.",
    )
    return PALETTES[palette]


def packed(values: object, kind: type[np.generic]) -> str:
    """Numbers as base64 of little-endian bytes."""
    found = np.ascontiguousarray(np.asarray(values)).astype(np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(found.tobytes()).decode("ascii")


_Looks = tuple[np.ndarray, list[dict[str, str]], list[dict[str, Any]]]


def _looks(points: pd.DataFrame, colour_by: str, palette: Palette) -> _Looks:
    """Which look each dot has, the looks, and which of them an entry of the legend stands for."""
    if colour_by == "cluster":
        return _clusters(points["cluster"].to_numpy())
    if colour_by == "label" and (named := own_looks(points["label"])):
        return _own(points["label"], named)
    which = _places(points["label" if colour_by == "label" else "prediction"])
    shades = _scale() if colour_by == "confidence" else [""]
    looks: list[dict[str, str]] = []
    legend: list[dict[str, Any]] = []
    for place, (label, shape) in enumerate(zip(_SENTIMENTS, SHAPES, strict=False)):
        first, own = len(looks), shades if label else [""]
        looks += [{"shape": shape, "colour": shade or palette.of(label)} for shade in own]
        if count := int((which == place).sum()):
            entry = {"name": label or UNKNOWN[colour_by], "first": first, "last": len(looks) - 1}
            legend.append({**entry, **looks[-1], "n": count})
    if colour_by == "confidence":
        sure = points["confidence"].fillna(0.5).to_numpy()
        shade = np.clip((sure - 0.5) * 2 * _SHADES, 0, _SHADES - 1).astype(int)
        which = np.where(which == len(LABELS), len(looks) - 1, which * _SHADES + shade)
    return which, looks, legend


def _own(labels: pd.Series, own: Mapping[str, tuple[str, str]]) -> _Looks:
    """As ``_looks``, of labels that are none of sentiment's."""
    which = _places(labels, list(own))
    looks = [{"shape": shape, "colour": colour} for shape, colour in own.values()]
    looks.append({"shape": SHAPES[2], "colour": SAFE.undecided})
    legend = [
        {"name": name, "first": place, "last": place, **looks[place], "n": count}
        for place, name in enumerate((*own, UNKNOWN["label"]))
        if (count := int((which == place).sum()))
    ]
    return which, looks, legend


def _clusters(ids: np.ndarray) -> _Looks:
    looks, legend = [], []
    for cluster in range(int(ids.max(initial=0)) + 1):
        turn, place = divmod(cluster, len(CLUSTERS))
        looks.append({"shape": SHAPES[(place + turn) % len(SHAPES)], "colour": CLUSTERS[place]})
        entry = {"name": f"cluster {cluster}", "first": cluster, "last": cluster}
        legend.append({**entry, **looks[-1], "n": int((ids == cluster).sum())})
    return ids, looks, legend


def _places(names: pd.Series, among: Sequence[str] = _SENTIMENTS[:2]) -> np.ndarray:
    """The place of each name among some, at first POSITIVE and NEGATIVE; their number where it is
    none of them.
    """
    places = {name: place for place, name in enumerate(among)}
    return names.map(places).fillna(len(places)).to_numpy()


def _scale() -> list[str]:
    from plotly.colors import sample_colorscale

    return [str(colour) for colour in sample_colorscale(ATTENTION_SCALE, _SHADES)]
