"""Three tasks at once in every combination of chosen settings: the experiment of Mejia, Harvill and
Xue (2023) as a group of runs.

Each setting is on or off. Those that a group does not vary are as in the model that the study
chose.
"""

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from bertsent.data.examples import Reviews, Splits
from bertsent.data.mixing import mix
from bertsent.data.no_opinion import no_opinion
from bertsent.data.splits import split, unseen
from bertsent.data.task_sets import small_set
from bertsent.errors import BadInput
from bertsent.progress import Progress, no_progress
from bertsent.tasks.mixed import THREE_TASKS, WEIGHTED
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.run_group import (
    TASK_FACTORS,
    MemberState,
    PlannedRun,
    RunGroup,
    start_group,
)
from bertsent.training.runs.run import Run

CHOSEN = ("SW", "WL", "JS", "FF")  # on in the model that the study chose
PRINTED = ("CLS", "SW", "WL", "ED")  # what it varied
MAX_FACTORS = 4
MEASURES = {  # the columns of the study: which metric of a run is meant
    "SST": "five-steps accuracy",
    "PARA": "paraphrase accuracy",
    "STS": "similarity pearson",
    "mean": "mean",
}


@dataclass(frozen=True)
class TaskSets:
    """What three tasks are learned from: sets for sentiment in five steps, paraphrase and
    similarity, and further ones that are added with ED, to the training part alone.
    """

    main: tuple[Reviews, ...]
    extra: tuple[Reviews, ...] = ()

    @property
    def name(self) -> str:
        return " + ".join(dict.fromkeys(reviews.name for reviews in self.main))[:80]


def three_task_splits(sets: TaskSets, on: Collection[str]) -> Splits:
    """The training and validation rows with these settings; the latter are always the same.

    Raises:
        BadInput: a task has no rows, or too few to be split.
    """
    task = WEIGHTED if "WL" in on else THREE_TASKS
    halves = split(mix(task, sets.main))
    if "ED" not in on:
        return halves
    BadInput.raise_if(not sets.extra, "There is no extra data.", "Add some, or leave ED out.")
    added = [
        replace(
            e, id=f"extra/{reviews.task.name}/{e.id}", part=reviews.task.name, pair="", split=""
        )
        for reviews in sets.extra
        for e in unseen(reviews, halves.validation)
    ]
    train = replace(halves.train, examples=(*halves.train.examples, *added))
    return Splits(train, halves.validation)


def training_with(base: TrainingConfig, on: Collection[str]) -> TrainingConfig:
    """``base`` with these settings on and the others off."""
    return replace(
        base,
        pooling="cls" if "CLS" in on else "mean",
        share_pairs="SW" in on,
        jaccard="JS" in on,
        heads="feed-forward" if "FF" in on else "linear",
    )


def combinations_of(factors: Sequence[str]) -> list[frozenset[str]]:
    """The settings that are on in each run, in the order of the printed table.

    Raises:
        BadInput: a factor is unknown, or there are none or more than four.
    """
    BadInput.raise_if(
        not set(factors) <= set(TASK_FACTORS) or not 1 <= len(factors) <= MAX_FACTORS,
        f"{len(factors)} settings cannot be varied together.",
        f"Choose 1 to {MAX_FACTORS} of {', '.join(TASK_FACTORS)}.",
    )
    fixed = {name for name in CHOSEN if name not in factors}
    return [
        frozenset(fixed | {name for name, on in zip(factors, each, strict=True) if on})
        for each in itertools.product((False, True), repeat=len(factors))
    ]


def configuration_name(on: Collection[str], factors: Sequence[str]) -> str:
    """As the study prints it: “!CLS, SW, WL, !ED”."""
    return ", ".join(name if name in on else f"!{name}" for name in factors)


def start_three_tasks(
    sets: TaskSets,
    base: TrainingConfig,
    factors: Sequence[str] = PRINTED,
    *,
    model: str = "builtin",
    owner: str = "",
    admit: Callable[[Sequence[Run]], None] = lambda runs: None,
    progress: Progress = no_progress,
) -> RunGroup:
    """Prepare and launch a run for every combination of the factors.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    halves: dict[tuple[bool, bool], Splits] = {}
    plans = []
    for on in combinations_of(factors):
        key = ("WL" in on, "ED" in on)
        halves.setdefault(key, three_task_splits(sets, on))
        name = configuration_name(on, factors)
        plans.append(PlannedRun(halves[key], training_with(base, on), name, name))
    return start_group(
        "tasks",
        plans,
        source=sets.name,
        model=model,
        factors=tuple(factors),
        owner=owner,
        admit=admit,
        progress=progress,
    )


def tasks_table(group: RunGroup, states: Sequence[MemberState]) -> pd.DataFrame:
    """One row per run: its factors as True or False, ``run``, ``state``, ``SST``, ``PARA``, ``STS``
    and ``mean`` at its newest evaluation after step 0 (none: missing), ``epoch``, ``seconds``.
    """
    rows = []
    for state in states:
        names = [name.strip() for name in state.member.arm.split(",")]
        evaluated = [e for e in state.history.evaluations if e.step]
        metrics = evaluated[-1].metrics if evaluated else {}
        rows.append(
            {name.lstrip("!"): not name.startswith("!") for name in names}
            | {"run": state.run.id, "state": state.status.state}
            | {column: metrics.get(metric) for column, metric in MEASURES.items()}
            | {
                "epoch": evaluated[-1].epoch if evaluated else 0.0,
                "seconds": state.history.seconds,
            }
        )
    columns = [*group.factors, "run", "state", *MEASURES, "epoch", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def small_task_sets() -> TaskSets:
    """The small sets that ship with this program. Its extra data is for sentiment alone: texts
    without an opinion, as neutral ones.
    """
    names = [part.name for part in THREE_TASKS.parts]
    return TaskSets(tuple(map(small_set, names)), (no_opinion(),))
