"""Labelled answers in, accuracy with its interval and the majority-class baseline for each slice
out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from bertsent.data.examples import Example, Reviews
from bertsent.data.splits import review_groups
from bertsent.statistics import (
    Interval,
    accuracy_interval,
    balanced_accuracy_interval,
    majority_class_accuracy,
    wilson_interval,
)
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task

PAIRS = "pairs, both right"


class LabelCount(NamedTuple):
    """How many reviews have a label, and how many of them were answered rightly."""

    n: int
    right: int


@dataclass(frozen=True)
class Slice:
    """How many of ``n`` answers were right."""

    name: str
    n: int
    right: int
    clustered: Interval | None = None  # 95 % interval of the accuracy with minimal pairs as groups
    majority: float | None = None  # accuracy of always answering the more frequent label
    labels: tuple[LabelCount, ...] = ()  # of each label in order; empty where they are not known

    @property
    def accuracy(self) -> float:
        return self.right / self.n

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the accuracy: clustered by minimal pair where the reviews are known,
        Wilson's (1927) where only the counts are.
        """
        return self.clustered or wilson_interval(self.right, self.n)

    @property
    def balanced(self) -> float | None:
        """The mean of the shares of right answers of each label, which guessing and answering
        always the same leave at one by the number of labels; None where only one label is there.
        """
        there = self._there()
        return sum(each.right / each.n for each in there) / len(there) if there else None

    @property
    def balanced_interval(self) -> Interval | None:
        """The 95 % interval of ``balanced``; it takes all reviews as independent."""
        there = self._there()
        return balanced_accuracy_interval(there) if there else None

    @property
    def score(self) -> float:
        """Balanced accuracy, or accuracy where only one label is there, and of pairs."""
        return self.accuracy if self.balanced is None else self.balanced

    @property
    def score_interval(self) -> Interval:
        """The 95 % interval of ``score``."""
        return self.balanced_interval or self.interval

    def _there(self) -> list[LabelCount]:
        there = [each for each in self.labels if each.n]
        return there if len(there) > 1 else []


def pairs_right(pairs: Sequence[str], right: Sequence[bool]) -> Slice | None:
    """How many minimal pairs have both sides right, None where there is no whole pair.

    That is the consistency of Gardner et al. (2020), "Evaluating Models' Local Decision Boundaries
    via Contrast Sets". ``pairs`` names the pair of each answer, empty for none.
    """
    sides = pd.Series(right, dtype=bool).groupby(np.asarray(pairs, object))
    whole = [all(both) for pair, both in sides if pair and len(both) == 2]
    return Slice(PAIRS, len(whole), sum(whole)) if whole else None


def accuracy_by_slice(
    reviews: Reviews, p_positive: np.ndarray, by: str = "phenomenon"
) -> Mapping[str, Slice]:
    """Accuracy of all labelled reviews (``all``), of each value of ``by`` in alphabetical order,
    and of the minimal pairs where there are some.

    Args:
        reviews: all of them with a label.
        p_positive: (n,) P(positive).
        by: a field of ``Example``; reviews with an empty one are the slice ``(none)``.
    """
    labels = np.array([label == 1 for label in reviews.labels], bool)
    return right_by_slice(reviews, (np.asarray(p_positive) > 0.5) == labels, by)


def right_by_slice(reviews: Reviews, right: np.ndarray, by: str) -> Mapping[str, Slice]:
    """``accuracy_by_slice``, of any task that gives one of some labels.

    Args:
        reviews: all of them with a label.
        right: (n,) whether each was answered rightly.
        by: as above; labels that are none of sentiment's are called by their names.
    """
    labels, groups = np.array(reviews.labels), np.array(review_groups(reviews))
    names = np.array([_slice_of(example, by, reviews.task) for example in reviews])
    kinds = sorted({0, 1, *labels.tolist()})
    chosen = {"all": np.ones(len(right), bool)}
    chosen |= {name or "(none)": names == name for name in sorted(set(names.tolist()))}
    found = {
        name: Slice(
            name,
            int(rows.sum()),
            int(right[rows].sum()),
            accuracy_interval(right[rows], groups[rows]),
            majority_class_accuracy(labels[rows].tolist()),
            _label_counts(labels[rows], right[rows], kinds),
        )
        for name, rows in chosen.items()
    }
    pairs = pairs_right([e.pair for e in reviews], right.tolist())
    return found | ({PAIRS: pairs} if pairs else {})


def _label_counts(
    labels: np.ndarray, right: np.ndarray, kinds: Sequence[int]
) -> tuple[LabelCount, ...]:
    return tuple(
        LabelCount(int((labels == kind).sum()), int(right[labels == kind].sum())) for kind in kinds
    )


def _slice_of(example: Example, by: str, task: Task) -> str:
    value = getattr(example, by)
    if by == "label" and task != SENTIMENT:
        value = task.output_names[value]
    return "" if value is None else str(value)
