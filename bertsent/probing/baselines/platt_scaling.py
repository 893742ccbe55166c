"""Scores in, probabilities out: the sigmoid of Platt (1999), fitted on scores of reviews that were
not learned from.

Reviews that belong together (the two sides of a minimal pair, repeats of one text) are learned from
together or not at all:
else the side that was learned would give the other a score that points the wrong way.
"""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.splits import duplicate_key

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FOLDS = 5


def sigmoid(values: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-v)), for any finite v."""
    from scipy.special import expit

    return expit(values)


def groups(reviews: Reviews) -> np.ndarray:
    """(n,): reviews of the same number belong together. Repeats (``id~2``) go with what they
    repeat.
    """
    names = [
        f"pair {e.pair.partition('~')[0]}" if e.pair else f"text {duplicate_key(e.text)}"
        for e in reviews
    ]
    return np.unique(names, return_inverse=True)[1]


def unseen_scores(
    model: "BaseEstimator", inputs: Sequence[Any] | np.ndarray, reviews: Reviews, *, seed: int = 42
) -> np.ndarray:
    """(n,): the score of each review by a model that learned from the other folds (5-fold,
    stratified, groups kept together).
    """
    from sklearn.model_selection import cross_val_predict

    labels = np.array(reviews.labels)
    return cross_val_predict(
        model, inputs, labels, cv=folds(reviews, seed=seed), method="decision_function"
    )


def folds(reviews: Reviews, *, seed: int = 42) -> list[tuple[np.ndarray, np.ndarray]]:
    """The folds of ``unseen_scores``; where the groups are too large for fair ones, groups are torn
    apart.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    labels, group = np.array(reviews.labels), groups(reviews)
    count = max(2, min(FOLDS, int(np.bincount(labels, minlength=2).min())))
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # of classes with few groups, which is looked at below
        if group.max() + 1 >= count:
            made = list(
                StratifiedGroupKFold(count, shuffle=True, random_state=seed).split(
                    labels, labels, group
                )
            )
            if all(len(test) and len(set(labels[learned])) == 2 for learned, test in made):
                return made
    return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(labels, labels))


def platt(scores: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Slope and offset of the likeliest P = σ(slope · score + offset), with Platt's softened
    targets.

    The slope is never negative, so that a higher score never means a lower probability; where the
    scores tell nothing it is 0
    and every P is the share of positives.
    """
    from sklearn.linear_model import LogisticRegression

    scores, labels = np.asarray(scores, float), np.asarray(labels)
    positives, negatives = int((labels == 1).sum()), int((labels == 0).sum())
    target = np.where(labels == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    spread = float(scores.std()) or 1.0
    both = np.tile(scores / spread, 2)[:, None]
    side = np.repeat([1, 0], len(scores))
    found = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1_000).fit(
        both, side, sample_weight=np.concatenate([target, 1 - target])
    )
    slope, offset = float(found.coef_[0, 0]) / spread, float(found.intercept_[0])
    if slope > 0:
        return slope, offset
    mean = float(target.mean())
    return 0.0, float(np.log(mean / (1 - mean)))
