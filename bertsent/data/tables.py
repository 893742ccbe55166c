"""Somebody's file in, ``Reviews`` out, or one sentence that says what is wrong with it and how to
mend it.

CSV, TSV, JSON lines and Parquet. A file name is only ever shown and asked for its ending, never
used as a path.
"""

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bertsent.data.examples import Origin, Reviews
from bertsent.data.table_columns import USUAL, Columns, reviews_of_table
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS

FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")
COLUMNS = 1_000  # more than that is no table of reviews, and costs gigabytes to take apart
UNPACKED = 4 * LIMITS.upload_bytes
NAMED = 200  # columns that a visitor can choose among
_SAMPLE = "Use a sample of its rows."
_ONE_EACH = "Write one text and one label per row."
_CSV_ERRORS = {  # what pandas says, and what is said here
    r"Expected (\d+) fields in line (\d+), saw (\d+)": (
        "Line {1} of {name} has {2} cells, but the header has {0}."
    ),
    "EOF inside string starting at row 0": (
        "{name} opens a quote in its header and never closes it."
    ),
    r"EOF inside string starting at row (\d+)": (
        "{name} opens a quote in row {0} and never closes it."
    ),
    "": "{name} cannot be read as a table.",
}


def read_file(path: Path, *, drop_incomplete: bool = False, need_labels: bool = True) -> Reviews:
    """Read a review file from disk; see ``read_bytes``.

    Raises:
        NotAvailable: there is no such file.
        BadInput: the file cannot be used.
    """
    data = file_bytes(path)
    found = read_bytes(data, path.name, drop_incomplete=drop_incomplete, need_labels=need_labels)
    return replace(found, origin=replace(found.origin, kind="file"))


