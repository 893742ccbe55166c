"""A model before and after fine-tuning and the same reviews in; four maps of them and how well the
classes come apart out.

Nothing is kept here: vectors and maps are kept by ``build_map``, and what is measured on top takes
seconds.
"""

import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from bertsent.blas_threads import one_thread
from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress, part
from bertsent.space.decision_boundary import FOLDS, classifier, cross_validated, fewest_groups
from bertsent.space.projection_map import METHODS, MapOptions, ProjectionMap, build_map
from bertsent.statistics import PairedDifference, majority_class_sentence, paired_difference

_ANSWER = ["prediction", "p_positive", "confidence"]


@dataclass(frozen=True)
class Maps:
    """Where one model places the reviews: two maps of the same vectors."""

    pca: ProjectionMap
    tsne: ProjectionMap
    correct: np.ndarray | None  # (m,) bool, one for each labelled review: see ``separated``

    @property
    def vectors(self) -> np.ndarray:
        """(n, width) float32, before anything is projected."""
        return self.pca.embeddings.vectors


@dataclass(frozen=True)
class BeforeAfter:
    """The same reviews, in the same order, under a model as it was and as it has become."""

    before: Maps
    after: Maps
    reviews: Reviews

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
    def separation(self) -> PairedDifference | None:
        """How well a straight cut separates the labels before and after, review by review; None
        where too few reviews have a label.
        """
        before, after = self.before.correct, self.after.correct
        if before is None or after is None:
            return None
        return paired_difference(before, after, review_groups(labelled(self.reviews)))


def compare_before_after(
    before: LoadedModel,
    after: LoadedModel,
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
        progress: called with a fraction; may raise ``Cancelled``, and then nothing half-made is
            kept.

    Raises:
        BadInput: there are no reviews, or no such layer.
        NotAvailable: one of the two gives no embeddings.
        BertsentError: vectors are not finite numbers.
    """
    first = _mapped(
        with_max_length(before, after.max_length), reviews, options, cache, part(progress, 0.0, 0.5)
    )
    second = _mapped(after, reviews, options, cache, part(progress, 0.5, 1.0))
    return BeforeAfter(first, second, reviews)


def separated(vectors: np.ndarray, reviews: Reviews) -> np.ndarray | None:
    """Whether a straight cut through vectors (n, H) answers each labelled review rightly.

    Logistic regression on standardised vectors, cross-validated in five folds as in
    ``decision_boundary``: both sides of a minimal pair lie in one fold.

    Returns:
        (m,) bool for the m reviews that have a label, in their order; None where a label has fewer
        than five that are no pairs.
    """
    some = labelled(reviews)
    truth, groups = np.array(some.labels, dtype=np.int64), np.array(review_groups(some))
    if not len(truth) or fewest_groups(truth, groups) < FOLDS:
        return None
    known = [label is not None for label in reviews.labels]
    data = np.asarray(vectors, dtype=np.float64)[known]
    with one_thread():
        return cross_validated(classifier("logistic"), data, truth, groups, FOLDS)


def labelled(reviews: Reviews) -> Reviews:
    """Those that have a label."""
    return reviews.where(label is not None for label in reviews.labels)


def before_after_sentence(found: BeforeAfter, learned: int | None) -> str:
    """How well the labels come apart before and after, and what that means.

    Args:
        learned: how many of the reviews the model was trained on; None where that is not known.
    """
    same = (
        "Both rows show the same: no vector was moved, because only the head of this model was "
        "trained, or nothing yet."
    )
    gain = found.separation
    if gain is None:
        measured = (
            "Five labelled reviews of each class are needed to measure how well the classes come "
            "apart; there are fewer."
        )
        return f"{measured} {same}" if found.unchanged else measured
    measured = (
        "A straight cut through the vectors (5-fold cross-validated logistic regression) separates "
        f"positive from negative for {gain.first:.1%} of {gain.n:,} reviews before fine-tuning and "
        f"for {gain.second:.1%} after. {majority_class_sentence(found.reviews.labels)}"
    )
    if found.unchanged:
        return f"{measured} {same}"
    trained = _learned_sentence(learned, len(found.reviews))
    return f"{measured} {_separation_sentence(gain)} {trained}"


def _separation_sentence(gain: PairedDifference) -> str:
    interval = f"95 % interval {100 * gain.low:+.1f} to {100 * gain.high:+.1f}"
    test = f"exact McNemar test, p = {gain.p_value:.2g}"
    change = f"{100 * gain.difference:+.1f} points ({interval}; {test})"
    if not gain.significant:
        return f"The difference of {change} may be chance."
    direction = "apart" if gain.difference > 0 else "closer together"
    return f"Fine-tuning has moved the classes {direction}, by {change}."


def _learned_sentence(learned: int | None, count: int) -> str:
    if learned == 0:
        return "The model was trained on none of these reviews."
    if learned is None:
        return (
            "Reviews that the model was trained on make the lower row look better than new ones "
            "would."
        )
    return (
        f"The model was trained on {learned:,} of these {count:,} reviews, which makes the lower "
        "row look better than new ones would."
    )


def _mapped(
    model: LoadedModel, reviews: Reviews, options: MapOptions, cache: Path, progress: Progress
) -> Maps:
    first, second = part(progress, 0.0, 0.6), part(progress, 0.6, 0.9)
    flat, turned = (replace(options, method=each, dimensions=2) for each in METHODS)
    pca = build_map(model, reviews, flat, cache=cache, progress=first)
    tsne = build_map(model, reviews, turned, cache=cache, progress=second)
    found = Maps(pca, tsne, separated(pca.embeddings.vectors, reviews))
    progress(1.0)
    return found


def with_max_length(model: LoadedModel, tokens: int) -> LoadedModel:
    """The same model, reading as many tokens as the one that it is compared with."""
    if model.max_length == tokens:
        return model
    other = copy.copy(model)
    other.max_length = tokens
    return other
