"""Labelled reviews in, folds of a cross-validation out: groups are kept together."""

import warnings
from collections.abc import Sequence

import numpy as np

Folds = list[tuple[np.ndarray, np.ndarray]]


def grouped_folds(
    labels: Sequence[int] | np.ndarray, groups: Sequence[object], count: int = 5, seed: int = 42
) -> Folds:
    """Positions to learn from and to test on, for each of at most ``count`` stratified folds.

    Reviews of one group, such as the two of a minimal pair, stand on the same side. Otherwise the
    one that was learned would give the other a score that points the wrong way. Only where the
    groups are too few or too large for folds with both classes are they split.

    Args:
        labels: (n,) 0 or 1.
        groups: (n,) as ``data.splits.review_groups`` gives them.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    labels = np.asarray(labels)
    codes = np.unique([str(group) for group in groups], return_inverse=True)[1]
    count = max(2, min(count, int(np.bincount(labels, minlength=2).min())))
    if codes.max() + 1 >= count:
        grouped = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # classes with few groups: checked below
            folds = list(grouped.split(labels, labels, codes))
        if all(len(test) and len(set(labels[learned])) == 2 for learned, test in folds):
            return folds
    return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(labels, labels))