def file_bytes(path: Path) -> bytes:
    """The bytes of a file that is not too large to be read.

    Raises:
        NotAvailable: there is no such file.
        BadInput: it is too large.
    """
    if not is_file(path):
        raise NotAvailable(f"There is no file {str(path)[:200]}.", "Check the path.")
    try:
        _check_size(path.name, path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise NotAvailable(
            f"The file {str(path)[:200]} cannot be opened ({error.strerror}).",
            "Check its permissions.",
        ) from None


def is_file(path: Path) -> bool:
    """Whether there is such a file; False for impossible names, such as one of 300 characters."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_bytes(
    data: bytes,
    name: str,
    *,
    drop_incomplete: bool = False,
    need_labels: bool = True,
    columns: Columns = USUAL,
) -> Reviews:
    """Turn the bytes of a CSV, TSV, JSON Lines or Parquet file into reviews.

    Args:
        data: the whole file.
        name: its name, for its extension and for messages.
        drop_incomplete: leave out rows without text or label instead of refusing the file.
        need_labels: refuse a file without a label column.
        columns: which columns are read and what their labels mean, where that is not the usual.

    Raises:
        BadInput: what is wrong, in which row, and how to correct it.
    """
    table = read_table(data, name, columns)
    reviews = reviews_of_table(
        table, name, columns, drop_incomplete=drop_incomplete, need_labels=need_labels
    )
    return replace(reviews, origin=Origin("upload", name, hashlib.sha256(data).hexdigest()))


def read_table(data: bytes, name: str, columns: Columns = USUAL) -> pd.DataFrame:
    """The file as a table of strings, with the names of its columns in lower case; of JSON Lines
    and Parquet the columns with usual names and those of ``columns`` alone.

    Raises:
        BadInput: what is wrong, and how to correct it.
    """
    return read_columns(data, name, columns.wanted)


def read_columns(data: bytes, name: str, wanted: AbstractSet[str]) -> pd.DataFrame:
    """As ``read_table``, with the names of the columns that JSON Lines and Parquet are read for.

    Raises:
        BadInput: what is wrong, and how to correct it.
    """
    table = _parse(data, name, _READERS, wanted)
    BadInput.raise_if(
        len(table) == 0, f"{name} has a header but no rows.", "Add one review per row."
    )
    _check_rows(name, len(table))
    return table


def column_names(data: bytes, name: str) -> list[str]:
    """What the columns of a file are called, in lower case, as ``Columns`` takes them; at most
    ``NAMED`` of them.

    Raises:
        BadInput: the file cannot be read.
    """
    ending = Path(name).suffix.lower()
    if ending == ".parquet" and data.strip():
        _check_size(name, len(data))
        names = _parquet_file(data, name).schema_arrow.names
    elif ending in _CSV_READERS:
        names = _parse(data, name, _CSV_READERS).columns
    else:
        lines = _parse(data, name, _READERS | dict.fromkeys(_LINES, _jsonl_names))
        names = lines["name"]
    return list(dict.fromkeys(str(each).strip().lower() for each in names))[:NAMED]


def read_cells(data: bytes, name: str) -> pd.DataFrame:
    """A CSV or TSV file as a table of strings, with the names of its columns in lower case.

    Raises:
        BadInput: what is wrong, and how to correct it.
    """
    return _parse(data, name, _CSV_READERS)


def _check_size(name: str, size: int) -> None:
    limit = LIMITS.upload_bytes
    BadInput.raise_if(
        size > limit,
        f"{name} has {size / 2**20:,.1f} MB; the limit is {limit // 2**20} MB.",
        _SAMPLE,
    )


def _check_rows(name: str, rows: int) -> None:
    BadInput.raise_if(
        rows > LIMITS.rows, f"{name} has more than {LIMITS.rows:,} rows, the limit.", _SAMPLE
    )


def _parse(
    data: bytes, name: str, readers: dict[str, "Reader"], wanted: AbstractSet[str] = USUAL.wanted
) -> pd.DataFrame:
    _check_size(name, len(data))
    BadInput.raise_if(
        not data.strip(), f"{name} is empty.", "Choose a file with a header and one review per row."
    )
    reader = readers.get(Path(name).suffix.lower())
    if reader is None:
        raise BadInput(f"{name} is not in a supported format.", _use_one_of(readers))
    try:
        table = reader(data, name, wanted)
    except MemoryError:
        raise BadInput(f"{name} needs more memory than this machine has free.", _SAMPLE) from None
    names = [str(column).strip().lower() for column in table.columns]
    return table.set_axis(names, axis=1).reset_index(drop=True)


def _use_one_of(readers: dict[str, "Reader"]) -> str:
    return f"Use one of {', '.join(ending for ending in FORMATS if ending in readers)}."


def _decode(data: bytes, name: str) -> str:
    utf8 = "Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”)."
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    BadInput.raise_if(utf16, f"{name} is in UTF-16.", utf8)
    # zip, Parquet, pickle, gzip
    binary = data.startswith((b"PK\x03\x04", b"PAR1", b"\x80", b"\x1f\x8b")) or b"\x00" in data
    BadInput.raise_if(
        binary,
        f"{name} is not a text file.",
        f"{_use_one_of(_READERS)} The ending must match the content.",
    )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{name} is not UTF-8 (line {line}).", utf8) from None


def _csv(data: bytes, name: str, wanted: AbstractSet[str] = frozenset()) -> pd.DataFrame:
    text = _decode(data, name)
    header = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    separator = "\t" if name.lower().endswith(".tsv") else max(",;\t", key=header.count)
    BadInput.raise_if(
        header.count(separator) >= COLUMNS,
        f"{name} has more than {COLUMNS:,} columns.",
        "Keep only the text and the label.",
    )
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
        raise _broken_table(name, str(error)) from None
    return table[1:].set_axis(table.iloc[0].tolist(), axis=1).fillna("")


def _broken_table(name: str, reason: str) -> Exception:
    if "out of memory" in reason:
        return MemoryError()
    what, found = next(
        (what, found)
        for pattern, what in _CSV_ERRORS.items()
        if (found := re.search(pattern, reason))
    )
    return BadInput(
        what.format(*found.groups(), name=name),
        "Put texts with commas, quotes or line breaks in double quotes, and double the quotes "
        "inside them.",
    )


def _jsonl(data: bytes, name: str, wanted: AbstractSet[str]) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for row in _json_rows(data, name):
        found = {key: value for key, value in row.items() if key.strip().lower() in wanted}
        # without any in the first row, some names to show in the message
        rows.append(found if found or rows else dict(islice(row.items(), 8)))
    return _as_text(pd.DataFrame(rows, dtype=object), name)


def _jsonl_names(data: bytes, name: str, wanted: AbstractSet[str]) -> pd.DataFrame:
    found = dict.fromkeys(key for row in islice(_json_rows(data, name), 100) for key in row)
    return pd.DataFrame({"name": list(islice(found, NAMED))})


def _json_rows(data: bytes, name: str) -> Iterator[dict[str, object]]:
    lines = enumerate(_decode(data, name).split("\n"), start=1)  # a text may contain U+2028
    filled = ((number, line) for number, line in lines if line.strip())
    for number, line in islice(filled, LIMITS.rows + 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # a number of 5,000 digits is a plain ValueError
            row = None
        if not isinstance(row, dict):
            raise BadInput(
                f"Line {number} of {name} is not a JSON object.",
                'Write one {"text": …, "label": …} per line.',
            )
        yield row


def _parquet(data: bytes, name: str, wanted: AbstractSet[str]) -> pd.DataFrame:
    try:
        return _as_text(_unpack(data, name, wanted).to_pandas(), name)
    except BadInput:
        raise
    except (pa.ArrowException, OSError, ValueError):
        raise _no_parquet(name) from None


def _no_parquet(name: str) -> BadInput:
    return BadInput(
        f"{name} is not a readable Parquet file.", "Save it again, for example with pandas."
    )


def _parquet_file(data: bytes, name: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(io.BytesIO(data))
    except (pa.ArrowException, OSError, ValueError):
        raise _no_parquet(name) from None


def _unpack(data: bytes, name: str, wanted: AbstractSet[str]) -> pa.Table:
    """The columns that are read, unless they take far more memory than the file has bytes: one page
    can hold a text a million times.
    """
    source = _parquet_file(data, name)
    rows = source.metadata.num_rows
    _check_rows(name, rows)
    fields = [field for field in source.schema_arrow if field.name.strip().lower() in wanted]
    if not fields:  # only the names are wanted, for the message
        return pa.table({column: pa.nulls(rows) for column in source.schema_arrow.names[:8]})
    for field in fields:
        BadInput.raise_if(
            pa.types.is_nested(field.type) or pa.types.is_fixed_size_binary(field.type),
            f"The column “{field.name}” of {name} contains lists or binary data.",
            _ONE_EACH,
        )
    groups = map(source.metadata.row_group, range(source.metadata.num_row_groups))
    too_much = f"{name} unpacks to more than {UNPACKED // 2**20} MB.", _SAMPLE
    BadInput.raise_if(sum(group.total_byte_size for group in groups) > UNPACKED, *too_much)
    # as dictionaries, each text is there once
    texts = [field.name for field in fields if _is_textual(field.type)]
    table = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts).read(
        columns=[field.name for field in fields]
    )
    BadInput.raise_if(sum(map(_unpacked_bytes, table.columns)) > UNPACKED, *too_much)
    return table


def _is_textual(kind: pa.DataType) -> bool:
    t = pa.types
    return any(
        is_(kind) for is_ in (t.is_string, t.is_large_string, t.is_binary, t.is_large_binary)
    )


def _unpacked_bytes(column: pa.ChunkedArray) -> int:
    if not pa.types.is_dictionary(column.type) or not _is_textual(column.type.value_type):
        return column.nbytes
    return sum(
        pc.sum(pc.take(pc.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0
        for chunk in column.chunks
    )


def _as_text(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Every cell as a string, missing cells empty, as the CSV reader gives them."""
    nested = ~table.map(pd.api.types.is_scalar).to_numpy(bool).all(axis=1)
    if nested.any():
        raise BadInput(
            f"Row {nested.argmax() + 1} of {name} contains a list or an object.", _ONE_EACH
        )
    return table.map(_cell)


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    text = "" if pd.isna(value) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8")  # no half surrogates


Reader = Callable[[bytes, str, AbstractSet[str]], pd.DataFrame]
_CSV_READERS: dict[str, Reader] = dict.fromkeys((".csv", ".tsv", ".txt"), _csv)
_LINES = (".jsonl", ".ndjson", ".json")
_READERS = _CSV_READERS | dict.fromkeys(_LINES, _jsonl) | {".parquet": _parquet}
