"""Labelled answers in, accuracy with its interval for each slice out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bertsent.data.examples import Reviews

PAIRS = "pairs, both right"


@dataclass(frozen=True)
class Slice:
    """How many of ``n`` answers were right, with the 95 % interval of the accuracy (Wilson
    1927).
    """

    name: str
    n: int
    right: int

    @property
    def accuracy(self) -> float:
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        from scipy.stats import binomtest

        found = binomtest(self.right, self.n).proportion_ci(method="wilson")
        return float(found.low), float(found.high)


def slices(names: Sequence[str], right: Sequence[bool]) -> list[Slice]:
    """One slice for each name, in alphabetical order."""
    groups: dict[str, list[bool]] = {}
    for name, one in zip(names, right, strict=True):
        groups.setdefault(name or "(none)", []).append(bool(one))
    return [Slice(name, len(groups[name]), sum(groups[name])) for name in sorted(groups)]


def pairs_right(reviews: Reviews, right: Sequence[bool]) -> Slice | None:
    """How many minimal pairs have both sides right, None where there is no whole pair.

    That is the consistency of Gardner et al. (2020), "Evaluating Models' Local Decision Boundaries
    via Contrast Sets".
    """
    sides: dict[str, list[bool]] = {}
    for example, one in zip(reviews, right, strict=True):
        if example.pair:
            sides.setdefault(example.pair, []).append(bool(one))
    whole = [all(both) for both in sides.values() if len(both) == 2]
    return Slice(PAIRS, len(whole), sum(whole)) if whole else None


def accuracy_by_slice(
    reviews: Reviews, p_positive: np.ndarray, by: str = "phenomenon"
) -> Mapping[str, Slice]:
    """Accuracy of all labelled reviews (``all``), of each value of ``by``, and of the minimal pairs
    where there are some.
    """
    right = [(p > 0.5) == (label == 1) for p, label in zip(p_positive, reviews.labels, strict=True)]
    names = ["" if (value := getattr(e, by)) is None else str(value) for e in reviews]
    pairs = pairs_right(reviews, right)
    found = [
        Slice("all", len(right), sum(right)),
        *slices(names, right),
        *([pairs] if pairs else []),
    ]
    return {each.name: each for each in found}
