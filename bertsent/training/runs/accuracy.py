"""Validation answers of runs in, their accuracies out: with interval, majority class, and whether
one run may be called better than another.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BertsentError
from bertsent.statistics import (
    accuracy_interval,
    best_of,
    best_of_sentence,
    majority_class_accuracy,
    majority_class_sentence,
)
from bertsent.tasks.task import OneLabel
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run


@dataclass(frozen=True)
class RunAnswers:
    """Which validation reviews the newest weights of a run answer correctly."""

    step: int
    reviews: Reviews
    correct: np.ndarray  # (n,) of bool

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """At 95 %; the reviews of a minimal pair count together."""
        return accuracy_interval(self.correct, review_groups(self.reviews))


def run_answers(run: Run, history: History, reviews: Reviews) -> RunAnswers | None:
    """The answers of the last evaluation of a run; None before its first epoch, or where they are
    not those to ``reviews``, its validation part, or of a task that does not give one label.
    """
    if not isinstance(reviews.task, OneLabel):
        return None
    for evaluation in reversed(history.evaluations):
        scores = run.scores(evaluation.step) if evaluation.step else None
        if scores is not None and len(scores) == len(reviews):
            return RunAnswers(evaluation.step, reviews, right_answers(reviews, scores))
    return None


def right_answers(reviews: Reviews, answers: np.ndarray) -> np.ndarray:
    """Which of the kept answers give the true label, (n,) of bool; for tasks that give one."""
    given = answers > 0.5 if answers.ndim == 1 else answers.argmax(1)
    return given == np.array(reviews.labels)


def comparison_sentence(answers: Mapping[str, RunAnswers]) -> str:
    """Which of the named runs is best, if any can be told apart from the others.

    Runs that answered the same validation reviews are compared by ``statistics.best_of``; others
    are not compared.
    """
    same: dict[str, list[str]] = {}
    for name, found in answers.items():
        same.setdefault(found.reviews.sha256, []).append(name)
    sentences = []
    for names in same.values():
        if len(names) > 1:
            reviews = answers[names[0]].reviews
            best = best_of(
                np.stack([answers[name].correct for name in names]), review_groups(reviews)
            )
            sentences += [best_of_sentence(names, best), majority_class_sentence(reviews.labels)]
    if len(same) > 1:
        sentences.append("Runs with different validation reviews cannot be compared.")
    elif sentences:
        sentences.append("Other seeds may give another order.")
    return " ".join(sentences) or "Fewer than two of them have been evaluated."


def majority_class_of(run: Run) -> float | None:
    """The accuracy of always giving the most frequent label of the run's validation reviews; None
    where they cannot be read, and for a task whose texts do not have one label each. Reads the
    labels only.
    """
    try:
        if not isinstance(run.config.task, OneLabel):
            return None
        table = pd.read_parquet(run.folder / "reviews.parquet", columns=["label", "half"])
        labels = table.loc[table["half"] == "validation", "label"].dropna().tolist()
        return majority_class_accuracy(labels)
    except (OSError, ValueError, KeyError, BertsentError):
        return None
