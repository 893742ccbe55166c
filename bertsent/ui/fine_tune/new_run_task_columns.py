"""A visitor's own file for a task other than sentiment in two labels: which columns hold what, and
what was understood of them.
"""

from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.asked_columns import (
    OWN_LABELS,
    OWN_NUMBER,
    AskedColumns,
    asked_columns,
    gives_several,
    has_label,
    reads_two,
    usual_columns,
)
from bertsent.data.examples import Reviews
from bertsent.data.task_columns import TaskColumns, flag_columns
from bertsent.data.task_files import reviews_of_bytes, task_table
from bertsent.tasks.catalogue import ASPECTS
from bertsent.tasks.task import MOST_LABELS, OneLabel
from bertsent.ui.fine_tune.uploaded_file import BY_FILE, UploadedFile
from bertsent.ui.shared import escape_markdown

NONE = "None"


def reviews_of_other_task(file: UploadedFile, task: str, key: str) -> Reviews:
    """Draw the choice of the columns of a file, and say what was understood of them.

    Args:
        file: what was brought.
        task: one of ``asked_columns.KEYS``.
        key: begins the keys of the widgets.

    Raises:
        BadInput: the file cannot be used with these columns.
    """
    asked = _choose(file, task, f"{key}-{task}")
    drop = st.checkbox("Leave out rows that lack something", key=f"{key}-{task}-drop")
    table = _table(file, asked)
    columns = asked_columns(table, file.name, task, asked)
    if task == OWN_LABELS:
        asked = _choose_order(columns, asked, f"{key}-{task}")
        columns = asked_columns(table, file.name, task, asked)
    st.caption(escape_markdown(columns.sentence()))
    return _reviews(file, columns, drop, asked)


def _choose(file: UploadedFile, task: str, key: str) -> AskedColumns:
    names, usual = list(file.columns), usual_columns(task, file.columns)
    if not has_label(task):
        return AskedColumns(
            _column(st.container(), "Text column", names, usual.text, f"{key}-text")
        )
    free = task in (OWN_LABELS, OWN_NUMBER)  # to read one text or two
    places = st.columns(2 + (reads_two(task) or free))
    text = _column(places[0], "Text column", names, usual.text, f"{key}-text")
    second = ""
    if reads_two(task):
        label = "Aspect column" if task == ASPECTS.name else "Second text column"
        second = _column(places[1], label, names, usual.second, f"{key}-second")
    elif free:
        second = _optional(places[1], names, usual.second, f"{key}-second")
    if not gives_several(task):
        label = _column(places[-1], "Label column", names, usual.label, f"{key}-label")
        return AskedColumns(text, second, label)
    flags = flag_columns(_table(file, AskedColumns(text)), text)
    with places[-1]:
        chosen = st.multiselect(
            "Columns of the labels",
            [name for name in names if name != text],
            list(flags),
            key=f"{key}-flags-{text}",
            max_selections=MOST_LABELS,
            help="Each holds 0 or 1: whether the label holds. 2 and 3 say that it does strongly.",
        )
    return AskedColumns(text, flags=tuple(chosen))


def _column(place: DeltaGenerator, label: str, names: list[str], taken: str, key: str) -> str:
    index = names.index(taken) if taken in names else None
    chosen: str | None = place.selectbox(label, names, index, key=key, placeholder="Choose")
    return chosen or ""


def _optional(place: DeltaGenerator, names: list[str], taken: str, key: str) -> str:
    offered = [NONE, *names]
    index = offered.index(taken) if taken in names else 0
    chosen = place.selectbox(
        "Second text column", offered, index, key=key, help="Where two texts are read together."
    )
    return "" if chosen == NONE else chosen


def _choose_order(columns: TaskColumns, asked: AskedColumns, key: str) -> AskedColumns:
    """Whether the labels are steps, and in which order they stand."""
    task = columns.task
    assert isinstance(task, OneLabel)
    steps = st.checkbox(
        "The labels are steps, one above the other",
        task.ordered,
        key=f"{key}-ordered",
        help="Then a miss by one step is told from a miss by three.",
    )
    if not steps:
        return replace(asked, steps=False)
    order = st.multiselect(
        "From the lowest to the highest", task.labels, task.labels, key=f"{key}-order"
    )
    return replace(asked, order=tuple(order), steps=True)


@st.cache_resource(max_entries=4, show_spinner="Reading the file …", hash_funcs=BY_FILE)
def _table(file: UploadedFile, asked: AskedColumns) -> pd.DataFrame:
    return task_table(file.data, file.name, asked)


@st.cache_resource(max_entries=4, show_spinner="Reading the file …", hash_funcs=BY_FILE)
def _reviews(file: UploadedFile, columns: TaskColumns, drop: bool, asked: AskedColumns) -> Reviews:
    table = task_table(file.data, file.name, asked)
    return reviews_of_bytes(file.data, file.name, table, columns, drop_incomplete=drop)
