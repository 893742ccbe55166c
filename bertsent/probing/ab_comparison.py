"""The answers of twin runs in, what they show out: who changed sides, and whether the difference is
more than chance.

Answers are P(positive), one row a seed. The two arms answer the same reviews, so they are compared
review by review: only
answers that are right in one arm and wrong in the other count (McNemar 1947, exact). The interval
of the difference of the
accuracies is that of Bonett and Price (2012), which adds one review of each kind; over several
seeds a review counts with its
mean difference, and the two sides of a minimal pair count as one (clustered variance), because
neither are independent.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import BadInput
from bertsent.probing.slices import accuracy_by_slice

Z = 1.959963984540054
FEW = 50  # reviews below which one of them is worth telling in points
CORRECTED, BROKEN = "mended", "spoiled"
FLIPS = (
    "seed",
    "id",
    "text",
    "phenomenon",
    "true",
    "without",
    "with",
    "p_without",
    "p_with",
    "turned",
)


@dataclass(frozen=True)
class ABComparison:
    """Two arms on the same reviews. Accuracies are means over the seeds; mended and spoiled count
    answers of all seeds.
    """

    reviews: int
    without: float
    having: float
    mended: int  # wrong without, right with
    spoiled: int  # right without, wrong with
    low: float
    high: float
    p_value: float
    by_seed: tuple[float, ...]  # difference of the accuracies, a number a seed

    @property
    def difference(self) -> float:
        return self.having - self.without

    @property
    def agreed(self) -> bool:
        """True when all seeds point in one direction."""
        return all(d > 0 for d in self.by_seed) or all(d < 0 for d in self.by_seed)

    @property
    def beyond_chance(self) -> bool:
        """True when the interval leaves zero out and no seed says otherwise."""
        return (self.low > 0 or self.high < 0) and self.agreed

    def sentence(self, of: str) -> str:
        """What the numbers show, in words; ``of`` names the reviews: "validation reviews"."""
        several = len(self.by_seed) > 1
        found = (
            f"Of {self.reviews:,} {of}, {self.having:.1%} are right with the contrastive reviews "
            f"and {self.without:.1%} without"
            f"{f' (means of {len(self.by_seed)} seeds)' if several else ''}: "
            f"{_points(self.difference)} points, "
            f"95 % interval {_points(self.low)} to {_points(self.high)}."
        )
        spread = (
            f" The seeds range from {_points(min(self.by_seed))} to {_points(max(self.by_seed))}."
            if several
            else ""
        )
        return f"{found}{spread} {self._verdict()}"

    def _verdict(self) -> str:
        grain = (
            f" One review more or less is {100 / self.reviews:.1f} points here."
            if self.reviews < FEW
            else ""
        )
        if not self.mended + self.spoiled:
            return (
                f"Every answer is right or wrong in both arms alike: no difference was seen.{grain}"
            )
        if self.beyond_chance:
            direction = "helped" if self.difference > 0 else "did harm"
            alone = (
                " One seed cannot tell this from the luck of one start: train more."
                if len(self.by_seed) == 1
                else ""
            )
            return (
                "That is more than chance among the reviews explains: the contrastive reviews "
                f"{direction} here.{alone}"
            )
        if self.low <= 0 <= self.high:
            return (
                "The interval holds zero, so this is within chance: nothing is shown either "
                f"way.{grain}"
            )
        return "The seeds do not agree on the direction, so nothing is shown either way."


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def compare_arms(reviews: Reviews, without: np.ndarray, having: np.ndarray) -> ABComparison:
    """Compare two arms on labelled reviews; both (S, n) P(positive), row s of both from the same
    seed.

    Raises:
        BadInput: the answers do not fit the reviews or each other, or there are none.
    """
    without, having = np.atleast_2d(without), np.atleast_2d(having)
    if without.shape != having.shape or without.shape[1] != len(reviews) or not without.size:
        raise BadInput(
            f"Answers of shapes {without.shape} and {having.shape} do not fit {len(reviews)} "
            "reviews.",
            "Compare whole pairs.",
        )
    truth = np.array(reviews.labels) == 1
    right, right_having = (without > 0.5) == truth, (having > 0.5) == truth
    gains = right_having.astype(int) - right.astype(int)  # (S, n): 1 mended, -1 spoiled
    groups = np.unique(
        [example.pair or f"review {example.id}" for example in reviews], return_inverse=True
    )[1]
    low, high = _interval(gains.mean(0), groups)
    return ABComparison(
        reviews=len(reviews),
        without=float(right.mean()),
        having=float(right_having.mean()),
        mended=int((gains == 1).sum()),
        spoiled=int((gains == -1).sum()),
        low=low,
        high=high,
        p_value=_mcnemar(np.bincount(groups, gains.sum(0))),
        by_seed=tuple(float(d) for d in gains.mean(1)),
    )


def _interval(gains: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Of the mean gain: one mended and one spoiled review are added, and the rows of a group vary
    together.
    """
    n = len(gains) + 2
    centre = gains.sum() / n
    sums = np.bincount(groups, gains - centre)
    spread = np.sqrt((sums @ sums + (1 - centre) ** 2 + (1 + centre) ** 2) / n**2)
    return float(max(-1.0, centre - Z * spread)), float(min(1.0, centre + Z * spread))


