"""A checkpoint animation in, what can be read from one of its frames out: how right the answers
are, what has changed, which reviews moved farthest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.space.animation import CheckpointAnimation
from bertsent.statistics import (
    Interval,
    accuracy_interval,
    majority_class_accuracy,
    majority_class_sentence,
)


@dataclass(frozen=True)
class FrameEvaluation:
    """How the labelled reviews are answered in one frame; the matrix has true labels as rows."""

    n: int
    accuracy: float
    interval: Interval  # 95 %, minimal pairs counted together
    matrix: np.ndarray  # (2, 2)
    corrected: int  # since the frame before
    broken: int
    majority: float  # accuracy of always answering the majority class


def evaluate_frame(
    animation: CheckpointAnimation, reviews: Reviews, at: int
) -> FrameEvaluation | None:
    """Accuracy with its 95 % interval, confusion matrix, and what changed since the frame before;
    None where no review has a label.
    """
    known = np.array([label is not None for label in reviews.labels])
    if not known.any():
        return None
    some = reviews.where(known)
    truth = np.array(some.labels, dtype=np.int64)
    guess = (animation.p_positive[:, known] > 0.5).astype(int)
    right = guess == truth
    matrix = np.zeros((2, 2), int)
    np.add.at(matrix, (truth, guess[at]), 1)
    before = right[max(at - 1, 0)]
    return FrameEvaluation(
        n=len(truth),
        accuracy=float(right[at].mean()),
        interval=accuracy_interval(right[at], review_groups(some)),
        matrix=matrix,
        corrected=int((right[at] & ~before).sum()),
        broken=int((before & ~right[at]).sum()),
        majority=majority_class_accuracy(some.labels),
    )


def accuracy_frame(animation: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """One row a frame: step, epoch, accuracy, low and high (its 95 % interval); empty without
    labels.
    """
    found = [evaluate_frame(animation, reviews, at) for at in range(len(animation.steps))]
    rows = [
        (int(step), float(epoch), each.accuracy, *each.interval)
        for step, epoch, each in zip(animation.steps, animation.epochs, found, strict=True)
        if each is not None
    ]
    return pd.DataFrame(rows, columns=["step", "epoch", "accuracy", "low", "high"])


def coin_interval(count: int) -> Interval:
    """Between which accuracies a coin stays in 99 of 100 tries on so many reviews (binomial)."""
    from scipy.stats import binom

    low, high = binom.interval(0.99, count, 0.5)
    return float(low / count), float(high / count)


def changes_between(
    animation: CheckpointAnimation, reviews: Reviews, at: int, since: int
) -> pd.DataFrame:
    """Every review with its P(positive) in two frames, the one that changed most first.

    Columns: id, text, label, before, after, change, moved (how far its vector went meanwhile, frame
    by frame), course (P(positive) in every frame). Equal changes are ordered as the reviews are.
    """
    before, after = animation.p_positive[since], animation.p_positive[at]
    found = review_rows(reviews).assign(
        before=before,
        after=after,
        change=after - before,
        moved=animation.moved[since + 1 : at + 1].sum(axis=0),
        course=animation.p_positive.T.tolist(),
    )
    return found.sort_values("change", key=lambda change: -change.abs(), kind="stable").reset_index(
        drop=True
    )


def animation_table(animation: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """All that can be downloaded: one row a frame and review."""
    about, parts = review_rows(reviews), []
    for at, step in enumerate(animation.steps.tolist()):
        places = {
            f"{method}_{axis}": animation.places(method)[at, :, i]
            for method in ("pca", "tsne")
            for i, axis in enumerate("xy")
        }
        facts = {"p_positive": animation.p_positive[at], "moved": animation.moved[at], **places}
        parts.append(about.assign(step=step, **facts))
    return pd.concat(parts, ignore_index=True)


def frame_sentence(animation: CheckpointAnimation, reviews: Reviews, at: int) -> str:
    """What one frame shows, from the numbers."""
    found, step = evaluate_frame(animation, reviews, at), f"Step {animation.steps[at]:,}"
    if found is None:
        return f"{step}: the reviews have no labels, so the answers cannot be evaluated."
    low, high = found.interval
    score = (
        f"{step}: {found.accuracy:.1%} of {found.n:,} reviews are answered correctly (95 % "
        f"interval {low:.1%} to {high:.1%})."
    )
    if at:
        far = animation.moved[at]
        moved = (
            f"On average a vector moved by {far.mean():.2g} meanwhile."
            if far.any()
            else "No vector moved meanwhile: only the head was trained."
        )
        return (
            f"{score} Since step {animation.steps[at - 1]:,}, {found.corrected:,} answers were "
            f"corrected and {found.broken:,} broken. {moved}"
        )
    if animation.steps[0]:
        return f"{score} {majority_class_sentence(reviews.labels)}"
    low, high = coin_interval(found.n)
    inside = "this one is, too" if low <= found.accuracy <= high else "this one is outside"
    return (
        f"{score} The head is random here. A coin would be right for {low:.1%} to {high:.1%} in 99 "
        f"of 100 tries; {inside}."
    )


def changes_sentence(found: pd.DataFrame, start: int, step: int) -> str:
    """The review whose answer changed most between two steps, and the one that moved farthest;
    ``found`` is of ``changes_between``.
    """
    first, far = found.iloc[0], found.iloc[int(found["moved"].to_numpy().argmax())]
    moved = (
        f"The vector of “{shorten(far.text, 80)}” moved farthest."
        if far.moved > 0
        else "No vector moved: only the head was trained."
    )
    return (
        f"From step {start:,} to step {step:,} the answer to “{shorten(first.text, 80)}” changed "
        f"most: P(positive) from {first.before:.1%} to {first.after:.1%}. {moved}"
    )


def flips_sentence(text: str, steps: Sequence[int], p_positive: np.ndarray) -> str:
    """At which checkpoints the answer to a text changed its side."""
    sides = [LABELS[int(share > 0.5)].lower() for share in p_positive]
    turns = [
        f"{side} at step {step:,}"
        for step, before, side in zip(steps[1:], sides, sides[1:], strict=False)
        if side != before
    ]
    first = f"“{shorten(text, 60)}” is {sides[0]} at step {steps[0]:,} ({p_positive[0]:.1%})"
    last = f"{p_positive[-1]:.1%} at step {steps[-1]:,}."
    if not turns:
        return f"{first} and at every other checkpoint; {last}"
    return f"{first}, then becomes {', '.join(turns)}; {last}"


def review_rows(reviews: Reviews) -> pd.DataFrame:
    """One row a review: id, text, and label, empty where it is not known."""
    labels = ["" if label is None else LABELS[label] for label in reviews.labels]
    return pd.DataFrame({"id": [e.id for e in reviews], "text": reviews.texts, "label": labels})
