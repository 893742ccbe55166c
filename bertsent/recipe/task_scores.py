"""Models of further tasks and held-out sets in, a table of scores with their intervals out.

A share of right answers has Wilson's interval, with the rows of one sentence as one group; for a
correlation, a Jaccard index or an F1 the rows (such groups whole) are drawn again with replacement
2,000 times and the middle 95 % of the scores are kept (the percentile bootstrap of Efron 1979).
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.probing.loaded_model import LoadedModel
from bertsent.statistics import accuracy_interval
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS
from bertsent.tasks.task import OneLabel, SeveralLabels, Task

COLUMNS = ("set", "task", "metric", "n", "value", "low", "high")
RESAMPLES, SEED = 2_000, 42
Score = tuple[str, int, float, float, float]  # metric, n, value and its interval
# of which labels it is said how many of their rows are found
RECALLS: Mapping[str, tuple[str, ...]] = {
    FIVE_STEPS.name: ("neutral",),
    ASPECTS.name: ASPECTS.labels,
}


def score_rows(model: LoadedModel, reviews: Reviews) -> Iterator[dict[str, object]]:
    """A row of ``COLUMNS`` for each metric of one model on one set."""
    answers = model.answers(reviews.inputs)
    task, answers = _in_common(model.task, reviews.task, answers)
    targets = np.array(reviews.targets)
    groups = np.array(review_groups(reviews))
    for score in _scores(task, targets, answers, groups):
        yield dict(zip(COLUMNS, (reviews.name, model.task.name, *score), strict=True))


def _in_common(own: Task, asked: Task, answers: np.ndarray) -> tuple[Task, np.ndarray]:
    """Of several labels those that the set has: the project's own feelings are eight."""
    if isinstance(own, SeveralLabels) and isinstance(asked, SeveralLabels):
        return asked, answers[:, [own.labels.index(label) for label in asked.labels]]
    return own, answers


def _scores(
    task: Task, targets: np.ndarray, answers: np.ndarray, groups: np.ndarray
) -> Iterator[Score]:
    names: tuple[str, ...] = ("pearson",)
    if isinstance(task, SeveralLabels):
        names = ("jaccard", "micro_f1")
    elif isinstance(task, OneLabel):
        right = answers.argmax(-1) == targets
        yield "accuracy", len(right), float(right.mean()), *accuracy_interval(right, groups)
        if len(set(targets)) == 1:
            return
        for label in RECALLS.get(task.name, ()):
            rows = targets == task.labels.index(label)
            hit = right[rows]
            if len(hit):
                recall = float(hit.mean())
                yield f"{label} recall", len(hit), recall, *accuracy_interval(hit, groups[rows])
        names = ("macro_f1",)
    found = task.metrics(targets, answers)
    drawn = _bootstrap(lambda rows: task.metrics(targets[rows], answers[rows]), groups)
    for name in names:
        low, high = np.percentile(drawn[name], (2.5, 97.5))
        yield name, len(targets), found[name], float(low), float(high)


def _bootstrap(
    score: Callable[[np.ndarray], Mapping[str, float]], groups: np.ndarray
) -> pd.DataFrame:
    """The scores of ``RESAMPLES`` draws of whole groups."""
    random = np.random.default_rng(SEED)
    members = [np.flatnonzero(groups == name) for name in np.unique(groups)]
    draws = random.integers(0, len(members), (RESAMPLES, len(members)))
    return pd.DataFrame([score(np.concatenate([members[i] for i in draw])) for draw in draws])


def task_score_table(
    models: Mapping[str, LoadedModel], sets: list[Reviews]
) -> Iterator[dict[str, object]]:
    """All rows: each set is answered by the model of its task."""
    for reviews in sets:
        model = next(each for each in models.values() if _fits(each.task, reviews.task))
        yield from score_rows(model, reviews)


def _fits(own: Task, asked: Task) -> bool:
    if isinstance(own, SeveralLabels) and isinstance(asked, SeveralLabels):
        return set(asked.labels) <= set(own.labels)
    return own.name == asked.name
