"""What a person asks for in, ``TaskColumns`` out: a task by its name, and which columns it is read
from where their names do not say it.

``task_columns.understand`` guesses the task of a table; here it is known, so that a label too many
is a mistake and not a task of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from bertsent.data.table_columns import LABEL_NAMES, TEXT_NAMES
from bertsent.data.task_columns import (
    ASPECT_NAMES,
    FIRST_NAMES,
    SAME_NAMES,
    SCORE_NAMES,
    SECOND_NAMES,
    TaskColumns,
    checked_flags,
    first_of,
    own_labels,
    rating_of,
)
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, SIMILARITY, TASKS
from bertsent.tasks.masked_words import MASKED_WORDS, MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, Reads, SeveralLabels, Task

OWN_LABELS, OWN_SEVERAL, OWN_NUMBER = "labels", "several", "rating"
OWN = {
    OWN_LABELS: "One of your own labels",
    OWN_SEVERAL: "Several of your own labels",
    OWN_NUMBER: "A number of your own",
}
KEYS = (*TASKS, MASKED_WORDS.name, *OWN)


@dataclass(frozen=True)
class AskedColumns:
    """What stands where, by the names of the columns in lower case; "" and () for what their names
    say. ``order`` are labels of one's own from the lowest step to the highest, ``steps`` whether
    they are steps at all, None for what they look like.
    """

    text: str = ""
    second: str = ""
    label: str = ""
    flags: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    steps: bool | None = None


AS_NAMED = AskedColumns()


def key_of(task: Task) -> str:
    """By which name a person asks for that task: its own, or that of its kind."""
    if task.name in TASKS or isinstance(task, MixedTask | MaskedWords):
        return task.name
    if isinstance(task, SeveralLabels):
        return OWN_SEVERAL
    return OWN_NUMBER if isinstance(task, Rating) else OWN_LABELS


def usual_columns(key: str, names: Sequence[str]) -> AskedColumns:
    """The columns whose names fit the task of that key; "" where none does."""
    if key == MASKED_WORDS.name:
        return AskedColumns(first_of((*TEXT_NAMES, *FIRST_NAMES), names))
    known = TASKS.get(key)
    first, second = first_of(FIRST_NAMES, names), first_of(SECOND_NAMES, names)
    two = bool(first and second) and (known is None or known.reads == "two texts")
    text = first if two else first_of(TEXT_NAMES, names)
    if key == ASPECTS.name:
        second = first_of(ASPECT_NAMES, names)
    elif not two:
        second = ""
    numbers = known.problem_type == Rating.problem_type if known else key == OWN_NUMBER
    label = first_of(SCORE_NAMES if numbers else (*LABEL_NAMES, *SAME_NAMES), names)
    return AskedColumns(text, second, "" if gives_several(key) else label)


def asked_columns(
    table: pd.DataFrame, name: str, key: str, asked: AskedColumns = AS_NAMED
) -> TaskColumns:
    """The columns of a table of strings for the task of that key.

    Args:
        table: as ``task_files.task_table`` gives it.
        name: of the file, for messages.
        key: one of ``KEYS``, without sentiment in two labels.
        asked: which columns are meant; of the others the usual ones are taken.

    Raises:
        BadInput: a column is missing, or what stands in it is not for this task.
    """
    BadInput.raise_if(
        key not in KEYS, f"There is no task “{key[:40]}”.", f"Choose one of {', '.join(KEYS)}."
    )
    found = _filled(asked, usual_columns(key, list(table.columns)))
    if key == MASKED_WORDS.name:
        _check(table, name, key, replace(found, label=found.text))
        return TaskColumns(MASKED_WORDS, found.text)
    if gives_several(key):
        return _several(table, name, key, found)
    _check(table, name, key, found)
    if key == SIMILARITY.name:
        _check_range(table[found.label], name)
    if key in TASKS:
        return TaskColumns(TASKS[key], found.text, found.second, found.label)
    reads: Reads = "two texts" if found.second else "text"
    if key == OWN_NUMBER:
        task: Task = rating_of(table[found.label], name, reads=reads)
    else:
        task = _ordered(own_labels(table[found.label], name, reads), found)
    return TaskColumns(task, found.text, found.second, found.label)


def reads_two(key: str) -> bool:
    """Whether the task of that key needs a second text or an aspect."""
    return key in TASKS and TASKS[key].reads != "text"


def has_label(key: str) -> bool:
    """Whether the task of that key needs a column that says what is true."""
    return key != MASKED_WORDS.name


def gives_several(key: str) -> bool:
    """Whether the task of that key gives several labels at once."""
    return key in (FEELINGS.name, OWN_SEVERAL)


def _filled(asked: AskedColumns, usual: AskedColumns) -> AskedColumns:
    return replace(
        asked,
        text=asked.text or usual.text,
        second=asked.second or usual.second,
        label=asked.label or usual.label,
    )


def _check(table: pd.DataFrame, name: str, key: str, found: AskedColumns) -> None:
    second = ("aspect", found.second) if key == ASPECTS.name else ("second text", found.second)
    wanted = [("text", found.text), *([second] if reads_two(key) else []), ("label", found.label)]
    names = ", ".join(f"“{column[:30]}”" for column in list(table.columns)[:8])
    for what, column in wanted:
        BadInput.raise_if(
            not column,
            f"{name} has no column for the {what} (found: {names}).",
            "Choose another column, or what else it shall learn.",
        )
        BadInput.raise_if(
            column not in table, f"{name} has no column “{column[:30]}”.", "Choose another one."
        )


def _several(table: pd.DataFrame, name: str, key: str, found: AskedColumns) -> TaskColumns:
    _check(table, name, key, replace(found, label=found.text))
    flags = found.flags or checked_flags(table, name, found.text)
    BadInput.raise_if(
        len(flags) < 2,
        f"{name} has {len(flags)} label columns.",
        "Several labels at once need at least two columns of 0 and 1.",
    )
    title = FEELINGS.title if key == FEELINGS.name else f"Several of {len(flags)} labels"
    return TaskColumns(SeveralLabels(key, title, labels=flags), found.text, flags=flags)


def _ordered(task: OneLabel, found: AskedColumns) -> OneLabel:
    """The task with its labels as steps in the order that was asked for."""
    steps = bool(found.order) or task.ordered if found.steps is None else found.steps
    if not steps or not found.order:
        return replace(task, ordered=steps)
    left_out = [label for label in task.labels if label not in found.order]
    BadInput.raise_if(
        left_out,
        f"The order of the labels lacks “{', '.join(left_out)[:60]}”.",
        "Add each label of the file, from the lowest step to the highest.",
    )
    return replace(task, labels=found.order, ordered=True)


def _check_range(cells: pd.Series, name: str) -> None:
    """Refuse similarities that go from 0 to 1: learnt as they are, all would be near 0."""
    found = rating_of(cells, name, reads="two texts")
    BadInput.raise_if(
        found.high < SIMILARITY.high,
        f"The scores of {name} go from {found.low:g} to {found.high:g}, similarity from 0 to 5.",
        f"Multiply them by 5, or let it learn “{OWN[OWN_NUMBER].lower()}”.",
    )
