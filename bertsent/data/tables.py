"""Somebody's file in, ``Reviews`` out, or one sentence that says what is wrong with it and how to
mend it.

CSV, TSV, JSON lines and Parquet. A file name is only ever shown and asked for its ending, never
used as a path.
"""

import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Origin, Reviews
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS

if TYPE_CHECKING:
    import pyarrow as pa

TEXT_NAMES = ("text", "review", "sentence", "content", "comment", "body", "reviewtext", "phrase")
LABEL_NAMES = ("label", "sentiment", "target", "class", "polarity", "labels", "y")
EXTRA_NAMES = ("id", "phenomenon", "pair", "split")
FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")
_WORDS = {
    NEGATIVE: ("0", "0.0", "negative", "neg", "false"),
    POSITIVE: ("1", "1.0", "positive", "pos", "true"),
}
LABEL_WORDS = {word: label for label, words in _WORDS.items() for word in words}
COLUMNS = 1_000  # more than that is no table of reviews, and costs gigabytes to take apart
UNPACKED = 4 * LIMITS.upload_bytes
_WANTED = {*TEXT_NAMES, *LABEL_NAMES, *EXTRA_NAMES}
_MISSING = ("", "nan", "null", "none", "na", "n/a", "<na>")


def read_file(path: Path, *, drop_incomplete: bool = False, need_labels: bool = True) -> Reviews:
    """Read a review file from disk; see ``read_bytes``.

    Raises:
        NotAvailable: there is no such file.
        BadInput: the file cannot be used.
    """
    if not is_file(path):
        raise NotAvailable(f"There is no file {str(path)[:200]}.", "Check the path.")
    try:
        if path.stat().st_size > LIMITS.upload_bytes:
            raise BadInput(*_too_big(path.name, path.stat().st_size))
        data = path.read_bytes()
    except OSError as error:
        raise NotAvailable(
            f"The file {str(path)[:200]} cannot be opened ({error.strerror}).",
            "Check who may read it.",
        ) from None
    found = read_bytes(data, path.name, drop_incomplete=drop_incomplete, need_labels=need_labels)
    return replace(found, origin=replace(found.origin, kind="file"))


def is_file(path: Path) -> bool:
    """Whether there is such a file; no for names that no file can have, such as one of 300
    characters.
    """
    try:
        return path.is_file()
    except OSError:
        return False


def read_bytes(
    data: bytes, name: str, *, drop_incomplete: bool = False, need_labels: bool = True
) -> Reviews:
    """Turn the bytes of a CSV, TSV, JSON-lines or Parquet file into reviews.

    Args:
        data: the whole file.
        name: its name, for its ending and for messages.
        drop_incomplete: leave out rows without text or label instead of refusing the file.
        need_labels: refuse a file without a label column.

    Raises:
        BadInput: what is wrong, with the row where it is, and how to mend it.
    """
    if len(data) > LIMITS.upload_bytes:
        raise BadInput(*_too_big(name, len(data)))
    if not data.strip():
        raise BadInput(
            f"{name} is empty.", "Choose a file with a header line and one review a row."
        )
    table = _parse(data, name)
    if len(table) == 0:
        raise BadInput(f"{name} has a header but no rows.", "Add one review a row.")
    if len(table) > LIMITS.rows:
        raise BadInput(*_too_long(name))
    found = _reviews(table, name, drop_incomplete, need_labels)
    return replace(found, origin=Origin("upload", name, hashlib.sha256(data).hexdigest()))


def read_cells(data: bytes, name: str) -> pd.DataFrame:
    """A CSV or TSV file that is no set of reviews as a table of strings, the names of its columns
    in lower case.

    Raises:
        BadInput: what is wrong, and how to mend it.
    """
    if len(data) > LIMITS.upload_bytes:
        raise BadInput(*_too_big(name, len(data)))
    if not data.strip() or Path(name).suffix.lower() not in (".csv", ".tsv", ".txt"):
        raise BadInput(
            f"{name} is {'no CSV or TSV file' if data.strip() else 'empty'}.",
            "Choose a CSV file with a header line.",
        )
    table = _parse(data, name)
    return table.set_axis(
        [str(column).strip().lower() for column in table.columns], axis=1
    ).reset_index(drop=True)


def _too_big(name: str, size: int) -> tuple[str, str]:
    limit = LIMITS.upload_bytes // 2**20
    return (
        f"{name} has {size / 2**20:,.1f} MB; the limit is {limit} MB.",
        "Take a sample of its rows.",
    )


def _too_long(name: str) -> tuple[str, str]:
    return (
        f"{name} has more than {LIMITS.rows:,} rows, which is the limit.",
        "Take a sample of its rows.",
    )


