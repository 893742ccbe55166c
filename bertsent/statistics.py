"""Right and wrong answers in, intervals, paired tests and corrections out.

Reviews of one minimal pair, and repeats of one text, do not vary independently. A parameter
``groups`` takes one name or number per review (``data.splits.review_groups``), and the reviews of a
group are counted together; without it each review counts for itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from bertsent.errors import BadInput

ALPHA = 0.05  # of two-sided tests; intervals are at 1 - ALPHA
Z95 = 1.959963984540054  # the normal quantile of 1 - ALPHA / 2
RESAMPLES, SEED = 10_000, 42  # of the bootstrap
Interval = tuple[float, float]
Groups = Sequence[object] | np.ndarray | None


def wilson_interval(right: float, n: float) -> Interval:
    """The 95 % score interval of a proportion (Wilson 1927), from counts that need not be whole.

    Raises:
        BadInput: ``n`` is not above 0, or ``right`` is not from 0 to ``n``.
    """
    BadInput.raise_if(
        not 0 <= right <= n or not n > 0,
        f"{right} of {n} is not a proportion.",
        "Count at least one review.",
    )
    centre = (right + Z95**2 / 2) / (n + Z95**2)
    reach = Z95 / (n + Z95**2) * math.sqrt(right * (n - right) / n + Z95**2 / 4)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def accuracy_interval(correct: Sequence[bool] | np.ndarray, groups: Groups = None) -> Interval:
    """The 95 % interval of an accuracy: Wilson's, with as many reviews as the groups are worth.

    The effective number of reviews is n divided by the design effect, the ratio of the clustered
    variance to the binomial one (Rao and Scott 1992). It is never taken to be above n (Korn and
    Graubard 1998), and it is the number of groups where all answers are alike.

    Args:
        correct: (n,) whether each answer was right.
        groups: (n,) reviews of one group vary together.
    """
    values = _answers(correct)[0]
    n, p = len(values), float(values.mean())
    sums, count = _group_sums(values - p, groups)
    binomial = p * (1 - p) * n
    if count == n:
        effective = float(n)
    elif binomial == 0 or count == 1:
        effective = float(count)
    else:
        effective = n / max(1.0, float(sums @ sums) * count / (count - 1) / binomial)
    return wilson_interval(p * effective, effective)


def balanced_accuracy_interval(counts: Sequence[tuple[int, int]]) -> Interval:
    """The 95 % interval of a balanced accuracy, the mean of the shares of right answers of each
    label, from the Wilson intervals of these shares (Zou and Donner 2008).

    Args:
        counts: of each label, how many reviews have it and how many of them were answered rightly.

    Raises:
        BadInput: a label has no reviews, or more right answers than reviews.
    """
    shares = [right / n if n else 0.0 for n, right in counts]
    ends = [wilson_interval(right, n) for n, right in counts]
    below = math.hypot(*(share - low for share, (low, _) in zip(shares, ends, strict=True)))
    above = math.hypot(*(high - share for share, (_, high) in zip(shares, ends, strict=True)))
    mean = sum(shares) / len(shares)
    return mean - below / len(shares), mean + above / len(shares)


def mean_interval(values: Sequence[float] | np.ndarray, groups: Groups = None) -> Interval:
    """The 95 % interval of a mean by Student's t.

    The standard error is cluster-robust over groups (Liang and Zeger 1986). For paired values,
    such as the change of loss of each review, pass the differences. With fewer than two groups the
    interval is infinite.
    """
    numbers = np.asarray(values, float)
    BadInput.raise_if(not len(numbers), "There are no values to average.", "Give at least one.")
    mean = float(numbers.mean())
    sums, count = _group_sums(numbers - mean, groups)
    if count < 2:
        return -math.inf, math.inf
    from scipy.stats import t

    error = math.sqrt(float(sums @ sums) * count / (count - 1)) / len(numbers)
    reach = float(t.ppf(1 - ALPHA / 2, count - 1)) * error
    return mean - reach, mean + reach


def bootstrap_interval(values: Sequence[float] | np.ndarray) -> Interval:
    """The 95 % interval of a mean by the percentile bootstrap (Efron 1979): the values are drawn
    again ``RESAMPLES`` times with replacement, and the middle 95 % of the means are kept.

    The draws are the same at every call with as many values, so that intervals can be repeated. For
    paired values pass the differences.
    """
    numbers = np.asarray(values, float)
    BadInput.raise_if(not len(numbers), "There are no values to average.", "Give at least one.")
    means = _draws(len(numbers)) @ numbers / len(numbers)
    low, high = np.percentile(means, (50 * ALPHA, 100 - 50 * ALPHA))
    return float(low), float(high)


@lru_cache(maxsize=8)
def _draws(n: int) -> np.ndarray:
    """(RESAMPLES, n): how often each of n values is in each draw of n with replacement."""
    return np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), RESAMPLES)


@dataclass(frozen=True)
class PairedDifference:
    """Two classifiers on the same ``n`` reviews: accuracy of the second minus that of the first.

    Over several seeds accuracies are means, and ``corrected`` and ``broken`` count the answers of
    all seeds.
    """

    n: int
    first: float  # accuracy
    second: float  # accuracy
    corrected: int  # wrong by the first, right by the second
    broken: int  # right by the first, wrong by the second
    low: float  # of the 95 % interval of the difference
    high: float
    p_value: float  # McNemar's exact test, two-sided

    @property
    def difference(self) -> float:
        return self.second - self.first

    @property
    def significant(self) -> bool:
        """Whether p is at most 0.05 and the interval leaves out zero."""
        return self.p_value <= ALPHA and not self.low <= 0 <= self.high


def paired_difference(
    first: Sequence[bool] | np.ndarray,
    second: Sequence[bool] | np.ndarray,
    groups: Groups = None,
) -> PairedDifference:
    """Compare two classifiers review by review.

    The interval is that of Bonett and Price (2012), which adds one corrected and one broken review;
    its variance is clustered by group. Over several seeds a review counts with its mean gain.

    Args:
        first: (n,) whether each answer was right, or (S, n) with one row per seed.
        second: the same reviews (and seeds) for the other classifier.
        groups: (n,) reviews of one group vary together.

    Raises:
        BadInput: there are no answers, or the shapes differ.
    """
    one, other = _answers(first), _answers(second)
    BadInput.raise_if(
        one.shape != other.shape,
        f"Answers of shapes {one.shape} and {other.shape} are not for the same reviews.",
        "Compare classifiers that answered the same reviews.",
    )
    gains = other - one  # (S, n): 1 corrected, -1 broken
    mean = gains.mean(axis=0)
    n = len(mean) + 2
    centre = float(mean.sum()) / n
    sums = _group_sums(mean - centre, groups)[0]
    reach = Z95 * math.sqrt(float(sums @ sums) + (1 - centre) ** 2 + (1 + centre) ** 2) / n
    return PairedDifference(
        n=len(mean),
        first=float(one.mean()),
        second=float(other.mean()),
        corrected=int((gains == 1).sum()),
        broken=int((gains == -1).sum()),
        low=max(-1.0, centre - reach),
        high=min(1.0, centre + reach),
        p_value=mcnemar_test(one, other, groups),
    )


def mcnemar_test(
    first: Sequence[bool] | np.ndarray,
    second: Sequence[bool] | np.ndarray,
    groups: Groups = None,
) -> float:
    """The two-sided exact p-value of McNemar's test (1947) on right and wrong answers.

    Only reviews that one classifier has right and the other wrong count. A group counts once, for
    the classifier that has more of its reviews right, and not at all where that is a draw: the sign
    test over groups. Shapes as in ``paired_difference``.
    """
    from scipy.stats import binomtest

    gains = (_answers(second) - _answers(first)).sum(axis=0)
    net = np.sign(_group_sums(gains, groups)[0])
    won, lost = int((net > 0).sum()), int((net < 0).sum())
    return float(binomtest(won, won + lost, 0.5).pvalue) if won + lost else 1.0


def holm(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """(m,) p-values adjusted for m comparisons by Holm's step-down method (1979)."""
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted


