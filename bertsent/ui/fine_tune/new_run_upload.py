"""A visitor's own file for a new run: which of its columns are read, and what its labels mean; for
sentiment in two labels here, for other tasks in ``new_run_task_columns``.
"""

from contextlib import suppress

import pandas as pd
import streamlit as st

from bertsent.data.asked_columns import has_label
from bertsent.data.examples import LABELS, NEGATIVE, POSITIVE, Reviews
from bertsent.data.table_columns import LABEL_WORDS, USUAL, Columns, label_values
from bertsent.data.tables import read_bytes, read_table
from bertsent.data.task_columns import likely_task
from bertsent.data.task_files import task_table
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task
from bertsent.ui.fine_tune.new_run_task import take_suggestion
from bertsent.ui.fine_tune.new_run_task_columns import reviews_of_other_task
from bertsent.ui.fine_tune.uploaded_file import BY_FILE, UploadedFile
from bertsent.ui.shared import escape_markdown, upload

ABOUT = (
    "Its columns say what it is for: text and label; text, aspect and label; text and a column of "
    "0 and 1 for each label; text1, text2 and label or score; text alone. CSV, TSV, JSON lines or "
    "Parquet, up to 50 MB and 100,000 rows."
)
SUGGESTED = "reviews"  # the box whose files choose what is learnt
PRIVATE = "Your file stays on this server, in the folder of the run that is trained on it."


def uploaded_reviews(key: str, task: str = SENTIMENT.name) -> Reviews | None:
    """Draw the box and, once a file is in it, the choice of its columns; None while there is none.

    Args:
        key: begins the keys of the widgets.
        task: what was chosen to be learnt, one of ``asked_columns.KEYS``.

    Raises:
        BadInput: the file cannot be used with these columns.
    """
    what = "what is true of them" if key == SUGGESTED else "a label of each"
    label = f"A file with texts and {what}" if has_label(task) else "A file with texts"
    file: UploadedFile | None = upload(label, UploadedFile.read, key=f"{key}-upload", help=ABOUT)
    if file is None:
        st.caption(PRIVATE)
        return None
    begin = f"{key}-upload-{file.sha256[:8]}"
    if key == SUGGESTED:
        take_suggestion(file.sha256, _understood(file))
    if task != SENTIMENT.name:
        return reviews_of_other_task(file, task, begin)
    columns, drop = _choose_columns(file, begin)
    return _reviews(file, columns, drop)


@st.cache_resource(max_entries=8, show_spinner="Reading the file …", hash_funcs=BY_FILE)
def _understood(file: UploadedFile) -> Task | None:
    with suppress(BadInput):  # what is wrong is said once it is read for the chosen task
        return likely_task(task_table(file.data, file.name), file.name)
    return None


def _choose_columns(file: UploadedFile, key: str) -> tuple[Columns, bool]:
    names = list(file.columns)
    text, label = USUAL.taken(names)
    first, second, third = st.columns(3)
    text = _column(first, "Text column", names, text, f"{key}-text")
    label = _column(second, "Label column", names, label, f"{key}-label")
    columns = Columns(text, label)
    values = label_values(_table(file, columns), label) if label else {}
    with third:
        positive = _positive(values, f"{key}-positive-{label}")
    drop = st.checkbox("Leave out rows without a text or a label", key=f"{key}-drop")
    columns = Columns(text, label, positive)
    if meaning := _meaning(values, positive):
        st.caption(escape_markdown(meaning))
    return columns, drop


def _column(
    place: "st.delta_generator.DeltaGenerator", label: str, names: list[str], taken: str, key: str
) -> str:
    index = names.index(taken) if taken in names else None
    chosen: str | None = place.selectbox(label, names, index, key=key, placeholder="Choose")
    return chosen or ""


def _positive(values: dict[str, int], key: str) -> str:
    """The value that means positive, where a column has two; empty where their words say it."""
    if len(values) != 2:
        return ""
    known = [value for value in values if LABEL_WORDS.get(value) == POSITIVE]
    index = list(values).index(known[0]) if len(known) == 1 else None
    about = "The other value of the label column means negative."
    chosen: str | None = st.selectbox(
        "Positive is", list(values), index, key=key, placeholder="Choose", help=about
    )
    return chosen or ""


def _meaning(values: dict[str, int], positive: str) -> str:
    """How each value of the label column is read."""
    meant = {
        value: LABEL_WORDS.get(value) if not positive else int(value == positive)
        for value in values
    }
    if not values or len(values) > 12 or None in meant.values():
        return ""
    read = [
        f"{', '.join(f'“{value}”' for value in values if meant[value] == label)} is read as "
        f"{label}, {LABELS[label].lower()}"
        for label in (POSITIVE, NEGATIVE)
        if label in meant.values()
    ]
    return f"{'; '.join(read)}."


@st.cache_resource(max_entries=2, show_spinner="Reading the file …", hash_funcs=BY_FILE)
def _table(file: UploadedFile, columns: Columns) -> pd.DataFrame:
    return read_table(file.data, file.name, columns)


@st.cache_resource(max_entries=4, show_spinner="Reading the file …", hash_funcs=BY_FILE)
def _reviews(file: UploadedFile, columns: Columns, drop: bool) -> Reviews:
    return read_bytes(file.data, file.name, drop_incomplete=drop, columns=columns)
