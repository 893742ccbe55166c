"""Labels of one's own, or a number for one text: what a model says of them, and how a person reads
it out.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.probing.loaded_model import LoadedModel
from bertsent.tasks.task import OneLabel, Rating


@dataclass(frozen=True)
class LabelAnswer:
    """The probabilities of ``labels``, one of which holds."""

    labels: tuple[str, ...]
    probabilities: tuple[float, ...]

    @property
    def ranked(self) -> list[tuple[str, float]]:
        """Labels with their probabilities, the likeliest first."""
        pairs = zip(self.labels, self.probabilities, strict=True)
        return sorted(pairs, key=lambda pair: -pair[1])

    def title(self) -> str:
        """The likeliest label and how probable it is."""
        label, share = self.ranked[0]
        return f"{label} {100 * share:.1f} %"

    def sentence(self) -> str:
        """The two likeliest labels beside what guessing would give."""
        (first, share), (second, next_share) = self.ranked[:2]
        return (
            f"“{first}” is the likeliest of {len(self.labels)} labels ({100 * share:.1f} %), then "
            f"“{second}” ({100 * next_share:.1f} %). A model that knows nothing would give each "
            f"{100 / len(self.labels):.1f} %."
        )

    def table(self) -> pd.DataFrame:
        """A row for each label, in the order of the task."""
        return pd.DataFrame({"label": self.labels, "probability": self.probabilities})


@dataclass(frozen=True)
class NumberAnswer:
    """The ``number`` that a model gives a text, called ``measure``, on a scale from ``low`` to
    ``high``.
    """

    measure: str
    number: float
    low: float
    high: float

    def title(self) -> str:
        """The number and where its scale ends."""
        return f"{self.measure} {self.number:.2f} of {self.high:g}"

    def sentence(self) -> str:
        """Where on the scale the number lies."""
        said = f"{self.number:.2f} on the scale from {self.low:g} to {self.high:g}"
        if self.number in (self.low, self.high):
            return f"{said}: the model went to the end of the scale, or beyond it and was cut."
        place = 100 * (self.number - self.low) / (self.high - self.low)
        return (
            f"{said}, {place:.0f} % of the way. A number comes without a probability: how sure the "
            "model is of it cannot be read here."
        )

    def table(self) -> pd.DataFrame:
        """One row: the number and its scale."""
        columns = [self.measure, "low", "high"]
        return pd.DataFrame([(self.number, self.low, self.high)], columns=columns)


def answer_own(model: LoadedModel, text: str, second: str = "") -> LabelAnswer | NumberAnswer:
    """Ask a model of one of some labels, or of a number.

    Args:
        model: whose task gives that.
        text: clean.
        second: the second text, where the task reads two.

    Raises:
        BertsentError: the model does not answer.
    """
    task, answer = model.task, model.answers([(text, second)])[0]
    if isinstance(task, Rating):
        return NumberAnswer(task.measure, float(answer), task.low, task.high)
    if not isinstance(task, OneLabel):
        raise TypeError(f"{task.title} gives several labels")
    return LabelAnswer(task.labels, tuple(np.asarray(answer, float).tolist()))