def _parse(data: bytes, name: str) -> pd.DataFrame:
    reader = _READERS.get(Path(name).suffix.lower())
    if reader is None:
        raise BadInput(f"{name} cannot be read here.", f"Use one of {', '.join(FORMATS)}.")
    try:
        return reader(data, name)
    except MemoryError:
        raise BadInput(
            f"{name} needs more memory than this machine has free.", "Take a sample of its rows."
        ) from None


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name} is in UTF-16.", "Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).")
    if b"\x00" in data or data.startswith(
        (b"PK\x03\x04", b"PAR1", b"\x80", b"\x1f\x8b")
    ):  # zip, Parquet, pickle, gzip
        raise BadInput(
            f"{name} is not a text file.", f"Use one of {', '.join(FORMATS)} with the right ending."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(
            f"{name} is not UTF-8 (line {line}).",
            "Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).",
        ) from None


def _csv(data: bytes, name: str) -> pd.DataFrame:
    text = _decode(data, name)
    header = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    separator = "\t" if name.lower().endswith(".tsv") else max(",;\t", key=header.count)
    if header.count(separator) >= COLUMNS:
        raise BadInput(f"{name} has more than {COLUMNS:,} columns.", "Keep the text and the label.")
    # the header is read as a row, or else pandas takes the first cell of rows that are too long for
    # an index
    try:
        table = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            dtype=str,
            header=None,
            keep_default_na=False,
            nrows=LIMITS.rows + 2,
        )
    except ValueError as error:  # the root of the errors that pandas has for broken tables
        raise BadInput(*_ragged(name, str(error))) from None
    return table[1:].set_axis(table.iloc[0].tolist(), axis=1).fillna("")


def _ragged(name: str, reason: str) -> tuple[str, str]:
    remedy = (
        "Put texts with commas, quotes or line breaks in double quotes, and double the "
        "quotes "
        "inside them."
    )
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", reason):
        return (
            f"Line {found[2]} of {name} has {found[3]} cells where the header has {found[1]}.",
            remedy,
        )
    if found := re.search(r"EOF inside string starting at row (\d+)", reason):
        row = "its header" if found[1] == "0" else f"row {found[1]}"
        return f"{name} opens a quote in {row} that is never closed.", remedy
    if "out of memory" in reason:
        raise MemoryError
    return f"{name} cannot be read as a table.", remedy


def _jsonl(data: bytes, name: str) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for number, line in enumerate(
        _decode(data, name).split("\n"), start=1
    ):  # not splitlines: a text may hold U+2028
        if not line.strip():
            continue
        if len(rows) > LIMITS.rows:
            break
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # a number of 5,000 digits is a plain ValueError
            row = None
        if not isinstance(row, dict):
            raise BadInput(
                f"Line {number} of {name} is not a JSON object.",
                'Write one {"text": …, "label": …} a line.',
            )
        wanted = {key: value for key, value in row.items() if key.strip().lower() in _WANTED}
        rows.append(
            wanted if wanted or rows else dict(list(row.items())[:8])
        )  # names to show in the message
    return _as_text(pd.DataFrame(rows, dtype=object), name)


def _parquet(data: bytes, name: str) -> pd.DataFrame:
    from pyarrow import ArrowException

    try:
        return _as_text(_unpack(data, name).to_pandas(), name)
    except BadInput:
        raise
    except (ArrowException, OSError, ValueError):
        raise BadInput(
            f"{name} is not a readable Parquet file.", "Write it again, for example with pandas."
        ) from None


def _unpack(data: bytes, name: str) -> "pa.Table":
    """The columns that are read, unless they take far more memory than the file has bytes: one page
    can hold a text a million times.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = pq.ParquetFile(io.BytesIO(data))
    if source.metadata.num_rows > LIMITS.rows:
        raise BadInput(*_too_long(name))
    fields = [field for field in source.schema_arrow if field.name.strip().lower() in _WANTED]
    for field in fields:
        if pa.types.is_nested(field.type) or pa.types.is_fixed_size_binary(field.type):
            raise BadInput(
                f"The column “{field.name}” of {name} holds lists or blobs.",
                "Write one text and one label a row.",
            )
    too_much = (
        f"{name} unpacks to more than {UNPACKED // 2**20} MB.",
        "Take a sample of its rows.",
    )
    groups = map(source.metadata.row_group, range(source.metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > UNPACKED:
        raise BadInput(*too_much)
    texts = [
        field.name for field in fields if _is_textual(field.type)
    ]  # as dictionaries, each text is there once
    if not fields:  # only the names are wanted, for the message
        return pa.table(
            {column: pa.nulls(source.metadata.num_rows) for column in source.schema_arrow.names[:8]}
        )
    table = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts).read(
        columns=[field.name for field in fields]
    )
    if sum(map(_unpacked_bytes, table.columns)) > UNPACKED:
        raise BadInput(*too_much)
    return table


def _is_textual(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _unpacked_bytes(column: "pa.ChunkedArray") -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type) or not _is_textual(column.type.value_type):
        return column.nbytes
    return sum(
        pc.sum(pc.take(pc.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0
        for chunk in column.chunks
    )


def _as_text(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Every cell as a string, missing cells empty, as the CSV reader gives them."""
    places = range(table.shape[1])  # by position, because names may repeat
    cells = {
        at: [_cell(value, row, name) for row, value in enumerate(table.iloc[:, at], start=1)]
        for at in places
    }
    return pd.DataFrame(cells, index=range(len(table)), dtype=object).set_axis(
        table.columns, axis=1
    )


