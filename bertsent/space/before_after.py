"""A model before and after fine-tuning and the same reviews in; four maps of them and how well the
classes come apart out.

Nothing is kept here: vectors and maps are kept by ``build_map``, and what is measured on top takes
seconds.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.blas_threads import one_thread
from bertsent.data.examples import LABELS, Reviews
from bertsent.progress import Progress, no_progress, part
from bertsent.space.projection_map import METHODS, MapOptions, ProjectionMap, build_map

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

FOLDS, SEED = 5, 42
_ANSWER = ["prediction", "p_positive", "confidence"]
_MAPPED = 0.9  # share of a model's progress when its maps are there


@dataclass(frozen=True)
class Maps:
    """Where one model places the reviews: two maps of the same vectors."""

    pca: ProjectionMap
    tsne: ProjectionMap
    told: np.ndarray | None  # (m,) bool, one for each labelled review: see ``separated``

    @property
    def vectors(self) -> np.ndarray:
        """(n, width) float32, before anything is projected."""
        return self.pca.embeddings.vectors


@dataclass(frozen=True)
class SeparationGain:
    """How well the classes come apart before and after, as shares of the labelled reviews."""

    before: float
    after: float
    margin: (
        float  # 95 % of the difference: 1.96 standard errors of the mean of the paired differences
    )
    commoner: float  # what is right when every review is given the commoner label
    count: int  # labelled reviews


@dataclass(frozen=True)
class BeforeAfter:
    """The same reviews, in the same order, under a model as it was and as it has become."""

    before: Maps
    after: Maps

    @property
    def panels(self) -> dict[str, pd.DataFrame]:
        """The points of the four maps by title. All carry the answers of the fine-tuned model, and
        each model its own clusters.
        """
        answers = self.after.pca.points[_ANSWER]
        rows = {"Before": self.before, "After": self.after}
        return {
            f"{when}: {title}": getattr(maps, method).points.assign(**answers)
            for when, maps in rows.items()
            for method, title in METHODS.items()
        }

    @property
    def table(self) -> pd.DataFrame:
        """One row a review: what it is, what the fine-tuned model answers, its place on each map
        and its cluster in each model.
        """
        found = self.after.pca.points[["id", "text", "label", *_ANSWER]].copy()
        for when, maps in (("before", self.before), ("after", self.after)):
            for method in METHODS:
                points = getattr(maps, method).points
                found[f"{when}_{method}_x"], found[f"{when}_{method}_y"] = points["x"], points["y"]
            found[f"{when}_cluster"] = maps.pca.points["cluster"]
        return found

    @property
    def unchanged(self) -> bool:
        """True when fine-tuning moved no vector: only a head was trained, or nothing yet."""
        one, two = self.before.vectors, self.after.vectors
        return one.shape == two.shape and bool(np.allclose(one, two, rtol=0, atol=1e-5))

    @property
    def gain(self) -> SeparationGain | None:
        """How much better the classes come apart after; None where too few reviews have a label."""
        before, after = self.before.told, self.after.told
        if before is None or after is None:
            return None
        change = after.astype(float) - before.astype(float)
        margin = 1.96 * change.std(ddof=1) / np.sqrt(len(change))
        counts = self.after.pca.points["label"].value_counts().reindex(LABELS, fill_value=0)
        return SeparationGain(
            float(before.mean()),
            float(after.mean()),
            float(margin),
            float(counts.max() / counts.sum()),
            len(change),
        )


def compare_before_after(
    before: "LoadedModel",
    after: "LoadedModel",
    reviews: Reviews,
    options: MapOptions,
    *,
    cache: Path,
    progress: Progress = no_progress,
) -> BeforeAfter:
    """Map the same reviews by PCA and by t-SNE, under ``before`` and under ``after``, in two
    dimensions.

    Both read as many tokens of a review as ``after`` does, so that they see the same words.

    Args:
        options: pooling, layer, number of clusters and seed of all four maps.
        cache: the folder of ``build_map``; what it has is not made again.
        progress: told a fraction; may raise ``Cancelled``, and then nothing half-made is kept.

    Raises:
        BadInput: there are no reviews, or no such layer.
        NotAvailable: one of the two gives no embeddings.
        BertsentError: vectors are not finite numbers.
    """
    first = _mapped(
        with_max_length(before, after.max_length), reviews, options, cache, part(progress, 0.0, 0.5)
    )
    return BeforeAfter(first, _mapped(after, reviews, options, cache, part(progress, 0.5, 1.0)))


def separated(
    vectors: np.ndarray,
    labels: Sequence[int | None],
    groups: Sequence[str] | None = None,
    *,
    progress: Progress = no_progress,
) -> np.ndarray | None:
    """Whether a straight cut through vectors (n, H) tells each labelled review right.

    Logistic regression on standardised vectors, cross-validated: five stratified folds shuffled
    with seed 42, each judged by
    the regression of the other four. Rows of one group (the two sides of a minimal pair) lie in one
    fold.

    Returns:
        (m,) bool for the m reviews that have a label, in their order; None where a class has fewer
        than five.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = np.array([label is not None for label in labels], dtype=bool)
    truth = np.array([label for label in labels if label is not None], dtype=np.int64)
    if np.bincount(truth, minlength=len(LABELS)).min() < FOLDS:
        return None
    data, right = np.asarray(vectors, dtype=np.float64)[known], np.empty(len(truth), dtype=bool)
    names = np.asarray(range(len(known)) if groups is None else groups)[known]
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED).split(data, truth, names)
    with one_thread():
        for fold, (seen, unseen) in enumerate(folds, start=1):
            judge = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)).fit(
                data[seen], truth[seen]
            )
            right[unseen] = judge.predict(data[unseen]) == truth[unseen]
            progress(fold / FOLDS)
    return right


def _mapped(
    learner: "LoadedModel",
    reviews: Reviews,
    options: MapOptions,
    cache: Path,
    progress: Progress,
) -> Maps:
    parts = {
        "pca": part(progress, 0.0, _MAPPED * 0.7),
        "tsne": part(progress, _MAPPED * 0.7, _MAPPED),
    }
    maps = {
        method: build_map(
            learner,
            reviews,
            replace(options, method=method, dimensions=2),
            cache=cache,
            progress=told,
        )
        for method, told in parts.items()
    }
    vectors = maps["pca"].embeddings.vectors
    return Maps(
        **maps,
        told=separated(
            vectors,
            reviews.labels,
            [e.pair or e.id for e in reviews],
            progress=part(progress, _MAPPED, 1.0),
        ),
    )


def with_max_length(learner: "LoadedModel", tokens: int) -> "LoadedModel":
    """The same model, reading as many tokens as the one that it is compared with."""
    if learner.max_length == tokens:
        return learner
    twin = copy.copy(learner)
    twin.max_length = tokens
    return twin
