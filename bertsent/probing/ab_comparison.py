"""The answers of paired runs (A/B) in, what they show out: which answers changed, and whether the
two arms can be told apart.

Answers are P(positive), one row per seed. The two arms answer the same reviews and are compared
review by review (``statistics.paired_difference``). Over several seeds a review counts with its
mean difference, and the two sides of a minimal pair count as one, because neither are independent.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.probing.slices import accuracy_by_slice
from bertsent.progress import Progress, part
from bertsent.statistics import ALPHA, PairedDifference, holm, paired_difference
from bertsent.written_numbers import written

FEW = 50  # reviews below which one of them is worth telling in points
CONTRASTIVE = "the contrastive reviews"
CORRECTED, BROKEN = "corrected", "broken"


@dataclass(frozen=True)
class ABComparison(PairedDifference):
    """Two arms on the same reviews: the first without and the second with ``what``.

    Accuracies are means over the seeds; ``corrected`` and ``broken`` count answers of all seeds.
    """

    by_seed: tuple[float, ...]  # difference of the accuracies, a number a seed
    what: str = CONTRASTIVE  # one arm has and the other has not

    @property
    def agreed(self) -> bool:
        """True when all seeds point in one direction."""
        return all(d > 0 for d in self.by_seed) or all(d < 0 for d in self.by_seed)

    @property
    def significant(self) -> bool:
        """Whether the arms can be told apart and no seed points the other way."""
        return super().significant and self.agreed

    def sentence(self, of: str) -> str:
        """What the numbers show, in words; ``of`` names the reviews: "validation reviews"."""
        several = f" (means of {len(self.by_seed)} seeds)" if len(self.by_seed) > 1 else ""
        ends = f"{_points(min(self.by_seed))} to {_points(max(self.by_seed))}"
        return (
            f"Of {self.n:,} {of}, {100 * self.second:.1f} % are right with {self.what} "
            f"and {100 * self.first:.1f} % without{several}: {_points(self.difference)} points, "
            f"95 % interval {_points(self.low)} to {_points(self.high)}."
            f"{several and f' The seeds range from {ends}.'} {self._verdict()}"
        )

    def _verdict(self) -> str:
        one = f" One review more or less is {100 / self.n:.1f} points here."
        grain, test = one if self.n < FEW else "", f"McNemar's exact test, p = {self.p_value:.2g}"
        if not self.corrected + self.broken:
            return f"Every answer is right or wrong in both arms: no difference was seen.{grain}"
        if self.significant:
            lucky = " One seed cannot rule out a lucky start: train more."
            return (
                f"This is more than chance explains ({test}): {self.what} "
                f"{'helped' if self.difference > 0 else 'did harm'} here."
                f"{lucky if len(self.by_seed) == 1 else ''}"
            )
        if super().significant:
            return "The seeds do not agree on the direction, so nothing is shown either way."
        return f"This may be chance ({test}): nothing is shown either way.{grain}"


def _points(share: float) -> str:
    return written(100 * share, "+.1f")


def compare_arms(
    reviews: Reviews, without: np.ndarray, having: np.ndarray, what: str = CONTRASTIVE
) -> ABComparison:
    """Compare two arms on labelled reviews; both (S, n) P(positive), row s of both from the same
    seed. ``what`` the second has and the first has not.

    Raises:
        BadInput: the answers do not fit the reviews or each other, or there are none.
    """
    without, having = np.atleast_2d(without), np.atleast_2d(having)
    BadInput.raise_if(
        without.shape != having.shape or without.shape[1] != len(reviews) or not without.size,
        f"Answers of shapes {without.shape} and {having.shape} do not fit {len(reviews)} reviews.",
        "Compare whole pairs of runs.",
    )
    truth = np.array(reviews.labels) == 1
    right, right_having = (without > 0.5) == truth, (having > 0.5) == truth
    return ABComparison(
        **asdict(paired_difference(right, right_having, review_groups(reviews))),
        by_seed=tuple((right_having.mean(axis=1) - right.mean(axis=1)).tolist()),
        what=what,
    )


def changed_answers(
    reviews: Reviews, without: np.ndarray, having: np.ndarray, seed: int
) -> pd.DataFrame:
    """The reviews that the two runs of one seed label differently, the largest change first; both
    answers (n,) P(positive).
    """
    table = pd.DataFrame(
        {
            "seed": seed,
            "id": [e.id for e in reviews],
            "text": reviews.texts,
            "phenomenon": [e.phenomenon for e in reviews],
            "true": [LABELS[int(e.label == 1)] for e in reviews],
            "without": [LABELS[int(p > 0.5)] for p in without],
            "with": [LABELS[int(p > 0.5)] for p in having],
            "p_without": without,
            "p_with": having,
        }
    )
    table["change"] = np.where(table["with"] == table["true"], CORRECTED, BROKEN)
    table = table[table["without"] != table["with"]]
    order = (table["p_with"] - table["p_without"]).abs().sort_values(ascending=False, kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def slice_table(reviews: Reviews, answers: dict[str, np.ndarray]) -> pd.DataFrame:
    """One row an arm and slice: arm, slice, n, right, accuracy, low, high (Wilson). ``answers`` has
    (n,) P(positive) for each arm.
    """
    return pd.DataFrame(
        [
            (arm, s.name, s.n, s.right, s.accuracy, *s.interval)
            for arm, p in answers.items()
            for s in accuracy_by_slice(reviews, p).values()
        ],
        columns=["arm", "slice", "n", "right", "accuracy", "low", "high"],
    )


def compare_arms_by_slice(
    reviews: Reviews, without: np.ndarray, having: np.ndarray
) -> pd.DataFrame:
    """One row per slice over all seeds: slice, reviews, without, with, difference, low, high,
    corrected, broken, significant. The slices are corrected for being several (Holm).
    """
    without, having = np.atleast_2d(without), np.atleast_2d(having)
    names = np.array([example.phenomenon or "(none)" for example in reviews])
    masks = {name: names == name for name in sorted(set(names))}
    slices = {
        name: compare_arms(reviews.where(mask), without[:, mask], having[:, mask])
        for name, mask in masks.items()
    }
    compared = {"all": compare_arms(reviews, without, having)} | slices
    p_values = [compared["all"].p_value, *holm([each.p_value for each in slices.values()])]
    return pd.DataFrame(
        {
            "slice": name,
            "reviews": found.n,
            "without": found.first,
            "with": found.second,
            "difference": found.difference,
            "low": found.low,
            "high": found.high,
            "corrected": found.corrected,
            "broken": found.broken,
            "significant": found.significant and p_value <= ALPHA,
        }
        for (name, found), p_value in zip(compared.items(), p_values, strict=True)
    )


def answers_of_models(
    names: Sequence[str], texts: list[str], progress: Progress
) -> list[np.ndarray]:
    """P(positive) of every text by each model, (n,) each; ``names`` as the registry has them."""
    from bertsent.probing.loaded_model import load

    answers = []
    for turn, name in enumerate(names):
        share = part(progress, turn / len(names), (turn + 1) / len(names))
        answers.append(load(name).probabilities(texts, progress=share)[:, 1])
    return answers
