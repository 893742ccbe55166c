"""A file of any task in, ``Reviews`` out: the task is asked for, or what its columns say."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pandas as pd

from bertsent.data.asked_columns import AS_NAMED, AskedColumns, asked_columns, key_of, usual_columns
from bertsent.data.examples import Origin, Reviews
from bertsent.data.table_columns import EXTRA_NAMES, LABEL_NAMES, TEXT_NAMES
from bertsent.data.tables import column_names, file_bytes, read_bytes, read_columns
from bertsent.data.task_columns import (
    ASPECT_NAMES,
    FIRST_NAMES,
    SAME_NAMES,
    SCORE_NAMES,
    SECOND_NAMES,
    TaskColumns,
    reviews_of_task,
    understand,
)
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import SeveralLabels, Task

_TRUTH = (*LABEL_NAMES, *SCORE_NAMES, *SAME_NAMES)
_KNOWN = frozenset((*TEXT_NAMES, *FIRST_NAMES, *SECOND_NAMES, *ASPECT_NAMES, *_TRUTH, *EXTRA_NAMES))


def read_task_file(path: Path, task: str = "", *, drop_incomplete: bool = False) -> Reviews:
    """Read a file from disk; see ``read_task_bytes``.

    Raises:
        NotAvailable: there is no such file.
        BadInput: the file cannot be used.
    """
    data = file_bytes(path)
    found = read_task_bytes(data, path.name, task, drop_incomplete=drop_incomplete)
    return replace(found, origin=replace(found.origin, kind="file"))


def read_task_bytes(
    data: bytes,
    name: str,
    task: str = "",
    asked: AskedColumns = AS_NAMED,
    *,
    drop_incomplete: bool = False,
) -> Reviews:
    """Turn the bytes of a table into reviews of a task.

    Args:
        data: the whole file.
        name: its name, for its ending and for messages.
        task: one of ``asked_columns.KEYS``; empty for what the columns say.
        asked: which columns are meant, for tasks other than sentiment in two labels.
        drop_incomplete: leave out rows that lack something instead of refusing the file.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    columns = None
    if task != SENTIMENT.name:
        table = task_table(data, name, asked)
        columns = asked_columns(table, name, task, asked) if task else understand(table, name)
    if columns is None or columns.task == SENTIMENT:
        return read_bytes(data, name, drop_incomplete=drop_incomplete)
    return reviews_of_bytes(data, name, table, columns, drop_incomplete=drop_incomplete)


def read_for_task(
    path: Path, task: Task, *, need_truth: bool = True, drop_incomplete: bool = False
) -> Reviews:
    """Read a file from disk; see ``read_bytes_for_task``.

    Raises:
        NotAvailable: there is no such file.
        BadInput: the file cannot be used for this task.
    """
    found = read_bytes_for_task(
        file_bytes(path), path.name, task, need_truth=need_truth, drop_incomplete=drop_incomplete
    )
    return replace(found, origin=replace(found.origin, kind="file"))


def read_bytes_for_task(
    data: bytes,
    name: str,
    task: Task,
    *,
    need_truth: bool = True,
    drop_incomplete: bool = False,
) -> Reviews:
    """Turn the bytes of a table into reviews of a task that is there already, such as that of a
    trained model: its labels are the ones that the file is read by. Of several labels those are
    read that have a column.

    Raises:
        BadInput: the file cannot be used for this task.
    """
    names = column_names(data, name)
    usual = usual_columns(key_of(task), names)
    asked = usual if need_truth else replace(usual, label="")
    if isinstance(task, SeveralLabels) and need_truth:
        flags = tuple(label for label in task.labels if label.lower() in names)
        BadInput.raise_if(
            not flags, f"{name} has no column for a label.", f"They are {', '.join(task.labels)}."
        )
        task = replace(task, labels=flags)
        asked = replace(asked, flags=tuple(flag.lower() for flag in flags))
    wanted = {"text": asked.text} | ({"second": asked.second} if task.reads != "text" else {})
    if need_truth and not asked.flags:
        wanted["label"] = asked.label
    for what, column in wanted.items():
        what = "aspect" if what == "second" and task.reads == "aspect" else what
        BadInput.raise_if(not column, f"{name} has no column for the {what}.", f"Call it “{what}”.")
    second = wanted.get("second", "")
    columns = TaskColumns(task, asked.text, second, wanted.get("label", ""), asked.flags)
    table = task_table(data, name, asked)
    return reviews_of_bytes(data, name, table, columns, drop_incomplete=drop_incomplete)


def has_truth(data: bytes, name: str, task: Task) -> bool:
    """Whether a column of the file says what is true of its rows.

    Raises:
        BadInput: the file cannot be read.
    """
    names = column_names(data, name)
    if isinstance(task, SeveralLabels):
        return any(label.lower() in names for label in task.labels)
    return bool(usual_columns(key_of(task), names).label)


def reviews_of_bytes(
    data: bytes,
    name: str,
    table: pd.DataFrame,
    columns: TaskColumns,
    *,
    drop_incomplete: bool = False,
) -> Reviews:
    """The rows of ``task_table(data, name)`` as reviews that know which file they came from.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    reviews = reviews_of_task(table, name, columns, drop_incomplete=drop_incomplete)
    return replace(reviews, origin=Origin("upload", name, hashlib.sha256(data).hexdigest()))


def task_table(data: bytes, name: str, asked: AskedColumns = AS_NAMED) -> pd.DataFrame:
    """The file as a table of strings with each column that some task may read; all of them where
    nothing is called a label.

    Raises:
        BadInput: the file cannot be read, or two columns that are read have the same name.
    """
    names = set(column_names(data, name))
    wanted = _KNOWN | {asked.text, asked.second, asked.label, *asked.flags}
    table = read_columns(data, name, wanted if names & {*_TRUTH, asked.label} else names)
    twice = table.columns[table.columns.duplicated()]
    if again := [column for column in twice if column in wanted]:
        raise BadInput(
            f"{name} has more than one column “{again[0]}”.", "Rename or delete all but one."
        )
    return table.loc[:, ~table.columns.duplicated()]
