"""The ROC curve and the precision–recall curve with the chosen threshold on them: points in, Altair
charts out.
"""

from typing import Any, Literal

import altair as alt
import pandas as pd

from bertsent.figures.altair_panels import panel, share_scale
from bertsent.figures.colours import HIGHLIGHT, QUIET, VALIDATION
from bertsent.training.runs.thresholds import ThresholdCurves

HEIGHT = 250
POINTS = 1_500
_TIP = [
    alt.Tooltip("threshold:Q", title="threshold", format=".1%"),
    alt.Tooltip("recall:Q", title="recall, true positive rate", format=".1%"),
    alt.Tooltip("false_positive_rate:Q", title="false positive rate", format=".1%"),
    alt.Tooltip("precision:Q", format=".1%"),
]


def roc_chart(curves: ThresholdCurves, threshold: float, *, height: int = HEIGHT) -> alt.LayerChart:
    """True positive rate over false positive rate; the diagonal is guessing."""
    guess = pd.DataFrame({"false_positive_rate": [0.0, 1.0], "recall": [0.0, 1.0]})
    return _chart(
        f"ROC curve, AUC {curves.auc:.3f}",
        curves,
        threshold,
        guess,
        ("false_positive_rate", "false positive rate"),
        ("recall", "true positive rate"),
        "linear",
        height,
    )


def precision_chart(
    curves: ThresholdCurves, threshold: float, *, height: int = HEIGHT
) -> alt.LayerChart:
    """Precision over recall; the level line is calling every review positive."""
    guess = pd.DataFrame({"recall": [0.0, 1.0], "precision": [curves.positive_share] * 2})
    return _chart(
        f"Precision–recall curve, average precision {curves.average_precision:.3f}",
        curves,
        threshold,
        guess,
        ("recall", "recall"),
        ("precision", "precision"),
        "step-before",
        height,
    )


def _chart(
    title: str,
    curves: ThresholdCurves,
    threshold: float,
    guess: pd.DataFrame,
    across: tuple[str, str],
    up: tuple[str, str],
    steps: Literal["linear", "step-before"],
    height: int,
) -> alt.LayerChart:
    axes: dict[str, Any] = {
        "x": alt.X(f"{across[0]}:Q", scale=share_scale(), axis=_axis(across[1])),
        "y": alt.Y(f"{up[0]}:Q", scale=share_scale(), axis=_axis(up[1])),
        "order": alt.Order("place:Q"),
    }
    drawn = curves.points.iloc[:: max(1, len(curves.points) // POINTS)].reset_index(names="place")
    drawn["threshold"] = drawn["threshold"].clip(upper=1.0)
    here = pd.DataFrame([curves.at(threshold)]).assign(
        threshold=threshold, place=0, words=f"above {100 * threshold:.0f} %"
    )
    line = alt.Chart(drawn).mark_line(color=VALIDATION, strokeWidth=2.5, interpolate=steps)
    hover = alt.Chart(drawn).mark_circle(size=40, opacity=0).encode(**axes, tooltip=_TIP)
    dot = alt.Chart(here).encode(**axes, tooltip=_TIP)
    chance = alt.Chart(guess.assign(place=range(2))).mark_line(color=QUIET, strokeDash=[4, 4])
    mark = dot.mark_point(shape="diamond", size=170, filled=True, color=HIGHLIGHT, opacity=1)
    words = dot.mark_text(align="left", dx=10, dy=12, color=QUIET, fontSize=13)
    layers = [chance.encode(**axes), line.encode(**axes), hover, mark, words.encode(text="words:N")]
    return panel(title, *layers, height=height)


def _axis(title: str) -> alt.Axis:
    return alt.Axis(title=title, format=".0%", tickCount=5, titleFontWeight="normal")
