"""Many texts in, what a model of any task says of each out, a column a label, and how good that is
where the truth is known.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.task_facts import NONE, truths
from bertsent.probing.batch_answers import check_count
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress
from bertsent.tasks.task import SHARE, OneLabel, Rating
from bertsent.training.runs.report import AnyReport, task_report


@dataclass(frozen=True)
class TaskBatch:
    """The answers. ``table`` has text, answer, truth where it is known, and the probability of each
    label; a task that reads two texts has second, a number stands in answer.
    """

    table: pd.DataFrame
    report: "AnyReport | None"
    name: str  # of the model

    def sentence(self) -> str:
        """How many answers, and how good they are where that is known."""
        said = f"{self.name} · {len(self.table):,} answers."
        if self.report is None:
            return said
        measures = ", ".join(
            f"{name.replace('_', ' ')} {value:.3f}" for name, value in self.report.metrics.items()
        )
        return f"{said} Against what the file says: {measures}."


def answer_batch(
    model: LoadedModel, reviews: Reviews, *, progress: Progress = no_progress
) -> TaskBatch:
    """Ask the model about every row.

    Args:
        model: whose task the reviews are read for; of several labels they may know some alone.
        reviews: not too many.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        BadInput: there are too many.
        NotAvailable: the model has no trained head.
    """
    answers = model.answers(check_count(reviews).inputs, progress=progress)
    columns: dict[str, object] = {"text": reviews.texts}
    if model.task.reads != "text":
        columns["second"] = [example.second for example in reviews]
    columns["answer"] = _said(model, answers)
    known = all(target is not None for target in reviews.targets)
    if known:
        columns["truth"] = truths(reviews)
    if not isinstance(model.task, Rating):
        columns |= dict(zip(model.task.output_names, answers.T, strict=True))
    return TaskBatch(
        pd.DataFrame(columns), _report(model, reviews, answers) if known else None, model.name
    )


def _said(model: LoadedModel, answers: np.ndarray) -> list[object]:
    task, names = model.task, np.array(model.task.output_names, dtype=object)
    if isinstance(task, Rating):
        return list(answers.tolist())
    if isinstance(task, OneLabel):
        return list(names[answers.argmax(1)])
    return [", ".join(names[row > SHARE]) or NONE for row in answers]


def _report(model: LoadedModel, reviews: Reviews, answers: np.ndarray) -> AnyReport:
    own, task = reviews.task.output_names, model.task
    if own != task.output_names:  # of several labels the file has some
        answers = answers[:, [task.output_names.index(name) for name in own]]
    return task_report(reviews, reviews.task.kept(answers))
