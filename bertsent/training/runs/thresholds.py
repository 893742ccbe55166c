"""P(positive) of labelled reviews in, the ROC curve and the precision–recall curve out, with the
point at which a threshold stands on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

HALF = 0.5  # the threshold of a softmax over two labels


@dataclass(frozen=True)
class ThresholdCurves:
    """What every threshold would give. ``points`` has threshold, false_positive_rate, recall and
    precision, one row for each score that occurs, from the strictest threshold to the loosest.

    ``auc`` is the area under the ROC curve, ``average_precision`` that under the precision–recall
    curve as a sum of steps, ``positive_share`` the precision of calling everything positive.
    """

    points: pd.DataFrame
    auc: float
    average_precision: float
    positive_share: float

    def at(self, threshold: float) -> "pd.Series[float]":
        """The point of the curves where reviews above ``threshold`` count as positive."""
        above = self.points[self.points["threshold"] > threshold]
        return above.iloc[-1] if len(above) else self.points.iloc[0]

    def roc_sentence(self, threshold: float) -> str:
        """What the ROC curve shows, and what this threshold gives on it."""
        found = self.at(threshold)
        return (
            f"AUC {self.auc:.3f}: of a positive and a negative review drawn at random, the "
            f"positive one has the higher score in {100 * self.auc:.1f} % of all pairs. Above "
            f"{100 * threshold:.0f} % lie {100 * found['recall']:.1f} % of the positive reviews "
            f"and {100 * found['false_positive_rate']:.1f} % of the negative ones."
        )

    def precision_sentence(self, threshold: float) -> str:
        """What the precision–recall curve shows, and what this threshold gives on it."""
        found = self.at(threshold)
        return (
            f"Average precision {self.average_precision:.3f}; calling everything positive would "
            f"have {self.positive_share:.3f}. Above {100 * threshold:.0f} % lie "
            f"{100 * found['recall']:.1f} % of the positive reviews, and "
            f"{100 * found['precision']:.1f} % of what lies there is positive."
        )


def threshold_curves(
    labels: Sequence[int | None] | np.ndarray, p_positive: np.ndarray
) -> ThresholdCurves | None:
    """The curves of these answers; None where one of the two labels does not occur."""
    truth, scores = np.asarray(labels) == 1, np.asarray(p_positive, dtype=float)
    positives = int(truth.sum())
    negatives = len(truth) - positives
    if not positives or not negatives:
        return None
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.flatnonzero(np.append(np.diff(falling) != 0, True))  # of reviews with equal scores
    found = np.concatenate([[0], np.cumsum(truth[order])[last]])
    taken = np.concatenate([[0], last + 1])
    recall, false_rate = found / positives, (taken - found) / negatives
    precision = np.divide(found, taken, out=np.ones(len(taken)), where=taken > 0)
    points = pd.DataFrame(
        {
            "threshold": np.concatenate([[np.inf], falling[last]]),
            "false_positive_rate": false_rate,
            "recall": recall,
            "precision": precision,
        }
    )
    return ThresholdCurves(
        points,
        auc=float(np.trapezoid(recall, false_rate)),
        average_precision=float((np.diff(recall) * precision[1:]).sum()),
        positive_share=positives / len(truth),
    )
