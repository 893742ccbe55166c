"""A model before and after fine-tuning and the same reviews in; four maps of them, how well the
classes come apart and how far each review has moved out.

Nothing is kept here: vectors and maps are kept by ``build_map``, and what is measured on top takes
seconds.

The four maps are made one by one and share no axes. Fine-tuning begins with the backbone's own
weights, so a direction means the same in both models, and one more plane can show both: the first
two principal components of all vectors together. There each review has an arrow.
"""

import copy
import math
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
from bertsent.space.projection import Projection, pca
from bertsent.space.projection_map import METHODS, MapOptions, ProjectionMap, build_map
from bertsent.statistics import PairedDifference, majority_class_sentence, paired_difference

_ANSWER = ["prediction", "p_positive", "confidence"]
MOST_FITTED = 5_000  # reviews that the plane of both is fitted on; beyond, every so many of them


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
        return {
            f"{when}: {title}": getattr(maps, method).points.assign(**answers)
            for when, maps in (("Before", self.before), ("After", self.after))
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


@dataclass(frozen=True)
class EmbeddingShift:
    """Where reviews lie on the common plane before and after fine-tuning, and how far they have
    moved in the full vectors.
    """

    before: np.ndarray  # (n, 2)
    after: np.ndarray  # (n, 2)
    moved: np.ndarray  # (n,)
    plane: Projection
    fitted_on: int  # reviews

    def arrow(self, before: np.ndarray, after: np.ndarray) -> "ShiftArrow":
        """The movement of one more review, from its vectors (H,) under both models."""
        (x0, y0), (x1, y1) = self.plane.place(np.stack([before, after])).tolist()
        length = float(np.linalg.norm(np.asarray(after, dtype=np.float64) - before))
        return ShiftArrow((x0, y0), (x1, y1), length, float((self.moved < length).mean()))

    def table(self, points: pd.DataFrame) -> pd.DataFrame:
        """One row a review of ``points``: both places on the plane, and how far it moved."""
        places = {
            f"{when}_{axis}": where[:, i]
            for when, where in (("before", self.before), ("after", self.after))
            for i, axis in enumerate("xy")
        }
        about = points[["id", "text", "label", "prediction", "p_positive"]]
        return about.assign(**places, moved=self.moved)


@dataclass(frozen=True)
class ShiftArrow:
    """From a review's place under the backbone to its place after fine-tuning."""

    start: tuple[float, float]
    end: tuple[float, float]
    length: float  # of the movement in the full vectors
    further_than: float  # share of the reviews that have moved less

    @property
    def seen(self) -> float:
        """Which share of the length the plane shows."""
        return math.dist(self.start, self.end) / self.length if self.length else 1.0


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
    data = np.asarray(vectors, dtype=np.float64)[[label is not None for label in reviews.labels]]
    with one_thread():
        return cross_validated(classifier("logistic"), data, truth, groups, FOLDS)


def labelled(reviews: Reviews) -> Reviews:
    """Those that have a label."""
    return reviews.where(label is not None for label in reviews.labels)


def embedding_shift(before: np.ndarray, after: np.ndarray) -> EmbeddingShift | None:
    """See vectors (n, H) of both models on one plane; None where their widths differ, because then
    they share no directions.

    Raises:
        BadInput: no vectors, or vectors that are not finite.
    """
    if before.shape != after.shape:
        return None
    some = slice(None, None, -(-len(before) // MOST_FITTED) or 1)
    plane = pca(np.concatenate([before[some], after[some]]))
    moved = np.linalg.norm(after.astype(np.float64) - before.astype(np.float64), axis=1)
    return EmbeddingShift(plane.place(before), plane.place(after), moved, plane, len(before[some]))


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
        f"positive from negative for {100 * gain.first:.1f} % of {gain.n:,} reviews before "
        f"fine-tuning and for {100 * gain.second:.1f} % after. "
        f"{majority_class_sentence(found.reviews.labels)}"
    )
    if found.unchanged:
        return f"{measured} {same}"
    trained = _learned_sentence(learned, len(found.reviews))
    return f"{measured} {_separation_sentence(gain)} {trained}"


def shift_sentence(found: EmbeddingShift, arrow: ShiftArrow | None) -> str:
    """How far the reviews have moved, and how far the one that was dropped in."""
    basis = (
        f"PCA of both models' vectors of {found.fitted_on:,} reviews together; its two axes keep "
        f"{100 * found.plane.explained.sum():.0f} % of their variance. The median movement is "
        f"{np.median(found.moved):.2f}."
    )
    if arrow is None:
        return f"{basis} Show your review as a star to see its own movement."
    return (
        f"{basis} Yours moved by {arrow.length:.2f}, further than {100 * arrow.further_than:.0f} % "
        f"of them; the amber arrow shows {100 * arrow.seen:.0f} % of that length."
    )


def _separation_sentence(gain: PairedDifference) -> str:
    change = (
        f"{100 * gain.difference:+.1f} points (95 % interval {100 * gain.low:+.1f} to "
        f"{100 * gain.high:+.1f}; exact McNemar test, p = {gain.p_value:.2g})"
    )
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
    one = build_map(model, reviews, flat, cache=cache, progress=first)
    other = build_map(model, reviews, turned, cache=cache, progress=second)
    found = Maps(one, other, separated(one.embeddings.vectors, reviews))
    progress(1.0)
    return found


def with_max_length(model: LoadedModel, tokens: int) -> LoadedModel:
    """The same model, reading as many tokens as the one that it is compared with."""
    if model.max_length == tokens:
        return model
    other = copy.copy(model)
    other.max_length = tokens
    return other
