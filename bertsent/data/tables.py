"""Somebody's file in, ``Reviews`` out, or one sentence that says what is wrong with it and how to mend it.

CSV, TSV, JSON lines and Parquet. A file name is only ever shown and asked for its ending, never used as a path.
"""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Reviews
from bertsent.errors import BadInput, NotAvailable
from bertsent.settings import LIMITS

TEXT_NAMES = ("text", "review", "sentence", "content", "comment", "body", "reviewtext", "phrase")
LABEL_NAMES = ("label", "sentiment", "target", "class", "polarity", "labels", "y")
FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")
_WORDS = {NEGATIVE: ("0", "0.0", "negative", "neg", "false"), POSITIVE: ("1", "1.0", "positive", "pos", "true")}
_LABEL_OF = {word: label for label, words in _WORDS.items() for word in words}
_MISSING = ("", "nan", "null", "none", "na", "n/a", "<na>")


def read_file(path: Path, **options: object) -> Reviews:
    """Read a review file from disk; see ``read_bytes``.

    Raises:
        NotAvailable: there is no such file.
        BadInput: the file cannot be used.
    """
    if not path.is_file():
        raise NotAvailable(f"There is no file {path}.", "Check the path.")
    if path.stat().st_size > LIMITS.upload_bytes:
        raise BadInput(*_too_big(path.stat().st_size))
    return read_bytes(path.read_bytes(), path.name, **options)


def read_bytes(data: bytes, name: str, *, drop_incomplete: bool = False, need_labels: bool = True) -> Reviews:
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
        raise BadInput(*_too_big(len(data)))
    if not data.strip():
        raise BadInput(f"{name} is empty.", "Choose a file with a header line and one review a row.")
    table = _parse(data, name)
    if len(table) == 0:
        raise BadInput(f"{name} has a header but no rows.", "Add one review a row.")
    if len(table) > LIMITS.rows:
        raise BadInput(f"{name} has {len(table):,} rows; the limit is {LIMITS.rows:,}.", "Take a sample of it.")
    return _reviews(table, name, drop_incomplete, need_labels)


def _too_big(size: int) -> tuple[str, str]:
    limit = LIMITS.upload_bytes // 2**20
    return f"The file has {size / 2**20:,.0f} MB; the limit is {limit} MB.", "Take a sample of its rows."


def _parse(data: bytes, name: str) -> pd.DataFrame:
    ending = Path(name).suffix.lower()
    readers: dict[str, Callable[[bytes, str], pd.DataFrame]] = {
        ".csv": _csv, ".tsv": _csv, ".txt": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".json": _jsonl, ".parquet": _parquet,
    }  # fmt: skip
    if ending not in readers:
        raise BadInput(f"{name} is not a kind of file that is read here.", f"Use one of {', '.join(FORMATS)}.")
    return readers[ending](data, name)


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{name} is in UTF-16.", "Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).")
    if b"\x00" in data[:65536] or data.startswith((b"PK\x03\x04", b"PAR1", b"\x80\x04", b"\x80\x02", b"\x80\x05")):
        raise BadInput(f"{name} is not a text file.", f"Use one of {', '.join(FORMATS)} with the right ending.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{name} is not UTF-8 (line {line}).", "Save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).") from None


def _csv(data: bytes, name: str) -> pd.DataFrame:
    text = _decode(data, name)
    header = text.lstrip().split("\n", 1)[0]
    separator = "\t" if name.lower().endswith(".tsv") else max(",;\t", key=header.count)
    try:
        return pd.read_csv(io.StringIO(text), sep=separator, dtype=str, keep_default_na=False, nrows=LIMITS.rows + 1)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        reason = str(error).strip().splitlines()[0].removeprefix("Error tokenizing data. C error: ")
        raise BadInput(f"{name} cannot be read as a table: {reason}.", "Put texts with commas or line breaks in double quotes.") from None


