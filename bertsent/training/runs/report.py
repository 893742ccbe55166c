"""A run's validation scores in, the report of its answers out: scikit-learn's table, confusion
matrix, mistakes. For two labels at a threshold, for more of them by the likeliest one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import NotAvailable
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels, Task
from bertsent.training.runs.history import History
from bertsent.training.runs.masked_report import MaskedReport, masked_report
from bertsent.training.runs.mixed_report import MixedReport, mixed_report
from bertsent.training.runs.rating_report import RatingReport, rating_report
from bertsent.training.runs.run import Run
from bertsent.training.runs.several_report import SeveralReport, several_report
from bertsent.training.runs.thresholds import HALF

AnyReport: TypeAlias = (
    "EvaluationReport | RatingReport | SeveralReport | MixedReport | MaskedReport"
)
NAMES = ("Negative", "Positive")


@dataclass(frozen=True)
class EvaluationReport:
    """How a model answered labelled reviews.

    ``text`` is ``classification_report`` as scikit-learn prints it, ``matrix`` (K, K) has true
    labels as rows, ``answers`` one row a review, those farthest from the threshold, or the surest,
    first. Of two labels they have ``p_positive``, of others ``probability``, that of the label
    given.
    """

    step: int
    text: str
    table: pd.DataFrame
    matrix: np.ndarray
    answers: pd.DataFrame
    accuracy: float
    macro_f1: float
    rows: int
    labels: tuple[str, ...] = LABELS
    ordered: bool = False

    @property
    def metrics(self) -> dict[str, float]:
        """The measures over all reviews, by name."""
        return {"accuracy": self.accuracy, "macro_f1": self.macro_f1}

    @property
    def mistakes(self) -> pd.DataFrame:
        """The wrongly answered reviews, most confident first."""
        wrong = self.answers["true"] != self.answers["predicted"]
        return self.answers[wrong].reset_index(drop=True)

    def confusion_sentence(self) -> str:
        """How many reviews of either label were mistaken for the other."""
        if self.labels != LABELS:
            return self._most_frequent_mistake()
        (_, false_positive), (false_negative, _) = self.matrix.tolist()
        return (
            f"{false_positive:,} negative reviews were taken for positive, {false_negative:,} "
            "positive ones for negative."
        )

    def _most_frequent_mistake(self) -> str:
        wrong = self.matrix - np.diag(np.diag(self.matrix))
        text = f"{wrong.sum():,} of {self.rows:,} answers are wrong"
        if not wrong.any():
            return f"{text}."
        true, given = divmod(int(wrong.argmax()), len(self.labels))
        text += (
            f"; most often “{self.labels[true]}” is taken for “{self.labels[given]}” "
            f"({wrong[true, given]:,} times)"
        )
        if not self.ordered or len(self.labels) < 3:
            return f"{text}."
        near = sum(np.trace(self.matrix, offset) for offset in (-1, 0, 1)) / self.rows
        return f"{text}. {100 * near:.0f} % of all answers are at most one step away."


def label_report(reviews: Reviews, probabilities: np.ndarray, step: int = 0) -> EvaluationReport:
    """Evaluate the likeliest labels against those of ``reviews``, for any task that gives one of
    some labels.

    Args:
        reviews: labelled.
        probabilities: (n, K); of two labels that of the second alone, (n,).
        step: at which they were given.
    """
    task = reviews.task
    assert isinstance(task, OneLabel)
    if probabilities.ndim == 1:
        probabilities = np.stack([1 - probabilities, probabilities], axis=1)
    return EvaluationReport(
        step=step,
        answers=_label_answers(reviews, task.labels, probabilities),
        rows=len(reviews),
        labels=task.labels,
        ordered=task.ordered,
        **_counted(reviews, probabilities.argmax(1), task.labels),
    )


def evaluation_report(
    reviews: Reviews, p_positive: np.ndarray, step: int = 0, threshold: float = HALF
) -> EvaluationReport:
    """Evaluate answers against the labels of ``reviews``; those above ``threshold`` are
    positive.
    """
    return EvaluationReport(
        step=step,
        answers=_answers(reviews, p_positive, threshold),
        rows=len(reviews),
        **_counted(reviews, (p_positive > threshold).astype(int), NAMES),
    )


def _counted(reviews: Reviews, guess: np.ndarray, names: Sequence[str]) -> dict[str, Any]:
    """What of a report follows from true and given labels alone."""
    from sklearn.metrics import classification_report, confusion_matrix

    truth, places = np.array(reviews.labels), list(range(len(names)))
    options = {"labels": places, "target_names": names, "zero_division": 0.0}
    facts = classification_report(truth, guess, output_dict=True, **options)
    return {
        "text": classification_report(truth, guess, digits=2, **options),
        "table": pd.DataFrame(facts).T,
        "matrix": confusion_matrix(truth, guess, labels=places),
        "accuracy": float((truth == guess).mean()),
        "macro_f1": float(facts["macro avg"]["f1-score"]),
    }


def run_report(run: Run) -> AnyReport:
    """The report of a run's newest evaluation.

    Raises:
        NotAvailable: it has not been evaluated yet.
    """
    step, scores = newest_scores(run, run.history())
    return task_report(run.splits().validation, scores, step)


def task_report(reviews: Reviews, answers: np.ndarray, step: int = 0) -> AnyReport:
    """The report of answers to labelled reviews of any task, as ``Task.kept`` has them."""
    task = reviews.task
    if isinstance(task, MixedTask):
        return mixed_report(reviews, answers, step)
    if task == SENTIMENT:
        return evaluation_report(reviews, answers, step)
    if isinstance(task, MaskedWords):
        return masked_report(reviews, answers, step)
    if isinstance(task, Rating):
        return rating_report(reviews, answers, step)
    if isinstance(task, SeveralLabels):
        return several_report(reviews, answers, step)
    return label_report(reviews, answers, step)


def part_answers(reviews: Reviews, answers: np.ndarray, part: Task) -> tuple[Reviews, np.ndarray]:
    """Of reviews for several tasks at once and what was kept of their answers, those for ``part``,
    as a run of that task alone has them.
    """
    task = reviews.task
    assert isinstance(task, MixedTask)
    own = np.array([example.part == part.name for example in reviews])
    given = task.answers_of_part(answers[own], task.place(part.name))
    return reviews.of_part(part), part.kept(given)


def newest_scores(run: Run, history: History) -> tuple[int, np.ndarray]:
    """The step of a run's newest evaluation, and what was kept of its answers to the validation
    reviews then: for two labels P(positive).

    Raises:
        NotAvailable: it has not been evaluated yet.
    """
    for evaluation in reversed(history.evaluations):
        p_positive = run.scores(evaluation.step)
        if p_positive is not None:
            return evaluation.step, p_positive
    raise NotAvailable(
        f"Run {run.id} has not been evaluated yet.",
        "The first evaluation comes with its first epoch.",
    )


def _label_answers(
    reviews: Reviews, labels: tuple[str, ...], probabilities: np.ndarray
) -> pd.DataFrame:
    sure = probabilities.max(1)
    order = np.argsort(-sure, kind="stable")
    examples = [reviews.examples[i] for i in order]
    return pd.DataFrame(
        {
            "id": [e.id for e in examples],
            "text": [e.text for e in examples],
            "second": [e.second for e in examples],
            "true": [labels[int(e.label or 0)] for e in examples],
            "predicted": [labels[i] for i in probabilities.argmax(1)[order]],
            "probability": sure[order].astype(float),
            "phenomenon": [e.phenomenon for e in examples],
        }
    )


def _answers(reviews: Reviews, p_positive: np.ndarray, threshold: float) -> pd.DataFrame:
    order = np.argsort(-np.abs(p_positive - threshold), kind="stable")
    examples, scores = [reviews.examples[i] for i in order], p_positive[order].astype(float)
    return pd.DataFrame(
        {
            "id": [e.id for e in examples],
            "text": [e.text for e in examples],
            "true": np.array(LABELS)[[int(e.label or 0) for e in examples]],
            "predicted": np.array(LABELS)[(scores > threshold).astype(int)],
            "p_positive": scores,
            "phenomenon": [e.phenomenon for e in examples],
        }
    )