def _mcnemar(gains: np.ndarray) -> float:
    """Two-sided exact p: could as many groups have gained rather than lost if a coin had decided
    each that changed?
    """
    from scipy.stats import binomtest

    gained, lost = int((gains > 0).sum()), int((gains < 0).sum())
    return float(binomtest(gained, gained + lost, 0.5).pvalue) if gained + lost else 1.0


def changed_answers(
    reviews: Reviews, without: np.ndarray, having: np.ndarray, seed: int
) -> pd.DataFrame:
    """The reviews that the twins of one seed label differently, the largest change first; both
    answers (n,) P(positive).
    """
    labels, others = without > 0.5, having > 0.5
    changed = np.flatnonzero(labels != others)
    changed = changed[np.argsort(-np.abs(having[changed] - without[changed]), kind="stable")]
    rows = []
    for i in changed:
        example, turned = (
            reviews.examples[i],
            CORRECTED if others[i] == (reviews.labels[i] == 1) else BROKEN,
        )
        answers = (
            LABELS[int(labels[i])],
            LABELS[int(others[i])],
            float(without[i]),
            float(having[i]),
        )
        text = clean_text(example.text)
        rows.append(
            (seed, example.id, text, example.phenomenon, LABELS[example.label], *answers, turned)
        )
    return pd.DataFrame(rows, columns=list(FLIPS))


def slice_table(
    reviews: Reviews, answers: dict[str, np.ndarray], by: str = "phenomenon"
) -> pd.DataFrame:
    """One row an arm and slice: arm, slice, n, right, accuracy, low, high (Wilson). ``answers`` has
    (n,) P(positive) for each arm.
    """
    found = [
        (arm, each)
        for arm, p in answers.items()
        for each in accuracy_by_slice(reviews, p, by).values()
    ]
    rows = [(arm, s.name, s.n, s.right, s.accuracy, *s.interval) for arm, s in found]
    return pd.DataFrame(rows, columns=["arm", "slice", "n", "right", "accuracy", "low", "high"])


def compare_arms_by_slice(
    reviews: Reviews, without: np.ndarray, having: np.ndarray, by: str = "phenomenon"
) -> pd.DataFrame:
    """One row a slice over all seeds: slice, reviews, without, with, difference, low, high, mended,
    spoiled, beyond_chance.
    """
    without, having = np.atleast_2d(without), np.atleast_2d(having)
    names = np.array([str(getattr(example, by) or "(none)") for example in reviews])
    rows = [("all", compare_arms(reviews, without, having))]
    for name in sorted(set(names)):
        mask = names == name
        rows.append((name, compare_arms(reviews.where(mask), without[:, mask], having[:, mask])))
    return pd.DataFrame([_row(name, found) for name, found in rows])


def _row(name: str, found: ABComparison) -> dict[str, object]:
    return {
        "slice": name,
        "reviews": found.reviews,
        "without": found.without,
        "with": found.having,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "mended": found.mended,
        "spoiled": found.spoiled,
        "beyond_chance": found.beyond_chance,
    }
