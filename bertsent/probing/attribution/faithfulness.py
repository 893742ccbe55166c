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
from itertools import islice

import numpy as np
import pandas as pd

from bertsent.probing.attribution.units import SegmentedReview, positive_probabilities
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress

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
        """One row per point: order, removed, probability."""
        return pd.DataFrame(
            {"order": self.name, "removed": range(len(self.curve)), "probability": self.curve}
        )


def kendall_tau(
    first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray
) -> float | None:
    """Kendall's τ-b of two rankings by size, from -1 to 1; None where there is nothing to rank."""
    from scipy.stats import kendalltau

    tau = kendalltau(np.abs(first), np.abs(second)).statistic if len(first) > 1 else np.nan
    return None if np.isnan(tau) else float(tau)


def aopc(curve: np.ndarray) -> float:
    """The area over a perturbation curve (K + 1,): the mean fall of its values below the first."""
    return float(np.mean(curve[0] - np.asarray(curve, np.float64)))


def deletion_curves(
    model: LoadedModel,
    review: SegmentedReview,
    attributions: Mapping[str, np.ndarray],
    units: Sequence[int],
    *,
    progress: Progress = no_progress,
) -> tuple[DeletionCurve, ...]:
    """Leave the words out in the order of each attribution, and in ten random orders that are
    always the same.

    Args:
        model: the model that answers.
        review: the review.
        attributions: one value for each of ``units``, (n,): the largest goes first. Signed ones
            have to point towards the answer.
        units: the units that may be left out.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        NotAvailable: this model has no trained head.
    """
    most, random = min(MOST, len(units)), np.random.default_rng(SEED)
    orders = {name: [np.argsort(-values, kind="stable")] for name, values in attributions.items()}
    orders[RANDOM] = [random.permutation(len(units)) for _ in range(RANDOM_ORDERS)]
    rows = [
        review.without(units[i] for i in order[:k])
        for each in orders.values()
        for order in each
        for k in range(most + 1)
    ]
    p_positive = positive_probabilities(model, rows, progress=progress)
    p_answer = p_positive if p_positive[0] > 0.5 else 1 - p_positive
    curves = iter(p_answer.reshape(-1, most + 1))
    return tuple(
        _deletion_curve(name, np.array(list(islice(curves, len(each)))))
        for name, each in orders.items()
    )


def _deletion_curve(name: str, curves: np.ndarray) -> DeletionCurve:
    """The mean of the curves (orders, K + 1) of one name."""
    areas = [aopc(curve) for curve in curves]
    spread = (min(areas), max(areas)) if len(areas) > 1 else None
    return DeletionCurve(name, curves.mean(0), float(np.mean(areas)), spread)


def faithfulness_sentence(found: Sequence[DeletionCurve]) -> str:
    """Which order makes the answer fall earliest, and whether attention, the first one, beats
    random order, the last one.
    """
    *orders, random = found
    if len(random.curve) < 3 or random.spread is None:
        return "With one word every order is the same."
    best = max(orders, key=lambda each: each.aopc)
    if len({f"{each.aopc:.3f}" for each in orders}) == 1:
        return f"All orders make the answer fall equally early (AOPC {best.aopc:.3f})."
    attention, (low, high) = orders[0], random.spread
    beaten = "more than any of ten random orders" if attention.aopc > high else ""
    return (
        f"The order of {best.name} makes the answer fall earliest (AOPC {best.aopc:.3f}). "
        f"Attention reaches {attention.aopc:.3f}, "
        f"{beaten or 'which a random order can also reach'} ({low:.3f} to {high:.3f})."
    )
