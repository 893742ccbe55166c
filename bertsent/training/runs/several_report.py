"""Probabilities of several labels in, the report of the answers at a threshold out: scikit-learn's
table per label, the measures over all, the texts that were answered worst.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.task_facts import NONE
from bertsent.tasks.task import SHARE, SeveralLabels


@dataclass(frozen=True)
class SeveralReport:
    """How a model gave several labels at once.

    ``text`` is ``classification_report`` as scikit-learn prints it, ``table`` its rows,
    ``metrics`` are those of the task, ``answers`` one row a text, the worst first.
    """

    step: int
    text: str
    table: pd.DataFrame
    metrics: dict[str, float]
    answers: pd.DataFrame
    threshold: float
    rows: int

    def sentence(self) -> str:
        """The measures over all texts, and how many answers are exactly right."""
        exact = int((self.answers["jaccard"] == 1).sum())
        return (
            f"Jaccard index {self.metrics['jaccard']:.3f}, micro-F1 {self.metrics['micro_f1']:.3f},"
            f" macro-F1 {self.metrics['macro_f1']:.3f} of labels above "
            f"{100 * self.threshold:.0f} %. {exact:,} of {self.rows:,} texts have exactly the "
            "right labels."
        )


def several_report(
    reviews: Reviews, probabilities: np.ndarray, step: int = 0, threshold: float = SHARE
) -> SeveralReport:
    """Evaluate labels whose probability is above ``threshold`` against those of ``reviews``.

    Args:
        reviews: of a task that gives several labels.
        probabilities: (n, K).
        step: at which they were given.
        threshold: the same for all labels.
    """
    from sklearn.metrics import classification_report

    task = reviews.task
    assert isinstance(task, SeveralLabels)
    truth = np.array(reviews.targets, float).reshape(len(reviews), -1) > 0
    given = probabilities > threshold
    options = {"target_names": task.labels, "zero_division": 0.0}
    facts = classification_report(truth, given, output_dict=True, **options)
    return SeveralReport(
        step=step,
        text=classification_report(truth, given, digits=2, **options),
        table=pd.DataFrame(facts).T,
        metrics=task.metrics(truth, probabilities, threshold),
        answers=_answers(reviews, task.labels, truth, given),
        threshold=threshold,
        rows=len(reviews),
    )


def _answers(
    reviews: Reviews, labels: tuple[str, ...], truth: np.ndarray, given: np.ndarray
) -> pd.DataFrame:
    both, either = (truth & given).sum(1), (truth | given).sum(1)
    jaccard = np.where(either > 0, both / np.maximum(either, 1), 1.0)
    order = np.argsort(jaccard, kind="stable")
    names = np.array(labels, dtype=object)
    return pd.DataFrame(
        {
            "id": [reviews.examples[i].id for i in order],
            "text": [reviews.examples[i].text for i in order],
            "true": [", ".join(names[truth[i]]) or NONE for i in order],
            "predicted": [", ".join(names[given[i]]) or NONE for i in order],
            "jaccard": jaccard[order],
        }
    )
