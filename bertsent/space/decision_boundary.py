"""Vectors or a map and labels in, how well a classifier tells the labels apart out; and how far the
neighbourhoods of a map can be believed.

Every accuracy is cross-validated: the classifier has seen neither the review it is tested on nor
the other side of its minimal pair. The regions that are drawn come from the same classifier fitted
on all reviews.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import expit

from bertsent.blas_threads import one_thread
from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.space.clustering import SAMPLE, sample
from bertsent.statistics import (
    Interval,
    PairedDifference,
    accuracy_interval,
    majority_class_accuracy,
    majority_class_sentence,
    paired_difference,
)

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

Kind = Literal["svm", "logistic"]
KINDS: dict[Kind, str] = {"svm": "SVM", "logistic": "Logistic regression"}
FOLDS, GRID, NEIGHBOURS, SEED = 5, 120, 10, 42
FITTED = 5_000  # reviews that a classifier is fitted on: an SVM compares all with all


@dataclass(frozen=True)
class DecisionBoundary:
    """One classifier on a map, and the same on the full vectors."""

    kind: Kind
    folds: int
    accuracies: PairedDifference  # the first on the map, the second on the full vectors
    interval: Interval  # 95 %, of the accuracy on the map, clustered by minimal pair
    full_interval: Interval  # of that on the full vectors
    labels: np.ndarray  # (m,) of the reviews that were tested
    xs: np.ndarray  # (g,) grid of the map
    ys: np.ndarray  # (g,)
    p_positive: np.ndarray  # (g, g) the classifier's side as a number, rows are ys; above 0.5: yes


@dataclass(frozen=True)
class NeighbourhoodFidelity:
    """How far neighbours on the map are neighbours by their vectors, and the other way round, both
    from 0 to 1.
    """

    reviews: int
    neighbours: int
    trustworthiness: float  # lower where dots look near and are not (Venna and Kaski 2001)
    preservation: float  # share of the true nearest neighbours that are nearest on the map too


def decision_boundary(
    coordinates: np.ndarray, vectors: np.ndarray, reviews: Reviews, kind: Kind = "svm"
) -> DecisionBoundary:
    """Fit and test a classifier on the two coordinates of a map, and test the same one on the full
    vectors, with the same folds.

    Of more than 5,000 labelled reviews a seeded sample is taken.

    Args:
        coordinates: (n, 2) where the reviews lie.
        vectors: (n, H) what the map was made of.
        reviews: the n reviews; those without a label are left out.
        kind: a support vector machine with a radial kernel, or logistic regression; coordinates are
            standardised for both.

    Raises:
        BadInput: an unknown kind, three dimensions, or too few labelled reviews of each label.
    """
    if kind not in KINDS:
        raise BadInput(
            f"There is no classifier “{str(kind)[:40]}”.", f"Choose one of {', '.join(KINDS)}."
        )
    here, wide = np.asarray(coordinates, dtype=float), np.asarray(vectors, dtype=float)
    if here.ndim != 2 or here.shape[1] != 2:
        raise BadInput("A boundary is drawn in two dimensions.", "Choose a map of two.")
    chosen = sample(np.flatnonzero([label is not None for label in reviews.labels]), FITTED)
    here, wide, some = here[chosen], wide[chosen], reviews.take(chosen.tolist())
    truth, groups = np.array(some.labels, dtype=np.int64), np.array(review_groups(some))
    folds = min(FOLDS, fewest_groups(truth, groups))
    with one_thread():
        flat, full = (
            cross_validated(classifier(kind), data, truth, groups, folds) for data in (here, wide)
        )
        xs, ys = (_axis(here[:, i]) for i in (0, 1))
        regions = _regions(classifier(kind).fit(here, truth), xs, ys)
    return DecisionBoundary(
        kind,
        folds,
        paired_difference(flat, full, groups),
        accuracy_interval(flat, groups),
        accuracy_interval(full, groups),
        truth,
        xs,
        ys,
        regions,
    )


def cross_validated(
    model: "Pipeline", data: np.ndarray, truth: np.ndarray, groups: np.ndarray, folds: int
) -> np.ndarray:
    """(m,) whether each row is predicted rightly by a classifier that saw no row of its group, in
    stratified folds shuffled with seed 42.

    Raises:
        BadInput: some classifier would see one label only.
    """
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedGroupKFold

    right = np.empty(len(truth), dtype=bool)
    if folds < 2:
        raise BadInput(
            "There are not enough labelled reviews of both kinds for a boundary.",
            "Choose a set with at least two of each that are no pairs.",
        )
    split = StratifiedGroupKFold(folds, shuffle=True, random_state=SEED)
    for seen, unseen in split.split(data, truth, groups):
        if len(set(truth[seen])) < 2:
            return cross_validated(model, data, truth, groups, folds - 1)
        fitted = clone(model).fit(data[seen], truth[seen])
        right[unseen] = fitted.predict(data[unseen]) == truth[unseen]
    return right


def fewest_groups(truth: np.ndarray, groups: np.ndarray) -> int:
    """How many groups the rarer label is found in: more folds than that are not possible."""
    return min(len(set(groups[truth == label])) for label in (0, 1))


def classifier(kind: Kind) -> "Pipeline":
    """The classifier of that kind, not fitted: scikit-learn's, with its defaults, on standardised
    coordinates.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    return make_pipeline(
        StandardScaler(), SVC() if kind == "svm" else LogisticRegression(max_iter=1_000)
    )


