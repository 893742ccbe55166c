"""Numbers that a model gave in, the report of its answers out: correlations, the line of best fit
beside the ideal one, the largest misses.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.tasks.task import Rating
from bertsent.written_numbers import written


@dataclass(frozen=True)
class RatingReport:
    """How far numbers are from the true ones.

    ``answers`` has true, predicted and error, one row a text, the largest misses first; the line of
    best fit is ``predicted = slope · true + intercept``.
    """

    step: int
    metrics: dict[str, float]
    slope: float
    intercept: float
    answers: pd.DataFrame
    low: float
    high: float
    measure: str
    rows: int

    @property
    def text(self) -> str:
        """The measures, one a line."""
        return "\n".join(
            f"{name.replace('_', ' '):12} {x:8.3f}" for name, x in self.metrics.items()
        )

    def sentence(self) -> str:
        """The correlations, and where the line of best fit lies."""
        at = self.slope * self.high + self.intercept
        start = self.slope * self.low + self.intercept
        low, high = written(self.low, "g"), written(self.high, "g")
        pearson, spearman = (written(self.metrics[name], ".3f") for name in ("pearson", "spearman"))
        return (
            f"Pearson’s r {pearson}, Spearman’s ρ {spearman}, on average "
            f"{self.metrics['mean_error']:.2f} off. "
            f"The line of best fit goes from {written(start, '.2f')} at {low} to "
            f"{written(at, '.2f')} at {high}: {self._lies(start, at)}"
        )

    def _lies(self, start: float, end: float) -> str:
        if end < self.high and start > self.low:
            return "high numbers are underrated and low ones overrated."
        if end < self.high:
            return "it lies below the ideal line, so numbers are underrated."
        return "it does not fall below the ideal line at the high end."


def rating_report(reviews: Reviews, numbers: np.ndarray, step: int = 0) -> RatingReport:
    """Compare ``numbers`` (n,) with those of ``reviews``, whose task gives a number.

    The line of best fit is by least squares; it is flat where all true numbers are alike.
    """
    task = reviews.task
    assert isinstance(task, Rating)
    truth = np.array(reviews.targets, float)
    numbers = np.asarray(numbers, float)
    slope, intercept = (
        np.polyfit(truth, numbers, 1) if np.ptp(truth) > 0 else (0.0, float(numbers.mean()))
    )
    order = np.argsort(-np.abs(numbers - truth), kind="stable")
    return RatingReport(
        step=step,
        metrics=task.metrics(truth, numbers),
        slope=float(slope),
        intercept=float(intercept),
        answers=pd.DataFrame(
            {
                "id": [reviews.examples[i].id for i in order],
                "text": [reviews.examples[i].text for i in order],
                "second": [reviews.examples[i].second for i in order],
                "true": truth[order],
                "predicted": numbers[order],
                "error": (numbers - truth)[order],
            }
        ),
        low=task.low,
        high=task.high,
        measure=task.measure,
        rows=len(reviews),
    )
