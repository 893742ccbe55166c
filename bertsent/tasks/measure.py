"""How the answers of a task are measured, in the words of curves, tables and sentences."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels, Task
from bertsent.written_numbers import written


@dataclass(frozen=True)
class Measure:
    """The main metric of a task. ``training`` is what the curve of training shows, where a batch is
    measured by something else; ``short`` is a name for lists, ``guessing`` the loss of an answer
    that knows nothing, and ``guess`` the same in words; ``of`` what a percentage is of,
    and ``untrained`` what is measured at step 0.
    """

    title: str
    percent: bool = True
    short: str = ""
    training: str = ""
    guessing: float | None = None
    guess: str = ""
    lowest: float = 0.0  # that is drawn
    of: str = "validation reviews"
    untrained: str = "The untrained head"

    def say(self, value: float) -> str:
        """A value as a person reads it: 61.0 %, or 0.610, or −0.038."""
        return f"{written(100 * value, '.1f')} %" if self.percent else written(value, ".3f")

    @property
    def name(self) -> str:
        """The metric inside a sentence."""
        after_somebody = self.title.startswith(("Jaccard", "Pearson"))
        return self.title if after_somebody else self.title.lower()

    @property
    def form(self) -> str:
        """How an axis and a tip write values."""
        return ".1%" if self.percent else ".3f"


def measure_of(task: Task) -> Measure:
    """How answers to that task are measured."""
    if isinstance(task, SeveralLabels):
        of_half = math.log(2)
        return Measure("Jaccard index", False, "Jaccard ", guessing=of_half, guess="ln 2")
    if isinstance(task, Rating):
        near = f"share within {(task.high - task.low) / 10:g}"
        return Measure("Pearson’s r", percent=False, short="r ", training=near, lowest=-0.2)
    if isinstance(task, MixedTask):
        right = "share right"
        return Measure("Mean of the tasks", False, "mean ", training=right, lowest=-0.2)
    if isinstance(task, MaskedWords):
        return Measure(
            "Masked accuracy",
            of="words drawn from the validation texts",
            short="masked ",
            untrained="The model it began with",
        )
    if isinstance(task, OneLabel):
        labels = task.outputs
        return Measure("Accuracy", guessing=math.log(labels), guess=f"ln {labels}")
    return Measure(task.main_metric.replace("_", " ").capitalize(), percent=False)


def common_measure(tasks: Iterable[Task]) -> Measure:
    """That of several tasks: their own where they are measured alike, else a name for all."""
    found = {measure.title: measure for measure in map(measure_of, tasks)}
    return next(iter(found.values())) if len(found) == 1 else Measure("measure", percent=False)


ACCURACY = measure_of(SENTIMENT)