@dataclass(frozen=True)
class BestOf:
    """The classifier with the highest accuracy of k, and whether it may be called the best."""

    place: int
    accuracies: np.ndarray = field(repr=False)  # (k,)
    p_values: np.ndarray = field(repr=False)  # (k,) adjusted, against ``place``; 1 for itself
    not_separated: tuple[int, ...]  # places of those it does not beat, by accuracy

    @property
    def clear(self) -> bool:
        """Whether it beats every other."""
        return len(self.accuracies) > 1 and not self.not_separated


def best_of(correct: np.ndarray | Sequence[Sequence[bool]], groups: Groups = None) -> BestOf:
    """Which of k classifiers is best on the same reviews: only one that beats every other is.

    Each other one is compared by McNemar's exact test. Because the best is chosen after looking,
    all k - 1 p-values are multiplied by k - 1 (Bonferroni): each of the others would have had the
    same chance to be called the best wrongly, so the chance that any is stays at most 0.05.

    Args:
        correct: (k, n) whether each classifier answered each review right.
        groups: (n,) reviews of one group vary together.

    Raises:
        BadInput: there are no answers, or classifiers answered different numbers of reviews.
    """
    rows = _answers(correct)
    accuracies = rows.mean(axis=1)
    place = int(np.argmax(accuracies))
    others = [other for other in np.argsort(-accuracies, kind="stable").tolist() if other != place]
    p_values = np.ones(len(rows))
    for other in others:
        p_values[other] = min(1.0, len(others) * mcnemar_test(rows[other], rows[place], groups))
    return BestOf(place, accuracies, p_values, tuple(o for o in others if p_values[o] > ALPHA))


