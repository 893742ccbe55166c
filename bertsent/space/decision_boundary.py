"""A picture and labels in, how well a line through it separates them out; and how far the picture
can be believed at all.

Every accuracy is cross-validated: the classifier never saw the review it is judged on. The regions
that are drawn come from the
same classifier fitted on all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertsent.blas_threads import one_thread
from bertsent.errors import BadInput

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

Kind = Literal["svm", "logistic"]
KINDS: dict[Kind, str] = {"svm": "SVM", "logistic": "Logistic regression"}
FOLDS, GRID, NEIGHBOURS = 5, 120, 10
FITTED = (
    5_000  # reviews that a classifier is fitted on: a support vector machine compares all with all
)
SAMPLE = 2_000  # reviews on which the picture is compared with the full width, all with all


@dataclass(frozen=True)
class DecisionBoundary:
    """One classifier in the picture, and the same at full width."""

    kind: Kind
    reviews: int
    folds: int
    accuracy: float  # mean over the folds, in the picture
    sd: float  # standard deviation over the folds
    full_accuracy: float  # the same folds on the vectors that the picture was made of
    full_sd: float
    chance: float  # share of the commoner label
    xs: np.ndarray  # (g,) grid of the picture
    ys: np.ndarray  # (g,)
    p_positive: (
        np.ndarray
    )  # (g, g) the classifier's side as a number: rows are ys; above 0.5 is positive


@dataclass(frozen=True)
class NeighbourhoodFidelity:
    """How far neighbours in the picture are neighbours in the vectors, and the other way round,
    both 0 to 1.
    """

    reviews: int
    neighbours: int
    trustworthiness: float  # punishes dots that look near and are not (Venna and Kaski 2001)
    preservation: float  # share of the true nearest neighbours that are nearest in the picture too


def decision_boundary(
    places: np.ndarray,
    vectors: np.ndarray,
    labels: Sequence[int | None],
    kind: Kind = "svm",
    *,
    seed: int = 42,
) -> DecisionBoundary:
    """Fit and judge a classifier on the two coordinates of a picture, and judge the same one on the
    full vectors.

    Of more than 5,000 labelled reviews a seeded sample is taken (``Boundary.reviews`` says how many
    there were).

    Args:
        places: (n, 2) where the reviews lie.
        vectors: (n, H) what the picture was made of.
        labels: (n,) 0, 1 or None; those without are left out.
        kind: a support vector machine with a radial kernel, or logistic regression; coordinates are
            standardised for both.

    Raises:
        BadInput: an unknown kind, three dimensions, or fewer than two labelled reviews of each
            label.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    if kind not in KINDS:
        raise BadInput(
            f"There is no classifier “{str(kind)[:40]}”.", f"Choose one of {', '.join(KINDS)}."
        )
    known, truth = _labelled(labels)
    here, wide = np.asarray(places, dtype=float)[known], np.asarray(vectors, dtype=float)[known]
    if here.ndim != 2 or here.shape[1] != 2:
        raise BadInput("A boundary is drawn in two dimensions.", "Choose a map of two.")
    if len(truth) > FITTED:
        some = np.sort(np.random.default_rng(seed).choice(len(truth), FITTED, replace=False))
        here, wide, truth = here[some], wide[some], truth[some]
    fewest = int(np.bincount(truth, minlength=2).min())
    if fewest < 2:
        raise BadInput(
            "There are not enough labelled reviews of both kinds for a boundary.",
            "Choose a set with at least two of each.",
        )
    folds = StratifiedKFold(min(FOLDS, fewest), shuffle=True, random_state=seed)
    with one_thread():
        flat, full = (
            cross_val_score(classifier(kind), data, truth, cv=folds) for data in (here, wide)
        )
        xs, ys = (_axis(here[:, i]) for i in (0, 1))
        regions = _regions(classifier(kind).fit(here, truth), xs, ys)
    commoner = float(np.bincount(truth).max() / len(truth))
    scores = (
        float(flat.mean()),
        float(flat.std(ddof=1)),
        float(full.mean()),
        float(full.std(ddof=1)),
    )
    return DecisionBoundary(kind, len(truth), folds.n_splits, *scores, commoner, xs, ys, regions)


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
    places: np.ndarray, vectors: np.ndarray, *, seed: int = 42
) -> NeighbourhoodFidelity | None:
    """Compare neighbourhoods of the picture (n, 2 or 3) with those of the vectors (n, H), on at
    most 2,000 reviews.

    None where there are too few reviews to have neighbourhoods.
    """
    from sklearn.manifold import trustworthiness

    chosen = np.arange(len(places))
    if len(chosen) > SAMPLE:
        chosen = np.sort(np.random.default_rng(seed).choice(len(chosen), SAMPLE, replace=False))
    k = min(NEIGHBOURS, (len(chosen) - 1) // 2)
    if k < 1:
        return None
    here, wide = np.asarray(places, dtype=float)[chosen], np.asarray(vectors, dtype=float)[chosen]
    with one_thread():
        kept = np.mean(
            [
                len(set(a) & set(b)) / k
                for a, b in zip(_nearest(here, k), _nearest(wide, k), strict=True)
            ]
        )
        return NeighbourhoodFidelity(
            len(chosen), k, float(trustworthiness(wide, here, n_neighbors=k)), float(kept)
        )


def _labelled(labels: Sequence[int | None]) -> tuple[np.ndarray, np.ndarray]:
    known = np.array([label is not None for label in labels], dtype=bool)
    return known, np.array([label for label in labels if label is not None], dtype=np.int64)


def _axis(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * ((high - low) or 1.0)
    return np.linspace(low - room, high + room, GRID)


def _regions(fitted: "Pipeline", xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """(g, g) in 0 to 1; 0.5 is the boundary: the logistic function of the decision value, for the
    picture only.
    """
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    return (1 / (1 + np.exp(-np.clip(fitted.decision_function(grid), -30, 30)))).reshape(
        len(ys), len(xs)
    )


def _nearest(data: np.ndarray, k: int) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=k).fit(data).kneighbors(return_distance=False)
