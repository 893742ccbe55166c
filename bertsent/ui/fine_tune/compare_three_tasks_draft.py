"""The form of a group of runs that learn three tasks at once: on which rows, and which settings
are switched on and off.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from bertsent.tasks.mixed import THREE_TASKS
from bertsent.training.config import TrainingConfig
from bertsent.training.groups.run_group import RunGroup
from bertsent.training.groups.three_tasks import (
    MAX_FACTORS,
    PRINTED,
    TaskSets,
    combinations_of,
    small_task_sets,
    start_three_tasks,
    three_task_splits,
)
from bertsent.training.runs.status_sentences import epochs_in_words
from bertsent.ui.fine_tune.compare_three_tasks import FACTORS
from bertsent.ui.fine_tune.new_run import choose_backbone
from bertsent.ui.fine_tune.new_run_hyperparameters import main_settings
from bertsent.ui.fine_tune.new_run_mixture import ABOUT_SMALL, own_set, three_sets
from bertsent.ui.fine_tune.whole_number import whole_number
from bertsent.ui.shared import choose, escape_markdown

BUILT_IN, UPLOAD = "Built-in", "Upload"
EXTRA = {part.name: part.title for part in THREE_TASKS.parts}
EPOCHS, BATCH, LENGTH, EACH = 3, 24, 64, 256
ENCODER, HEAD = 5e-5, 1e-3

# launches runs for an ``owner``, if ``admit`` lets them, and reports ``progress``
Start = Callable[..., RunGroup]


def three_tasks_form() -> Start | None:
    """Draw the choices; gives back what starts the runs, None while a model has to be fetched.

    Raises:
        BertsentError: the choices do not fit together.
    """
    st.caption(
        "One encoder learns sentiment in five steps, paraphrase and similarity at once: every "
        "batch holds rows of each, and their losses are added up before an update. One run for "
        "every combination of settings that are on or off; the others stay as in the model that "
        "the study chose."
    )
    model, sets = choose_backbone("group"), _sets()
    if model is None or sets is None:
        return None
    left, right = st.columns([3, 2], gap="medium")
    factors = left.multiselect(
        "Settings to switch on and off",
        list(FACTORS),
        [name for name in PRINTED if name != "ED" or sets.extra],
        format_func=lambda name: f"{name}: {FACTORS[name]}",
        key="group-tasks-factors",
        max_selections=MAX_FACTORS,
    )
    with right:
        rows = whole_number(
            "Rows of each task an epoch",
            8,
            100_000,
            EACH,
            "group-tasks-rows",
            help="Drawn at random, anew for each epoch; 4,096 in the study.",
        )
    main: dict[str, Any] = {**main_settings("group-tasks", EPOCHS, BATCH, LENGTH)}
    training = TrainingConfig(
        **main,
        epoch_rows=3 * rows,
        encoder_lr=ENCODER,
        head_lr=HEAD,
        kept_checkpoints=0,
    )
    st.caption(escape_markdown(_amounts(sets, factors, training)))
    return partial(start_three_tasks, sets, training, factors, model=model)


def _sets() -> TaskSets | None:
    """The rows of each task, and extra ones; None while a file is missing."""
    kind = choose("Reviews", (BUILT_IN, UPLOAD), "group-tasks-kind", bind=None)
    if kind == BUILT_IN:
        st.caption(ABOUT_SMALL)
        return small_task_sets()
    main = three_sets("group-tasks", own=True)
    with st.expander("Extra data for ED"):
        more = [own_set(name, f"Extra: {title}", "group-extra") for name, title in EXTRA.items()]
    return None if main is None else TaskSets(main, tuple(filter(None, more)))


def _of_which(sets: TaskSets) -> str:
    small = sets.extra == small_task_sets().extra
    return ": texts without an opinion as neutral ones" if small else ""


def _amounts(sets: TaskSets, factors: list[str], training: TrainingConfig) -> str:
    runs, halves = len(combinations_of(factors)), three_task_splits(sets, ())
    sizes = [f"{len(sets.main)} tasks, {len(halves.train):,} training rows"]
    if "ED" in factors:
        more = len(three_task_splits(sets, ("ED",)).train) - len(halves.train)
        sizes.append(f"ED adds {more:,}{_of_which(sets)}")
    return (
        f"{runs} runs of {epochs_in_words(training.epochs)} with {training.epoch_rows:,} rows "
        f"each, evaluated on the same {len(halves.validation):,} rows. {'; '.join(sizes)}. They "
        "train one after another; any of them can be paused and resumed."
    )
