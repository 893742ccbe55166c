"""Tables on disk in, their rows out in parts of like size: Parquet, CSV, TSV and JSON Lines, one
part in memory at a time.

Every file is read through once before anything is computed: it is known how many rows there are,
and a file that cannot be read is named at once.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bertsent.data.asked_columns import key_of, usual_columns
from bertsent.data.tables import FORMATS, is_file
from bertsent.data.task_lines import WANTED
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task

CSV, LINES, PARQUET = (".csv", ".tsv"), (".jsonl", ".ndjson"), (".parquet",)
KINDS = (*CSV, *LINES, *PARQUET)
ID = "id"
_EDGE = 2**20  # bytes of both ends of a file that tell it from another one
_CHUNK = 4_096  # rows that are parsed together


class Row(NamedTuple):
    """A row as it is read; ``problem`` says why its texts cannot be used."""

    id: str | None
    text: str | None
    second: str | None
    problem: str


@dataclass(frozen=True)
class InputFile:
    """A table and what is read of it."""

    path: str
    name: str  # its path below the folder that all of them share
    rows: int
    text: str  # the column with the texts
    second: str  # that with the second texts, or aspects; empty: none is read
    id: str  # the column that names rows; empty: there is none
    sha256: str  # of its size and both its ends

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are read."""
        return tuple(filter(None, (self.text, self.second, self.id)))


@dataclass(frozen=True)
class InputPart:
    """Rows of one file that are answered, and written, together. ``first`` is the row of the first
    of them, counted from 1; where ``problems`` says something, there is no text. Where the task
    reads one text, ``seconds`` are None.
    """

    name: str
    file: str
    first: int
    ids: tuple[str | None, ...]
    texts: tuple[str | None, ...]
    seconds: tuple[str | None, ...]
    problems: tuple[str, ...]


def find_inputs(names: Sequence[str], task: Task = SENTIMENT) -> list[InputFile]:
    """The tables of those names, in that order, with the columns that a task reads; of a folder all
    tables that lie in it.

    Raises:
        NotAvailable: there is no such file.
        BadInput: one cannot be read, or they do not belong to one table.
    """
    paths = [path for name in names for path in _paths(Path(name))]
    BadInput.raise_if(not paths, "No table is named.", f"Give files that end in {_kinds()}.")
    twice = next((path for place, path in enumerate(paths) if path in paths[:place]), None)
    BadInput.raise_if(twice, f"{twice} is named twice.", "Name every file once.")
    above = Path(os.path.commonpath([path.parent for path in paths]))
    found = [_inspected(path, path.relative_to(above).as_posix(), task) for path in paths]
    for file in found[1:]:
        _check_alike(file, found[0])
    return found


def parts_of(file: InputFile, number: int, rows: int) -> Iterator[InputPart]:
    """The rows of one file in parts of ``rows``, the last one shorter; ``number`` is the place of
    the file among all.

    Raises:
        BadInput: it cannot be read any more.
    """
    source = _rows(file)
    block = 0
    while chunk := list(islice(source, rows)):
        ids, texts, seconds, problems = zip(*chunk, strict=True)
        name, first = f"part-{number:05d}-{block:06d}", block * rows + 1
        yield InputPart(name, file.name, first, ids, texts, seconds, problems)
        block += 1