def best_of_sentence(names: Sequence[str], found: BestOf) -> str:
    """Which is best, or which it cannot be told apart from; ``names`` in the order of the rows."""
    best, accuracy = names[found.place], found.accuracies[found.place]
    others = len(found.accuracies) - 1
    if not others:
        return f"{best} has an accuracy of {100 * accuracy:.1f} %."
    how = "exact McNemar test on the same reviews" + (
        f", corrected for {others} comparisons" if others > 1 else ""
    )
    if found.clear:
        rest = "the other one" if others == 1 else f"each of the other {others}"
        return f"{best} is best: its {100 * accuracy:.1f} % are better than {rest} ({how})."
    rivals = [f"{names[i]} ({100 * found.accuracies[i]:.1f} %)" for i in found.not_separated]
    listed = ", ".join(rivals[:3]) + (f" and {len(rivals) - 3} more" if len(rivals) > 3 else "")
    return (
        f"{best} has the highest accuracy ({100 * accuracy:.1f} %) but cannot be told "
        f"apart from {listed} ({how})."
    )


def majority_class_accuracy(labels: Sequence[int | None] | np.ndarray) -> float:
    """The accuracy of always answering the most frequent label; reviews without a label are left
    out.

    Raises:
        BadInput: no review has a label.
    """
    known = [label for label in labels if label is not None]
    BadInput.raise_if(not known, "No review has a label.", "Use labelled reviews.")
    return max(known.count(label) for label in set(known)) / len(known)


def majority_class_sentence(labels: Sequence[int | None] | np.ndarray) -> str:
    """The majority-class baseline in words, to show beside an accuracy."""
    which = "more" if len({*labels} - {None}) < 3 else "most"
    return (
        f"Always answering the {which} frequent label would have an accuracy of "
        f"{100 * majority_class_accuracy(labels):.1f} %."
    )


def _answers(correct: Sequence[bool] | Sequence[Sequence[bool]] | np.ndarray) -> np.ndarray:
    """(S, n) zeros and ones."""
    values = np.atleast_2d(np.asarray(correct, float))
    BadInput.raise_if(
        values.ndim != 2 or not values.size,
        "There are no answers to compare.",
        "Give at least one review.",
    )
    return values


def _group_sums(values: np.ndarray, groups: Groups) -> tuple[np.ndarray, int]:
    """The sum of the values in each group, and the number of groups."""
    if groups is None:
        return values, len(values)
    names = np.asarray([str(group) for group in groups])
    BadInput.raise_if(
        len(names) != len(values),
        f"There are {len(names)} groups for {len(values)} reviews.",
        "Give one per review.",
    )
    codes = np.unique(names, return_inverse=True)[1]
    return np.bincount(codes, values), int(codes.max()) + 1
