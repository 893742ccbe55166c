"""What is asked of many rows, and the folder where the answers go.

``parts/`` holds one Parquet file for each part of the input, ``bad/`` the rows of it that could not
be answered and why, ``manifest.json`` what was asked and, in the end, all parts with their rows.
Each file is written under a hidden name and renamed, so a part that is there is whole; which parts
are finished is read from the folder, never from a list.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from bertsent.bulk.inputs import InputFile
from bertsent.data.cache import cache_key
from bertsent.errors import BadInput, BertsentError, Busy
from bertsent.files import atomic_path, write_atomically
from bertsent.models.pooling import Pooling

PREDICT, EMBED = "predict", "embed"
MANIFEST, PARTS, BAD = "manifest.json", "parts", "bad"
ROWS = 4_096  # of a part
_FACTS = b"bertsent"  # in the metadata of a part
_ALLOWED = {MANIFEST, PARTS, BAD, "lock"}


@dataclass(frozen=True)
class BulkJob:
    """What is asked of which rows; equal jobs write equal parts."""

    command: str  # PREDICT or EMBED
    model: str  # its name
    model_key: str  # a hash of all that its answers depend on
    inputs: tuple[InputFile, ...]
    rows: int = ROWS  # of a part
    pooling: Pooling = "cls"  # of embed
    layer: int = -1
    part: str = ""  # of a model of several tasks, which of them answers

    @property
    def sha256(self) -> str:
        """A hash of all that the answers depend on; where files lie is no part of it."""
        files = [(file.name, file.rows, file.sha256) for file in self.inputs]
        asked = self.command, self.model_key, self.rows, self.pooling, self.layer
        return cache_key("bulk", *asked, files)

    @property
    def total(self) -> int:
        """The rows of all inputs."""
        return sum(file.rows for file in self.inputs)


@dataclass(frozen=True)
class Written:
    """A finished part: how many rows were answered, and how many were bad."""

    part: str
    rows: int
    bad: int


class OutputFolder:
    """The folder of one job."""

    def __init__(self, folder: Path, sha256: str) -> None:
        self.folder, self.sha256 = folder, sha256

    def visible(self) -> bool:
        """Whether this machine sees the folder of the job."""
        return _manifest(self.folder).get("sha256") == self.sha256

    def write(self, part: str, answers: pa.Table, bad: pa.Table) -> Written:
        """Put a part and its bad rows there, whole or not at all.

        Raises:
            OSError: the disk is full or not writable.
        """
        facts = Written(part, len(answers), len(bad))
        if len(bad):
            self._put(self.folder / BAD / f"{part}.parquet", bad, facts)
        self._put(self.folder / PARTS / f"{part}.parquet", answers, facts)
        return facts

    def _put(self, path: Path, table: pa.Table, facts: Written) -> None:
        stated = json.dumps({"sha256": self.sha256, **asdict(facts)}).encode()
        # a file of Python's: the errors of Arrow's own say what is wrong in terms of its library
        with atomic_path(path) as unfinished, unfinished.open("wb") as file:
            pq.write_table(
                table.replace_schema_metadata({_FACTS: stated}), file, compression="zstd"
            )

    def finished(self) -> dict[str, Written]:
        """The parts that are there and whole, by name."""
        found = map(self._stated, sorted((self.folder / PARTS).glob("part-*.parquet")))
        return {written.part: written for written in found if written}

    def _stated(self, path: Path) -> Written | None:
        """What a part says of itself; None where it is damaged or of another job."""
        try:
            metadata = pq.read_metadata(path)
            facts = json.loads(metadata.metadata[_FACTS])
            whole = facts.pop("sha256") == self.sha256 and metadata.num_rows == facts["rows"]
            bad = self.folder / BAD / path.name
            whole = whole and (not facts["bad"] or pq.read_metadata(bad).num_rows == facts["bad"])
            return Written(**facts) if whole else None
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
            return None


@contextmanager
def opened(folder: Path, job: BulkJob) -> Iterator[OutputFolder]:
    """The folder of a job, made or opened again, held by this process alone.

    Raises:
        BadInput: there is something else in it: the answers of another job, or files of somebody's.
        Busy: another command writes to it now.
        OSError: it cannot be written.
    """
    _check(folder, job)
    for each in (folder / PARTS, folder / BAD):
        each.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Busy(f"Another command writes to {folder} now.", "Wait for it.") from None
    with lock:
        output = OutputFolder(folder, job.sha256)
        for left in folder.glob("*/.part-*"):  # of a process that was killed
            left.unlink(missing_ok=True)
        if not output.visible():
            _state(folder, job, {"state": "unfinished"})
        yield output


def finish(output: OutputFolder, job: BulkJob) -> list[Written]:
    """Check that every row of the inputs is there exactly once, and complete the manifest.

    Raises:
        BertsentError: rows are missing or there are too many; nothing says that the job is done.
    """
    parts = list(output.finished().values())
    for number, file in enumerate(job.inputs):
        own = [part for part in parts if part.part.startswith(f"part-{number:05d}-")]
        found = sum(part.rows + part.bad for part in own)
        BertsentError.raise_if(
            found != file.rows,
            f"{file.name} has {file.rows:,} rows, but {found:,} were written.",
            "If it changed meanwhile, use another folder; else start the command again.",
        )
    facts = {
        "state": "finished",
        "rows": sum(part.rows for part in parts),
        "bad": sum(part.bad for part in parts),
        "parts": [asdict(part) for part in parts],
    }
    _state(output.folder, job, facts)
    return parts


def _state(folder: Path, job: BulkJob, facts: dict[str, Any]) -> None:
    asked = {**asdict(job), "inputs": [asdict(file) for file in job.inputs]}
    document = {"format": 1, "sha256": job.sha256, "job": asked, **facts}
    write_atomically(folder / MANIFEST, json.dumps(document, ensure_ascii=False, indent=1))


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _check(folder: Path, job: BulkJob) -> None:
    BadInput.raise_if(
        folder.exists() and not folder.is_dir(), f"{folder} is a file.", "Name a folder."
    )
    if not folder.exists():
        return
    found, other = _manifest(folder), "Choose another folder, or an empty one."
    if not found:
        foreign = [
            path.name
            for path in folder.iterdir()
            if path.name not in _ALLOWED and not re.fullmatch(r"\.manifest\.json-.*", path.name)
        ]
        BadInput.raise_if(
            foreign or any((folder / PARTS).glob("*")),
            f"{folder} holds other things.",
            other,
        )
        return
    before = found.get("job", {})
    asked = f"{before.get('command', 'another command')} by {before.get('model', 'another model')}"
    BadInput.raise_if(
        found.get("sha256") != job.sha256,
        f"{folder} holds the answers of another job ({asked}, or other inputs).",
        other,
    )
