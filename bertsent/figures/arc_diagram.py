"""Attention as arcs on the sentence: the links of a matrix in, an Altair chart out.

The words stand in a row. An arc above them leads to a later word, one below to an earlier one, and
grows thicker towards the word that is looked at. The thicker and the more opaque, the larger the
weight.
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text, shorten
from bertsent.figures.altair_panels import AROUND
from bertsent.figures.colours import CLUSTERS, HIGHLIGHT

POINTS = 22  # of a drawn arc
TALL = 206  # pixels from the middle of the words to the highest arc
WORD = 14  # characters
LEVEL, ROOMY = 12, 7  # up to so many words they are written level, where there is room; or anyway
ROOM = 58  # pixels a word needs to be written level
LINE = CLUSTERS[2]


def arc_chart(
    tokens: Sequence[str],
    arcs: pd.DataFrame,
    *,
    title: str = "",
    ink: str = "#000000",
    sheet: bool = False,
) -> alt.LayerChart | alt.FacetChart:
    """The words in a row and the arcs of ``AttentionMatrix.links`` over and under them; pointing at
    a word shows its arcs alone. ``ink`` is the colour of the words.
    """
    band = (
        16
        if len(tokens) <= ROOMY
        else 8 + 7 * max((min(len(token), WORD) for token in tokens), default=1) // 2
    )
    tall = TALL
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0.4, len(tokens) + 0.6], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-tall - 8, tall + 8], nice=False))
    rest = (
        None
        if sheet
        else alt.selection_point(
            name="looking", fields=["place"], on="pointerover", clear="pointerout"
        )
    )
    lines = _curves(arcs, len(tokens), band)
    width = alt.Size("width:Q", scale=alt.Scale(domain=[0, 1], range=[0.5, 11]), legend=None)
    strong = alt.Opacity(
        "weight:Q", scale=alt.Scale(domain=[0, 0.5], range=[0.25, 1], clamp=True), legend=None
    )
    seen = strong if rest is None else alt.condition(rest, strong, alt.value(0.06))
    tip = [alt.Tooltip("from:N"), alt.Tooltip("to:N"), alt.Tooltip("weight:Q", format=".3f")]
    drawn = (
        alt.Chart(lines)
        .mark_trail(color=LINE)
        .encode(x=x, y=y, detail="arc:N", order="step:O", size=width, opacity=seen, tooltip=tip)
    )
    heading = alt.Title(clean_text(title), anchor="start", frame="group", fontSize=14)
    height = 2 * tall + 16 + (AROUND if sheet else 30)
    bare = alt.ViewBackground(stroke=None)
    return alt.layer(
        drawn,
        _words(tokens, x, y, rest, ink),
        title=heading,
        height=height,
        background="transparent",
        view=bare,
    )


def _curves(arcs: pd.DataFrame, size: int, band: int) -> pd.DataFrame:
    """Points of the arcs; ``place`` is the position of the word that looks."""
    lines, turn = [], np.linspace(0, np.pi, POINTS)
    for number, row in enumerate(arcs.to_dict("records")):
        start, end, weight = row["from position"], row["to position"], row["weight"]
        side = 1 if end > start else -1
        high = 14 + (TALL - band - 14) * abs(end - start) / max(1, size - 1)
        xs = (start + end) / 2 - (end - start) / 2 * np.cos(turn)
        ys = side * (band + high * np.sin(turn))
        widths = weight * np.linspace(0.15, 1, POINTS)
        about = {
            "from": shorten(str(row["from"]), 40),
            "to": shorten(str(row["to"]), 40),
            "weight": weight,
            "place": start,
        }
        lines += [
            {"arc": number, "step": step, "x": x, "y": y, "width": width, **about}
            for step, (x, y, width) in enumerate(zip(xs, ys, widths, strict=True))
        ]
    return pd.DataFrame(
        lines, columns=["arc", "step", "x", "y", "width", "from", "to", "weight", "place"]
    )


def _words(
    tokens: Sequence[str], x: alt.X, y: alt.Y, rest: alt.Parameter | None, ink: str
) -> alt.Chart:
    places, count = range(1, len(tokens) + 1), len(tokens)
    level = f"{count} <= {LEVEL} && ({count} <= {ROOMY} || width >= {ROOM * count})"
    rows = pd.DataFrame(
        {"x": places, "y": 0.0, "place": places, "word": [shorten(token, WORD) for token in tokens]}
    )
    words = (
        alt.Chart(rows)
        .mark_text(
            baseline="middle",
            align="center",
            limit=120,
            fontWeight="bold",
            color=ink,
            angle=alt.ExprRef(f"{level} ? 0 : 270"),
            fontSize=13,
        )
        .encode(x=x, y=y, text="word:N", tooltip=alt.value(None))
    )
    if rest is None:
        return words
    return words.encode(
        color=alt.condition(rest, alt.value(HIGHLIGHT), alt.value(ink), empty=False)
    ).add_params(rest)