def neighbourhood_fidelity(
    coordinates: np.ndarray, vectors: np.ndarray
) -> NeighbourhoodFidelity | None:
    """Compare neighbourhoods on the map (n, 2 or 3) with those of the vectors (n, H), on at most
    2,000 reviews; None where there are too few reviews to have neighbourhoods.
    """
    from sklearn.manifold import trustworthiness
    from sklearn.neighbors import kneighbors_graph

    chosen = sample(np.arange(len(coordinates)), SAMPLE)
    k = min(NEIGHBOURS, (len(chosen) - 1) // 2)
    if k < 1:
        return None
    here, wide = (np.asarray(each, dtype=float)[chosen] for each in (coordinates, vectors))
    with one_thread():
        shared = kneighbors_graph(here, k).multiply(kneighbors_graph(wide, k)).sum()
        trust = float(trustworthiness(wide, here, n_neighbors=k))
    return NeighbourhoodFidelity(len(chosen), k, trust, float(shared / (k * len(chosen))))


def boundary_sentence(found: DecisionBoundary, method: str) -> str:
    """How well the classifier does on a map made by ``method``, beside the full vectors and the
    majority class.
    """
    both = found.accuracies
    more = 100 * both.difference
    beside = (
        f"on the full vectors {abs(more):.1f} points {'more' if more > 0 else 'less'}"
        if both.significant
        else "the full vectors make no significant difference"
    )
    low, high = found.interval
    return (
        f"On this {method} map {KINDS[found.kind]} classifies {100 * both.first:.1f} % of "
        f"{both.n:,} held-out labelled reviews correctly (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %); {beside} (exact McNemar test, p = {both.p_value:.2g}). "
        f"{majority_class_sentence(found.labels.tolist())}"
    )


def boundary_table(
    found: DecisionBoundary, fidelity: NeighbourhoodFidelity | None
) -> dict[str, str]:
    """The numbers behind the sentence by name."""

    def share(accuracy: float, interval: Interval) -> str:
        low, high = interval
        return f"{100 * accuracy:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"

    both = found.accuracies
    rows = {
        f"on the map, {found.folds} folds": share(both.first, found.interval),
        "on the full vectors, same folds": share(both.second, found.full_interval),
        "difference": f"{100 * both.difference:+.1f} points ({100 * both.low:+.1f} to "
        f"{100 * both.high:+.1f})",
        "majority class": f"{100 * majority_class_accuracy(found.labels.tolist()):.1f} %",
    }
    if fidelity is not None:
        rows |= {
            "trustworthiness of the map": f"{fidelity.trustworthiness:.3f}",
            f"neighbours kept (of {fidelity.neighbours})": f"{100 * fidelity.preservation:.1f} %",
            "compared on": f"{fidelity.reviews:,} reviews",
        }
    return rows


def _axis(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * ((high - low) or 1.0)
    return np.linspace(low - room, high + room, GRID)


def _regions(fitted: "Pipeline", xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """(g, g) in 0 to 1, 0.5 is the boundary: the logistic function of the decision value, for the
    picture only.
    """
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return expit(fitted.decision_function(grid)).reshape(len(ys), len(xs))
