"""Vectors of an encoder that learned no label, and labelled reviews, in; how far they carry out: as
features of a logistic regression, by the number of labels it gets, and as clusters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.probing.baselines.frozen_bert import fit_frozen_head
from bertsent.probing.baselines.pipelines import FROZEN_LR
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress
from bertsent.space.clustering import ClusterAgreement, agreement, cluster_label_matrix, kmeans
from bertsent.statistics import accuracy_interval, paired_difference
from bertsent.written_numbers import written

COUNTS = (16, 64, 256, 1_024)  # labelled reviews, and after them all there are
_SEED = 42


def labels_curve(
    learned: np.ndarray,
    reviews: Reviews,
    judged: np.ndarray,
    validation: Reviews,
    embedder: LoadedModel,
    *,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """The accuracy of a logistic regression on frozen vectors by how many labels it learned from:
    columns ``labels``, ``rate``, ``low`` and ``high``, from few to all.

    Args:
        learned: vectors (m, H) of ``reviews``, which are labelled. The smaller sets are parts of
            the larger ones, half of them of each label.
        judged: vectors (n, H) of ``validation``.
        embedder: what made the vectors.
        progress: hears how much of it is done.
    """
    order = _alternating(np.array(reviews.labels))
    counts = [count for count in COUNTS if count < len(reviews)] + [len(reviews)]
    truth, groups = np.array(validation.labels) == 1, review_groups(validation)
    rows = []
    for number, count in enumerate(counts):
        progress(number / len(counts))
        places = order[:count] if count < len(reviews) else np.arange(len(reviews))
        part = reviews.take(places.tolist())
        head = fit_frozen_head(FROZEN_LR, learned[places], part, embedder, seed=_SEED)
        right = (head.p_of(judged) > 0.5) == truth
        rows.append((count, float(right.mean()), *accuracy_interval(right, groups)))
    return pd.DataFrame(rows, columns=["labels", "rate", "low", "high"])


def _alternating(labels: np.ndarray) -> np.ndarray:
    """Places in a seeded order, in which both labels take turns while there are both."""
    random = np.random.default_rng(_SEED)
    sides = [random.permutation(np.flatnonzero(labels == label)) for label in (0, 1)]
    turn = np.concatenate([np.arange(len(side)) + label / 2 for label, side in enumerate(sides)])
    return np.concatenate(sides)[np.argsort(turn, kind="stable")]


def labels_sentence(curve: pd.DataFrame, tuned: float, floor: float) -> str:
    """What labels bring, how far that is from fine-tuning, and from the majority class."""
    first, last = curve.iloc[0], curve.iloc[-1]
    gap = 100 * (tuned - last["rate"])
    beside = (
        f"{gap:.1f} points below the fine-tuned model"
        if gap > 0
        else f"{-gap:.1f} points above the fine-tuned model"
    )
    return (
        f"With {int(first['labels']):,} labels a logistic regression on frozen vectors is right on "
        f"{100 * first['rate']:.1f} %, with {int(last['labels']):,} on {100 * last['rate']:.1f} %: "
        f"{beside} ({100 * tuned:.1f} %). The majority class alone has {100 * floor:.1f} %."
    )


@dataclass(frozen=True)
class TwoClusters:
    """What K-Means with two clusters makes of vectors that never saw a label."""

    matrix: pd.DataFrame  # cluster × label
    measures: ClusterAgreement
    right: np.ndarray  # (n,) whether the label that its cluster is matched to is its own


def two_clusters(vectors: np.ndarray, labels: Sequence[int]) -> TwoClusters:
    """Cluster vectors (n, H) into two and compare them with the labels.

    Raises:
        BadInput: two clusters are not possible.
    """
    ids = kmeans(vectors, 2, seed=_SEED).ids
    found = agreement(ids, list(labels))
    assert found is not None, "every review has a label"
    named = np.array([found.matched.get(cluster, -1) for cluster in (0, 1)])
    matrix = cluster_label_matrix(ids, list(labels))
    return TwoClusters(matrix, found, named[ids] == np.array(labels))


def clusters_compared(before: TwoClusters, after: TwoClusters) -> str:
    """Whether two groups that form by themselves are the two labels, before and after training."""
    one, other = before.measures, after.measures
    near = "hardly differ from chance" if abs(one.ari) < 0.05 else "agree in part with the labels"
    return (
        f"Without fine-tuning the two clusters {near}: purity {100 * one.purity:.1f} %, ARI "
        f"{_signed(one.ari)} (0 is chance, 1 the labels). Those of the fine-tuned vectors: purity "
        f"{100 * other.purity:.1f} %, ARI {_signed(other.ari)}."
    )


def score_table(right: Mapping[str, np.ndarray], groups: Sequence[object]) -> pd.DataFrame:
    """Accuracies with their intervals: a row for each name, columns ``group``, ``rate``, ``low``,
    ``high``.
    """
    rows = [
        (name, float(answers.mean()), *accuracy_interval(answers, groups))
        for name, answers in right.items()
    ]
    return pd.DataFrame(rows, columns=["group", "rate", "low", "high"])


def difference_sentence(
    first: np.ndarray, second: np.ndarray, groups: Sequence[object], name: str, other: str
) -> str:
    """How much more often ``other`` is right than ``name`` on the same reviews, with the interval
    of the difference.
    """
    found = paired_difference(first, second, groups)
    low, high = 100 * found.low, 100 * found.high
    p = "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"
    more = "more" if found.difference >= 0 else "less"
    apart = "" if found.significant else " They cannot be told apart."
    return (
        f"{name} is right on {100 * found.first:.1f} % of {found.n:,} reviews, {other} on "
        f"{100 * found.second:.1f} %: {100 * abs(found.difference):.1f} points {more} (95 % "
        f"interval {_signed(low, 1)} to {_signed(high, 1)}, exact McNemar test {p}).{apart}"
    )


def _signed(number: float, places: int = 3) -> str:
    return written(number, f".{places}f")