def _jsonl(data: bytes, name: str) -> pd.DataFrame:
    rows = []
    for number, line in enumerate(_decode(data, name).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise BadInput(f"Line {number} of {name} is not a JSON object.", 'Write one {"text": …, "label": …} a line.')
        rows.append(row)
    return _as_text(pd.DataFrame(rows, dtype=object))


def _parquet(data: bytes, name: str) -> pd.DataFrame:
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        source = pq.ParquetFile(io.BytesIO(data))
        size = sum(source.metadata.row_group(i).total_byte_size for i in range(source.metadata.num_row_groups))
        if source.metadata.num_rows > LIMITS.rows or size > 10 * LIMITS.upload_bytes:
            raise BadInput(f"{name} has {source.metadata.num_rows:,} rows; the limit is {LIMITS.rows:,}.", "Take a sample of it.")
        wanted = [c for c in source.schema_arrow.names if c.lower() in {*TEXT_NAMES, *LABEL_NAMES, "id", "phenomenon", "pair", "split"}]
        return _as_text(source.read(columns=wanted or None).to_pandas())
    except (ArrowException, OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{name} is not a readable Parquet file.", "Write it again, for example with pandas.") from None


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    """Every cell as a string, missing cells empty, as the CSV reader gives them."""
    return table.astype(object).where(table.notna(), "").map(str)


def _reviews(table: pd.DataFrame, name: str, drop_incomplete: bool, need_labels: bool) -> Reviews:
    columns = {str(column).strip().lower(): column for column in reversed(table.columns.tolist())}
    text_column = next((columns[n] for n in TEXT_NAMES if n in columns), None)
    label_column = next((columns[n] for n in LABEL_NAMES if n in columns), None)
    found = ", ".join(map(str, table.columns[:8].tolist()))
    if text_column is None:
        raise BadInput(f"{name} has no text column (found: {found}).", "Name the column with the reviews “text”.")
    if label_column is None and need_labels:
        raise BadInput(f"{name} has no label column (found: {found}).", "Name it “label”, with 0 or negative, 1 or positive.")
    table = table.reset_index(drop=True)
    texts = table[text_column]
    labels = table[label_column].str.strip().str.lower() if label_column is not None else pd.Series([""] * len(table))
    incomplete = texts.str.strip().eq("") | (labels.isin(_MISSING) if need_labels else False)
    if incomplete.any() and not drop_incomplete:
        raise BadInput(*_incomplete(name, incomplete, texts))
    table, texts, labels = table[~incomplete], texts[~incomplete], labels[~incomplete]
    if not len(table):
        raise BadInput(f"No row of {name} has both a text and a label.", "Fill them in.")
    _check(name, texts, labels)
    extras = {field: columns[field] for field in ("id", "phenomenon", "pair", "split") if field in columns}
    return Reviews(name, tuple(_examples(table, texts, labels, extras)))


def _examples(table: pd.DataFrame, texts: pd.Series, labels: pd.Series, extras: dict[str, str]) -> list[Example]:
    rest = {field: table[column].tolist() for field, column in extras.items()}
    ids = rest.pop("id", None)
    if ids is None or len(set(ids)) < len(ids):  # ids must tell rows apart
        ids = [f"row-{position + 1}" for position in table.index]
    values = [dict(zip(rest, row, strict=True)) for row in zip(*rest.values(), strict=True)] if rest else [{}] * len(table)
    rows = zip(ids, texts.tolist(), labels.tolist(), values, strict=True)
    return [Example(id=i, text=t, label=_LABEL_OF.get(word), contrastive=i.startswith("handcrafted-"), **value) for i, t, word, value in rows]


def _incomplete(name: str, incomplete: pd.Series, texts: pd.Series) -> tuple[str, str]:
    first, count = int(incomplete.idxmax()), int(incomplete.sum())
    what = "text" if not texts[first].strip() else "label"
    more = f", nor have {count - 1:,} other rows all they need" if count > 1 else ""
    return f"Row {first + 1} of {name} has no {what}{more}.", "Fill it in, or leave incomplete rows out."


def _check(name: str, texts: pd.Series, labels: pd.Series) -> None:
    lengths = texts.str.len()
    if lengths.max() > LIMITS.row_chars:
        row = int(lengths.idxmax()) + 1
        raise BadInput(f"Row {row} of {name} has {lengths.max():,} characters; the limit is {LIMITS.row_chars:,}.", "Cut it.")
    unknown = labels[~labels.isin([*_LABEL_OF, *_MISSING])]
    if len(unknown):
        values = ", ".join(f"“{value[:30]}”" for value in unknown.unique()[:4])
        row = int(unknown.index[0]) + 1
        raise BadInput(f"Row {row} of {name}: {values} is not a label that is known.", "Use 0 or negative, 1 or positive.")
