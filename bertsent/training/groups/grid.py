"""A hyperparameter grid: one real run for every combination of chosen levels, and what each setting
changed.

The runs are ordinary ones: they wait for each other in the queue, are listed in All runs, outlive
the app, and can be paused and resumed.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from bertsent.data.examples import Reviews, Splits
from bertsent.data.splits import split
from bertsent.errors import BadInput
from bertsent.progress import Progress, no_progress
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.run_group import (
    FACTORS,
    MemberState,
    PlannedRun,
    RunGroup,
    start_group,
)
from bertsent.training.runs.accuracy import RunAnswers
from bertsent.training.runs.run import Run

MAX_RUNS = 24
VALIDATION = 500  # reviews at most


def combinations(
    base: TrainingConfig, levels: Mapping[str, Sequence[object]]
) -> list[TrainingConfig]:
    """``base`` with every combination of the levels of each factor.

    Raises:
        BadInput: an unknown factor, one without a level, more than 24 combinations, or an
            impossible value.
    """
    if not set(levels) <= set(FACTORS) or not all(levels.values()):
        raise BadInput(
            "A level is missing.", f"Choose at least one level of each of {', '.join(levels)}."
        )
    chosen = [dict(zip(levels, each, strict=True)) for each in itertools.product(*levels.values())]
    if len(chosen) > MAX_RUNS:
        raise BadInput(
            f"That would be {len(chosen)} runs.",
            f"Choose fewer levels: at most {MAX_RUNS} runs together.",
        )
    return [TrainingConfig(**(vars(base) | values)) for values in chosen]


def sample_splits(reviews: Reviews, rows: int, seed: int = 42) -> Splits:
    """A part of the reviews that is small enough for many runs: ``rows`` of the training part, half
    of each label, and at most 500 of the validation part.

    Raises:
        BadInput: the reviews cannot be split.
    """
    whole = split(reviews)
    return Splits(_sample(whole.train, rows, seed), _sample(whole.validation, VALIDATION, seed))


def _sample(reviews: Reviews, count: int, seed: int) -> Reviews:
    labels = np.array(reviews.labels)
    chosen = [
        np.random.default_rng(seed).permutation(np.flatnonzero(labels == label))[: count // 2]
        for label in (0, 1)
    ]
    return reviews.take(sorted(np.concatenate(chosen).tolist()))


def start_grid(
    splits: Splits,
    base: TrainingConfig,
    levels: Mapping[str, Sequence[object]],
    *,
    source: str,
    model: str = "builtin",
    sentinels: tuple[str, ...] = (),
    owner: str = "",
    admit: Callable[[Sequence[Run]], None] = lambda runs: None,
    progress: Progress = no_progress,
) -> RunGroup:
    """Prepare and launch a run for every combination of levels.

    Raises:
        BertsentError: what is wrong with the request; nothing is written then.
    """
    plans = [
        PlannedRun(splits, config, ", ".join(_level(config, name) for name in levels))
        for config in combinations(base, levels)
    ]
    return start_group(
        "grid",
        plans,
        source=source,
        model=model,
        sentinels=sentinels,
        factors=tuple(levels),
        owner=owner,
        admit=admit,
        progress=progress,
    )


def _level(config: TrainingConfig, name: str) -> str:
    value = getattr(config, name)
    if isinstance(value, float):
        return f"{value:g}"
    return f"seed {value}" if name == "seed" else str(value)


def grid_table(
    group: RunGroup, states: Sequence[MemberState], answers: Mapping[str, RunAnswers]
) -> pd.DataFrame:
    """One row per run: its factors, ``run``, ``state``, ``accuracy``, ``low``, ``high`` (95 %),
    ``macro_f1``, ``seconds``, ``parameters``.

    Args:
        group: a grid.
        states: its runs as they stand.
        answers: the validation answers of those that have ended, by run.
    """
    rows = []
    for state in states:
        history, found = state.history, answers.get(state.run.id)
        low, high = found.interval if found else (None, None)
        rows.append(
            {name: getattr(state.run.config.training, name) for name in group.factors}
            | {
                "run": state.run.id,
                "state": state.status.state,
                "accuracy": found.accuracy if found else None,
                "low": low,
                "high": high,
                "macro_f1": history.evaluations[-1].macro_f1 if found else None,
                "seconds": history.steps[-1].seconds if history.steps else None,
                "parameters": history.started.trainable if history.started else None,
            }
        )
    return pd.DataFrame(rows)


def main_effects(table: pd.DataFrame, factors: Sequence[str], result: str) -> pd.DataFrame:
    """The mean of ``result`` at each level of each factor, over all levels of the others
    (Montgomery 2017, chapter 6).

    Args:
        table: one row per run; rows without a result are left out.
        factors: columns that were varied.
        result: the column that was measured.

    Returns:
        Columns ``factor``, ``level``, ``mean``, ``low`` and ``high`` (the lowest and highest run
        of that level), ``cells``; factors and levels in the order in which they come.
    """
    known = table.dropna(subset=[result])
    effects = [
        known.groupby(factor, sort=False)[result]
        .agg(mean="mean", low="min", high="max", cells="count")
        .rename_axis("level")
        .reset_index()
        .assign(factor=factor)
        for factor in factors
    ]
    columns = ["factor", "level", "mean", "low", "high", "cells"]
    return pd.concat(effects, ignore_index=True)[columns]


def varied(settings: Sequence[Mapping[str, object]]) -> list[str]:
    """The names whose values are not the same everywhere."""
    return [
        name
        for name in (settings[0] if settings else {})
        if len({str(each[name]) for each in settings}) > 1
    ]
