"""The confusion matrix as a chart whose cells can be clicked: counts in, one Altair chart out."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.figures.altair_panels import layered
from bertsent.figures.colours import HIGHLIGHT

CELL = "cell"  # the selection that a click makes: the fields TRUE and PREDICTED
TRUE, PREDICTED = "true", "predicted"
HEIGHT = 230
_BRIGHT = 0.48  # of cividis, on which black is easier to read than white


def confusion_chart(
    matrix: np.ndarray,
    chosen: Sequence[tuple[str, str]] = (),
    *,
    height: int = HEIGHT,
    labels: Sequence[str] = LABELS,
) -> alt.LayerChart:
    """Counts with the share of their row, true labels down and predicted ones across.

    Args:
        matrix: true labels as rows, as scikit-learn counts it.
        chosen: true and predicted label of the cells that get a frame.
        height: of the whole chart in pixels.
        labels: of its rows and columns; where there are more than two, cells hold counts alone and
            names stand level.
    """
    rows, many = _cells(np.asarray(matrix), chosen, labels), len(labels) > 2
    down = {"labelLimit": 110} if many else {"labelAngle": -90, "labelAlign": "center"}
    across = {"labelAngle": -30, "labelLimit": 90, "labelOverlap": False} if many else {}
    base = alt.Chart(rows).encode(
        x=alt.X(f"{PREDICTED}:N", sort=None, axis=_axis("predicted", orient="top", **across)),
        y=alt.Y(f"{TRUE}:N", sort=None, axis=_axis("true", **down)),
    )
    scale = alt.Scale(scheme="cividis", domain=[0, 1])
    colour = alt.Color("share:Q", scale=scale, legend=None)
    tip = [
        alt.Tooltip(f"{TRUE}:N"),
        alt.Tooltip(f"{PREDICTED}:N"),
        alt.Tooltip("count:Q", title="reviews", format=",d"),
        alt.Tooltip("share:Q", title="of this true label", format=".1%"),
    ]
    click = alt.selection_point(name=CELL, fields=[TRUE, PREDICTED], toggle=False)
    cells = base.mark_rect(cursor="pointer").encode(
        color=colour,
        stroke=alt.condition("datum.chosen", alt.value(HIGHLIGHT), alt.value("transparent")),
        strokeWidth=alt.value(4),
        tooltip=tip,
    )
    two: dict[str, Any] = {"fontSize": 16, "lineHeight": 19, "dy": -8}
    size = {"fontSize": 13} if many else two
    words = base.mark_text(lineBreak="\n", cursor="pointer", **size)
    ink = alt.condition(f"datum.share > {_BRIGHT}", alt.value("black"), alt.value("white"))
    texts = words.encode(text="words:N", color=ink, tooltip=tip)
    return layered(cells.add_params(click), texts, height=height, background="transparent")


def _axis(title: str, **look: Any) -> alt.Axis:
    bare = {"title": title, "ticks": False, "domain": False, "labelAngle": 0}
    return alt.Axis(**{**bare, **look})


def _cells(
    matrix: np.ndarray, chosen: Sequence[tuple[str, str]], labels: Sequence[str]
) -> pd.DataFrame:
    rows = []
    for true, counts in zip(labels, matrix.tolist(), strict=True):
        for predicted, count in zip(labels, counts, strict=True):
            share = count / max(1, sum(counts))
            percent = f"\n{100 * share:.0f} %" if len(labels) == 2 else ""
            words, framed = f"{count:,}{percent}", (true, predicted) in chosen
            rows.append((true, predicted, count, share, words, framed))
    return pd.DataFrame(rows, columns=[TRUE, PREDICTED, "count", "share", "words", "chosen"])
