"""Attributions in, how far they agree and how faithful each is to the model out: Kendall's τ, and
AOPC against random order.

τ (τ-b, Kendall 1945) compares sizes, for attention has no sign, as Jain and Wallace (2019) do. AOPC
(Samek et al. 2017, equation 12; the comprehensiveness of DeYoung et al. 2020 is its kin) leaves the
words out one after the other, the largest attribution first, and averages how far the probability
of the model's answer falls: AOPC = 1/(K+1) · Σ_{k=0}^{K} [P(answer) − P(answer without the first k
words)]. A faithful attribution beats a random order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.probing.attribution.units import SegmentedReview, positive_probabilities
from bertsent.progress import Progress

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

MOST, RANDOM_ORDERS, SEED = 10, 10, 0  # words taken out, random orders, their seed
RANDOM = "random order"


@dataclass(frozen=True)
class DeletionCurve:
    """P(answer) after 0, 1, … K words are left out in an order, (K + 1,); of random orders their
    mean, with the lowest and the highest AOPC of them as ``spread``.
    """

    name: str
    curve: np.ndarray
    aopc: float
    spread: tuple[float, float] | None = None

    def frame(self) -> pd.DataFrame:
        """One row a point: order, removed, probability."""
        removed = range(len(self.curve))
        return pd.DataFrame({"order": self.name, "removed": removed, "probability": self.curve})


def kendall_tau(
    first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray
) -> float | None:
    """Kendall's τ-b of two rankings by size, from -1 to 1; None where there is nothing to rank."""
    from scipy.stats import kendalltau

    one, other = np.abs(first), np.abs(second)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(kendalltau(one, other).statistic)


def aopc(curve: np.ndarray) -> float:
    """The area over a perturbation curve (K + 1,): the mean fall of its values below the first."""
    return float(np.mean(curve[0] - np.asarray(curve, np.float64)))


def deletion_curves(
    model: "LoadedModel",
    review: SegmentedReview,
    attributions: Mapping[str, np.ndarray],
    units: Sequence[int],
    *,
    progress: Progress | None = None,
) -> tuple[DeletionCurve, ...]:
    """Leave the words out in the order of each attribution, and in ten random orders that are
    always the same.

    Args:
        model: whose answer is watched.
        review: the review.
        attributions: one value a unit of ``units``, (n,): the largest goes first. A signed one has
            to point towards the answer.
        units: the units that may go.
        progress: told how far the work is; may raise ``Cancelled``.

    Raises:
        NotAvailable: this model has no trained head.
    """
    most, random = min(MOST, len(units)), np.random.default_rng(SEED)
    orders = {
        name: [np.argsort(-np.asarray(values), kind="stable")]
        for name, values in attributions.items()
    }
    orders[RANDOM] = [random.permutation(len(units)) for _ in range(RANDOM_ORDERS)]
    rows = [
        review.without(units[i] for i in order[:k])
        for each in orders.values()
        for order in each
        for k in range(most + 1)
    ]
    p_positive = positive_probabilities(model, rows, progress=progress)
    p_answer = p_positive if p_positive[0] > 0.5 else 1 - p_positive
    curves = p_answer.reshape(-1, most + 1)
    found, at = [], 0
    for name, each in orders.items():
        own, at = curves[at : at + len(each)], at + len(each)
        areas = [aopc(curve) for curve in own]
        found.append(
            DeletionCurve(
                name,
                own.mean(0),
                float(np.mean(areas)),
                (min(areas), max(areas)) if len(each) > 1 else None,
            )
        )
    return tuple(found)


def faithfulness_sentence(found: Sequence[DeletionCurve]) -> str:
    """Which order makes the answer fall earliest, and whether attention, the first one, beats
    random order, the last one.
    """
    *orders, random = found
    if len(random.curve) < 3 or random.spread is None:
        return "With one word every order is the same."
    best = max(orders, key=lambda each: each.aopc)
    attention, (low, high) = orders[0], random.spread
    chance = (
        "which a random order can also reach"
        if attention.aopc <= high
        else "more than any of ten random orders"
    )
    return (
        f"The order of {best.name} makes the answer fall earliest (AOPC {best.aopc:.3f}). "
        f"Attention reaches {attention.aopc:.3f}, {chance} ({low:.3f} to {high:.3f})."
    )
