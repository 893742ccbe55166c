"""A visitor's own file for a new run: which of its columns are read, and what its labels mean."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS, NEGATIVE, POSITIVE, Reviews
from bertsent.data.table_columns import LABEL_WORDS, USUAL, Columns, label_values
from bertsent.data.tables import column_names, read_bytes, read_table
from bertsent.ui.shared import escape_markdown, upload

ABOUT = (
    "Labels: 0 or negative, 1 or positive, or any two values. CSV, TSV, JSON lines or Parquet, up "
    "to 50 MB and 100,000 rows."
)
PRIVATE = "Your file stays on this server, in the folder of the run that is trained on it."


@dataclass(frozen=True)
class UploadedFile:
    """A file as it was brought, with the names of its columns."""

    name: str
    data: bytes = field(repr=False)
    sha256: str
    columns: tuple[str, ...]

    @classmethod
    def read(cls, data: bytes, name: str) -> "UploadedFile":
        """Look at its columns.

        Raises:
            BadInput: it cannot be read.
        """
        return cls(name, data, hashlib.sha256(data).hexdigest(), tuple(column_names(data, name)))


_BY_CONTENT: dict[Any, Any] = {UploadedFile: lambda file: (file.sha256, file.name)}


def uploaded_reviews(key: str) -> Reviews | None:
    """Draw the box and, once a file is in it, the choice of its columns; None while there is none.

    Args:
        key: begins the keys of the widgets.

    Raises:
        BadInput: the file cannot be used with these columns.
    """
    label = "A file with a text and a label column"
    file: UploadedFile | None = upload(label, UploadedFile.read, key=f"{key}-upload", help=ABOUT)
    if file is None:
        st.caption(PRIVATE)
        return None
    columns, drop = _choose_columns(file, f"{key}-upload-{file.sha256[:8]}")
    return _reviews(file, columns, drop)


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


@st.cache_resource(max_entries=2, show_spinner="Reading the file …", hash_funcs=_BY_CONTENT)
def _table(file: UploadedFile, columns: Columns) -> pd.DataFrame:
    return read_table(file.data, file.name, columns)


@st.cache_resource(max_entries=4, show_spinner="Reading the file …", hash_funcs=_BY_CONTENT)
def _reviews(file: UploadedFile, columns: Columns, drop: bool) -> Reviews:
    return read_bytes(file.data, file.name, drop_incomplete=drop, columns=columns)