def _cell(value: object, row: int, name: str) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
        )  # no half surrogates
    if not pd.api.types.is_scalar(value):
        raise BadInput(
            f"Row {row} of {name} holds a list where a text or a label should be.",
            "Write one text and one label a row.",
        )
    return "" if pd.isna(value) else str(value)


_READERS: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _jsonl,
    ".parquet": _parquet,
}


def _reviews(table: pd.DataFrame, name: str, drop_incomplete: bool, need_labels: bool) -> Reviews:
    found = ", ".join(str(column)[:30] for column in table.columns[:8])
    names = [str(column).strip().lower() for column in table.columns]
    twice = next(
        (column for column in names if column in _WANTED and names.count(column) > 1), None
    )
    if twice is not None:
        raise BadInput(
            f"{name} has more than one column “{twice}” (found: {found}).",
            "Rename or delete all but one.",
        )
    table = table.set_axis(names, axis=1).reset_index(drop=True)
    text_column = next((column for column in TEXT_NAMES if column in names), None)
    label_column = next((column for column in LABEL_NAMES if column in names), None)
    if text_column is None:
        raise BadInput(
            f"{name} has no text column (found: {found}).",
            "Name the column with the reviews “text”.",
        )
    if label_column is None and need_labels:
        raise BadInput(
            f"{name} has no label column (found: {found}).",
            "Name it “label”, with 0 or negative, 1 or positive.",
        )
    texts = table[text_column]
    labels = (
        table[label_column].str.strip().str.lower()
        if label_column is not None
        else pd.Series([""] * len(table))
    )
    read = texts.map(clean_text)
    incomplete = read.eq("") | (labels.isin(_MISSING) if need_labels else False)
    if incomplete.any() and not drop_incomplete:
        raise BadInput(*_incomplete(name, incomplete, read))
    table, texts, labels = table[~incomplete], texts[~incomplete], labels[~incomplete]
    if not len(table):
        raise BadInput(f"No row of {name} has both a text and a label.", "Fill them in.")
    _check(name, texts, labels if need_labels else labels[:0])
    return Reviews(name, tuple(_examples(table, texts, labels)))


def _examples(table: pd.DataFrame, texts: pd.Series, labels: pd.Series) -> list[Example]:
    rest = {field: table[field].tolist() for field in EXTRA_NAMES if field in table.columns}
    ids = rest.pop("id", None)
    if ids is None or len(set(ids)) < len(ids):  # ids must tell rows apart
        ids = [f"row-{position + 1}" for position in table.index]
    values = (
        [dict(zip(rest, row, strict=True)) for row in zip(*rest.values(), strict=True)]
        if rest
        else [{}] * len(table)
    )
    rows = zip(ids, texts.tolist(), labels.tolist(), values, strict=True)
    return [
        Example(i, t, LABEL_WORDS.get(word), contrastive=i.startswith("handcrafted-"), **value)
        for i, t, word, value in rows
    ]


def _incomplete(name: str, incomplete: pd.Series, texts: pd.Series) -> tuple[str, str]:
    first, count = int(incomplete.idxmax()), int(incomplete.sum())
    what = "text" if not texts[first].strip() else "label"
    more = (
        f", and {count - 1:,} more {'rows are' if count > 2 else 'row is'} incomplete"
        if count > 1
        else ""
    )
    return (
        f"Row {first + 1} of {name} has no {what}{more}.",
        "Fill it in, or leave incomplete rows out.",
    )


def _check(name: str, texts: pd.Series, labels: pd.Series) -> None:
    lengths = texts.str.len()
    if lengths.max() > LIMITS.row_chars:
        row = int(lengths.idxmax()) + 1
        raise BadInput(
            f"Row {row} of {name} has {lengths.max():,} characters; the limit is "
            f"{LIMITS.row_chars:,}.",
            "Cut it.",
        )
    unknown = labels[~labels.isin([*LABEL_WORDS, *_MISSING])]
    if len(unknown):
        values = ", ".join(f"“{value[:30]}”" for value in unknown.unique()[:4])
        row = int(unknown.index[0]) + 1
        raise BadInput(
            f"Row {row} of {name}: {values} is not a label that is known.",
            "Use 0 or negative, 1 or positive.",
        )