def _paths(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(each for each in path.iterdir() if each.suffix.lower() in KINDS)
        BadInput.raise_if(
            not found, f"There is no table in the folder {path}.", f"It needs {_kinds()}."
        )
        return [each.resolve() for each in found]
    NotAvailable.raise_if(not is_file(path), f"There is no file {path}.", "Check the path.")
    BadInput.raise_if(
        path.suffix.lower() not in KINDS,
        f"{path.name} is not in a supported format.",
        f"Use one of {', '.join(FORMATS)}.",
    )
    return [path.resolve()]


def _kinds() -> str:
    return ", ".join(KINDS)


def _inspected(path: Path, name: str, task: Task) -> InputFile:
    BadInput.raise_if(not path.stat().st_size, f"{path.name} is empty.", "Leave it out.")
    columns = [column.strip().lower() for column in _columns(path)]
    usual, two = usual_columns(key_of(task), columns), task.reads != "text"
    shown = ", ".join(column[:30] for column in columns[:8])
    BadInput.raise_if(
        not usual.text,
        f"{path.name} has no text column (found: {shown}).",
        "Rename the column with the texts to “text”.",
    )
    BadInput.raise_if(
        two and not usual.second,
        f"{path.name} lacks a column (found: {shown}).",
        f"This model reads {WANTED[task.reads].columns}.",
    )
    file = InputFile(
        path=str(path),
        name=name,
        rows=_parquet(path).metadata.num_rows if path.suffix.lower() in PARQUET else 0,
        text=usual.text,
        second=usual.second if two else "",
        id=ID if ID in columns else "",
        sha256=_fingerprint(path),
    )
    file = replace(file, rows=file.rows or sum(1 for _ in _rows(file)))
    BadInput.raise_if(not file.rows, f"{path.name} has no rows.", "Leave it out.")
    return file


def _check_alike(file: InputFile, first: InputFile) -> None:
    for what, own, other in (
        ("texts", file.text, first.text),
        ("second texts", file.second, first.second),
        ("names of its rows", file.id, first.id),
    ):
        BadInput.raise_if(
            own != other,
            f"{file.name} has its {what} in {_column(own)}, {first.name} in {_column(other)}.",
            "Give parts of one table, with the same columns.",
        )


def _column(name: str) -> str:
    return f"the column “{name}”" if name else "no column"


def _fingerprint(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        digest = hashlib.sha256(f"{size}".encode())
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()


def _columns(path: Path) -> list[str]:
    kind = path.suffix.lower()
    if kind in PARQUET:
        return _parquet(path).schema_arrow.names
    if kind in CSV:
        return list(next(_csv_chunks(path)).iloc[0])
    with path.open("rb") as file:
        row = _json_row(next(filter(bytes.strip, file), b""))
    BadInput.raise_if(
        row is None, f"{path.name} is not JSON Lines.", 'Write one {"text": …} per line.'
    )
    return list(row or {})


def _rows(file: InputFile) -> Iterator[Row]:
    kind = Path(file.path).suffix.lower()
    read = _parquet_rows if kind in PARQUET else _csv_rows if kind in CSV else _json_rows
    return read(Path(file.path), file)


def _parquet(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError):
        raise _no_parquet(path) from None


def _no_parquet(path: Path) -> BadInput:
    return BadInput(
        f"{path.name} is not a readable Parquet file.", "Save it again, for example with pandas."
    )


def _parquet_rows(path: Path, file: InputFile) -> Iterator[Row]:
    source = _parquet(path)
    own = {name.strip().lower(): name for name in source.schema_arrow.names}
    for name in filter(None, (file.text, file.second)):
        kind = source.schema_arrow.field(own[name]).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        BadInput.raise_if(
            not (pa.types.is_string(kind) or pa.types.is_large_string(kind)),
            f"The column “{name}” of {path.name} holds {kind}, not text.",
            "Save the texts as strings.",
        )
    try:
        for batch in source.iter_batches(_CHUNK, columns=[own[name] for name in file.columns]):
            cells = {name: batch.column(own[name]).to_pylist() for name in file.columns}
            yield from _zipped(file, cells, batch.num_rows)
    except (pa.ArrowException, OSError):
        raise _no_parquet(path) from None


def _csv_chunks(path: Path) -> Iterator[pd.DataFrame]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = file.readline()
    separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=header.count)
    try:
        # as bertsent.data.tables reads it: the header is a row, every cell a string
        with pd.read_csv(
            path,
            sep=separator,
            dtype=str,
            header=None,
            keep_default_na=False,
            encoding="utf-8-sig",
            chunksize=_CHUNK,
        ) as chunks:
            yield from chunks
    except (ValueError, UnicodeError) as error:
        detail = " ".join(str(error).split())[:120]
        raise BadInput(
            f"{path.name} cannot be read as a table ({detail}).",
            "Save it as UTF-8, with texts that hold commas, quotes or line breaks in quotes.",
        ) from None


def _csv_rows(path: Path, file: InputFile) -> Iterator[Row]:
    names: list[str] = []
    for chunk in _csv_chunks(path):
        if not names:
            names = [str(name).strip().lower() for name in chunk.iloc[0]]
            chunk = chunk[1:]
        chunk = chunk.fillna("")
        cells = {name: chunk[names.index(name)].tolist() for name in file.columns}
        yield from _zipped(file, cells, len(chunk))


def _json_rows(path: Path, file: InputFile) -> Iterator[Row]:
    with path.open("rb") as lines:
        for line in filter(bytes.strip, lines):
            row = _json_row(line)
            if row is None:
                yield Row(None, None, None, "the line is not a JSON object")
            else:
                yield from _zipped(file, {name: [row.get(name)] for name in file.columns}, 1)


def _zipped(file: InputFile, cells: Mapping[str, Sequence[object]], count: int) -> Iterator[Row]:
    """Rows of columns; one that is not read has None in all of them."""
    empty = [None] * count
    columns = (cells.get(name, empty) for name in (file.id, file.text, file.second))
    return (_row(*values) for values in zip(*columns, strict=True))


def _json_row(line: bytes) -> dict[str, object] | None:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    named = row if isinstance(row, dict) else None
    return None if named is None else {key.strip().lower(): row[key] for key in named}


def _row(own_id: object, text: object, second: object) -> Row:
    name = None if own_id is None else _utf8(str(own_id))
    if problem := _problem(text) or _problem(second):
        return Row(name, None, None, problem)
    first, other = (_utf8(each) if isinstance(each, str) else None for each in (text, second))
    return Row(name, first, other, "" if first is not None else "there is no text")


def _problem(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return f"not text but {type(value).__name__}"
    too_long = len(value) > LIMITS.row_chars
    return f"{len(value):,} characters; the limit is {LIMITS.row_chars:,}" if too_long else ""


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # no half surrogates
