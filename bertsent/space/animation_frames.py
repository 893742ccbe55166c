"""A journey in, what can be read from one of its stops out: how right it is, what has changed,
which reviews went farthest.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, Reviews
from bertsent.probing.slices import Slice
from bertsent.space.animation import CheckpointAnimation


@dataclass(frozen=True)
class FrameEvaluation:
    """How the labelled reviews are answered at one stop; the matrix has true labels as rows."""

    score: Slice | None  # None: no review has a label
    matrix: np.ndarray  # (2, 2)
    turned_right: int  # since the stop before
    turned_wrong: int


def evaluate_frame(journey: CheckpointAnimation, reviews: Reviews, at: int) -> FrameEvaluation:
    """Accuracy with its 95 % interval, confusion matrix, and what turned since the stop before."""
    known = np.array([label is not None for label in reviews.labels])
    truth = np.array([label or 0 for label in reviews.labels])[known]
    guess = (journey.p_positive[:, known] > 0.5).astype(int)
    right = guess == truth
    matrix = np.zeros((2, 2), int)
    np.add.at(matrix, (truth, guess[at]), 1)
    before = right[max(at - 1, 0)]
    score = (
        Slice(f"step {journey.steps[at]:,}", len(truth), int(right[at].sum()))
        if len(truth)
        else None
    )
    return FrameEvaluation(
        score, matrix, int((right[at] & ~before).sum()), int((before & ~right[at]).sum())
    )


def accuracy_frame(journey: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """One row a stop: step, epoch, accuracy, low and high (its 95 % interval); empty without
    labels.
    """
    scores = [evaluate_frame(journey, reviews, at).score for at in range(len(journey.steps))]
    rows = [
        (int(step), float(epoch), score.accuracy, *score.interval)
        for step, epoch, score in zip(journey.steps, journey.epochs, scores, strict=True)
        if score
    ]
    return pd.DataFrame(rows, columns=["step", "epoch", "accuracy", "low", "high"])


def coin_interval(count: int) -> tuple[float, float]:
    """Between which accuracies a coin stays in 99 of 100 tries on so many reviews (binomial)."""
    from scipy.stats import binom

    low, high = binom.interval(0.99, count, 0.5)
    return float(low / count), float(high / count)


def changes_between(
    journey: CheckpointAnimation, reviews: Reviews, at: int, since: int
) -> pd.DataFrame:
    """Every review with its P(positive) at two stops, the one that changed most first.

    Columns: id, text, label, before, after, change, moved (how far its vector came meanwhile, stop
        by stop), course (P(positive)
    at every stop). Equal changes are ordered as the reviews are.
    """
    before, after = journey.p_positive[since], journey.p_positive[at]
    found = pd.DataFrame(
        {
            "id": [example.id for example in reviews],
            "text": [clean_text(example.text) for example in reviews],
            "label": ["" if label is None else LABELS[label] for label in reviews.labels],
            "before": before,
            "after": after,
            "change": after - before,
            "moved": journey.moved[since + 1 : at + 1].sum(axis=0),
            "course": journey.p_positive.T.tolist(),
        }
    )
    return found.iloc[np.argsort(-np.abs(found["change"].to_numpy()), kind="stable")].reset_index(
        drop=True
    )


def animation_table(journey: CheckpointAnimation, reviews: Reviews) -> pd.DataFrame:
    """All there is to take away: one row a stop and review."""
    labels = ["" if label is None else LABELS[label] for label in reviews.labels]
    fixed = {
        "id": [e.id for e in reviews],
        "text": [clean_text(e.text) for e in reviews],
        "label": labels,
    }
    parts = []
    for at, step in enumerate(journey.steps.tolist()):
        places = {
            f"{method}_{axis}": journey.places(method)[at, :, i]
            for method in ("pca", "tsne")
            for i, axis in enumerate("xy")
        }
        facts = {"p_positive": journey.p_positive[at], "moved": journey.moved[at], **places}
        parts.append(pd.DataFrame({"step": step, **fixed, **facts}))
    return pd.concat(parts, ignore_index=True)
