"""The report of a run that learns several tasks at once: that of each task, one below the other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.tasks.mixed import MixedTask

if TYPE_CHECKING:
    from bertsent.training.runs.report import AnyReport


@dataclass(frozen=True)
class MixedReport:
    """The reports of the tasks by their titles; ``metrics`` are those of all."""

    step: int
    parts: dict[str, "AnyReport"]
    metrics: dict[str, float]
    rows: int

    @property
    def text(self) -> str:
        """All of them, each under its title."""
        return "\n\n".join(f"{title}\n{found.text}" for title, found in self.parts.items())


def mixed_report(reviews: Reviews, answers: np.ndarray, step: int = 0) -> MixedReport:
    """The reports of answers to rows of several tasks, as ``Task.kept`` has them."""
    from bertsent.training.runs.report import part_answers, task_report  # it reports these too

    task = reviews.task
    assert isinstance(task, MixedTask)
    parts = {
        part.title: task_report(*part_answers(reviews, answers, part), step) for part in task.parts
    }
    targets = task.targets(reviews.targets).numpy()
    return MixedReport(step, parts, task.metrics(targets, answers), len(reviews))
