"""A run's validation scores in, the report of its answers out: scikit-learn's table, confusion
matrix, mistakes.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS, Reviews
from bertsent.errors import NotAvailable
from bertsent.training.runs.run import Run

NAMES = ("Negative", "Positive")


@dataclass(frozen=True)
class EvaluationReport:
    """How a model answered labelled reviews.

    ``text`` is ``classification_report`` as scikit-learn prints it, ``matrix`` (2, 2) has true
    labels as rows, ``mistakes`` the wrongly answered reviews, most confident first.
    """

    step: int
    text: str
    table: pd.DataFrame
    matrix: np.ndarray
    mistakes: pd.DataFrame
    accuracy: float
    macro_f1: float
    rows: int

    def confusion_sentence(self) -> str:
        """How many reviews of either label were mistaken for the other."""
        (_, false_positive), (false_negative, _) = self.matrix.tolist()
        return (
            f"{false_positive:,} negative reviews were taken for positive, {false_negative:,} "
            "positive ones for negative."
        )


def evaluation_report(reviews: Reviews, p_positive: np.ndarray, step: int = 0) -> EvaluationReport:
    """Evaluate answers against the labels of ``reviews``."""
    from sklearn.metrics import classification_report, confusion_matrix

    truth, guess = np.array(reviews.labels), (p_positive > 0.5).astype(int)
    options = {"labels": [0, 1], "target_names": NAMES, "zero_division": 0.0}
    facts = classification_report(truth, guess, output_dict=True, **options)
    return EvaluationReport(
        step=step,
        text=classification_report(truth, guess, digits=2, **options),
        table=pd.DataFrame(facts).T,
        matrix=confusion_matrix(truth, guess, labels=[0, 1]),
        mistakes=_mistakes(reviews, p_positive, truth, guess),
        accuracy=float((truth == guess).mean()),
        macro_f1=float(facts["macro avg"]["f1-score"]),
        rows=len(reviews),
    )


def run_report(run: Run) -> EvaluationReport:
    """The report of a run's newest evaluation.

    Raises:
        NotAvailable: it has not been evaluated yet.
    """
    for evaluation in reversed(run.history().evaluations):
        p_positive = run.scores(evaluation.step)
        if p_positive is not None:
            return evaluation_report(run.splits().validation, p_positive, evaluation.step)
    raise NotAvailable(
        f"Run {run.id} has not been evaluated yet.",
        "The first evaluation comes with its first epoch.",
    )


def _mistakes(
    reviews: Reviews, p_positive: np.ndarray, truth: np.ndarray, guess: np.ndarray
) -> pd.DataFrame:
    wrong = np.flatnonzero(truth != guess)
    wrong = wrong[np.argsort(-np.abs(p_positive[wrong] - 0.5), kind="stable")]
    examples = [reviews.examples[i] for i in wrong]
    return pd.DataFrame(
        {
            "id": [e.id for e in examples],
            "text": [clean_text(e.text) for e in examples],
            "true": np.array(LABELS)[truth[wrong]],
            "predicted": np.array(LABELS)[guess[wrong]],
            "p_positive": p_positive[wrong].astype(float),
            "phenomenon": [e.phenomenon for e in examples],
        }
    )
