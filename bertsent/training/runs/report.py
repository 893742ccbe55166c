"""A run's validation scores in, the report of its answers out: scikit-learn's table, confusion
matrix, mistakes.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import NotAvailable
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.training.runs.thresholds import HALF

NAMES = ("Negative", "Positive")


@dataclass(frozen=True)
class EvaluationReport:
    """How a model answered labelled reviews.

    ``text`` is ``classification_report`` as scikit-learn prints it, ``matrix`` (2, 2) has true
    labels as rows, ``answers`` one row a review, those farthest from the threshold first.
    """

    step: int
    text: str
    table: pd.DataFrame
    matrix: np.ndarray
    answers: pd.DataFrame
    accuracy: float
    macro_f1: float
    rows: int

    @property
    def mistakes(self) -> pd.DataFrame:
        """The wrongly answered reviews, most confident first."""
        wrong = self.answers["true"] != self.answers["predicted"]
        return self.answers[wrong].reset_index(drop=True)

    def confusion_sentence(self) -> str:
        """How many reviews of either label were mistaken for the other."""
        (_, false_positive), (false_negative, _) = self.matrix.tolist()
        return (
            f"{false_positive:,} negative reviews were taken for positive, {false_negative:,} "
            "positive ones for negative."
        )


def evaluation_report(
    reviews: Reviews, p_positive: np.ndarray, step: int = 0, threshold: float = HALF
) -> EvaluationReport:
    """Evaluate answers against the labels of ``reviews``; those above ``threshold`` are
    positive.
    """
    from sklearn.metrics import classification_report, confusion_matrix

    truth, guess = np.array(reviews.labels), (p_positive > threshold).astype(int)
    options = {"labels": [0, 1], "target_names": NAMES, "zero_division": 0.0}
    facts = classification_report(truth, guess, output_dict=True, **options)
    return EvaluationReport(
        step=step,
        text=classification_report(truth, guess, digits=2, **options),
        table=pd.DataFrame(facts).T,
        matrix=confusion_matrix(truth, guess, labels=[0, 1]),
        answers=_answers(reviews, p_positive, threshold),
        accuracy=float((truth == guess).mean()),
        macro_f1=float(facts["macro avg"]["f1-score"]),
        rows=len(reviews),
    )


def run_report(run: Run) -> EvaluationReport:
    """The report of a run's newest evaluation.

    Raises:
        NotAvailable: it has not been evaluated yet.
    """
    step, p_positive = newest_scores(run, run.history())
    return evaluation_report(run.splits().validation, p_positive, step)


def newest_scores(run: Run, history: History) -> tuple[int, np.ndarray]:
    """The step of a run's newest evaluation, and P(positive) of its validation reviews then.

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
