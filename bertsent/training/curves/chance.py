"""Answers to the same reviews at two steps in, how far the change of their loss could be chance
out.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

Z95 = 1.959964  # of the normal distribution
_TINIEST = np.finfo(np.float64).tiny


def losses(p_positive: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Cross-entropy of each review (n,): minus the logarithm of the probability that its own label
    (0 or 1) got.
    """
    p = np.asarray(p_positive, dtype=np.float64)
    return -np.log(np.maximum(np.where(np.asarray(labels) == 1, p, 1 - p), _TINIEST))


def margin(before: np.ndarray, after: np.ndarray) -> float:
    """Half the 95 % interval of the mean change of loss, review by review (n,); infinite for fewer
    than two reviews.

    The two are paired: both are of the same reviews, so what makes a review hard for both drops
    out.
    """
    change = np.asarray(after) - np.asarray(before)
    if len(change) < 2:
        return math.inf
    return Z95 * float(change.std(ddof=1)) / math.sqrt(len(change))


def margins(
    scores: Mapping[int, np.ndarray], labels: np.ndarray
) -> Callable[[int, int], float | None]:
    """The margin between any two steps; None where the answers of one were not kept, or are of
    other reviews.

    Args:
        scores: P(positive) of all validation reviews, by step.
        labels: their labels, 0 or 1 (n,).
    """
    found = {step: losses(p, labels) for step, p in scores.items() if len(p) == len(labels)}

    def between(one: int, other: int) -> float | None:
        return margin(found[one], found[other]) if one in found and other in found else None

    return between
