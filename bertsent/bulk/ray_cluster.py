"""The parts of a job on a Ray cluster: Ray Data reads the tables, hands their parts to workers with
one model each, and repeats what was lost with a worker or a machine. No other module knows Ray.

A part is one row of a Ray data set, and the worker that answers it also writes it. A part that is
answered twice, because its worker died before it could say so, is written twice under one name with
the same rows. Every machine sees inputs and output under the same paths: a shared disk.
"""

import logging
import os
import re
import socket
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, redirect_stdout, suppress
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from bertsent.bulk.inputs import InputFile, InputPart, parts_of
from bertsent.bulk.job import BulkJob, OutputFolder, Written
from bertsent.errors import BertsentError, NotAvailable
from bertsent.progress import Progress, no_progress
from bertsent.settings import subprocess_environment

if TYPE_CHECKING:
    from bertsent.bulk.answering import Answer

HERE = "here"  # instead of an address: a cluster of this machine that ends with the command
ADDRESS = re.compile(r"auto|(ray://)?[\w.-]+:\d{1,5}|(ray://)?\[[0-9a-fA-F:]+\]:\d{1,5}")
_READING, _ANSWERING = 0.1, 0.9  # of a core: a machine of one core does both
_STORE = 512 * 2**20  # bytes of memory for parts on their way, of a cluster of this machine
_AGAIN = "Then start the command again: finished parts stay."
_PART = pa.schema(
    [
        ("name", pa.string()),
        ("file", pa.string()),
        ("first", pa.int64()),
        ("ids", pa.list_(pa.string())),
        ("texts", pa.list_(pa.string())),
        ("seconds", pa.list_(pa.string())),
        ("problems", pa.list_(pa.string())),
        ("trouble", pa.string()),  # a sentence about a file that could not be read
    ]
)
_WRITTEN = pa.schema(
    [("part", pa.string()), ("rows", pa.int64()), ("bad", pa.int64()), ("trouble", pa.string())]
)


def is_address(text: str) -> bool:
    """Whether a text names a cluster rather than a file: ``auto``, ``host:port`` or
    ``ray://host:port``.
    """
    return bool(ADDRESS.fullmatch(text)) and not Path(text).exists()


@contextmanager
def connected(address: str) -> Iterator[None]:
    """The cluster at an address, or one of this machine that ends with the block. What is
    printed meanwhile is discarded: answers go to standard output, where Ray says what it repeats.

    Raises:
        NotAvailable: Ray is not installed, or no cluster answers.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
    except ImportError:
        raise NotAvailable(
            "Ray is not installed here.", 'Install it: pip install "bertsent[cluster]"'
        ) from None
    if address != HERE:
        _check_answers(address)
    options: dict[str, Any] = {"address": address}
    if address == HERE:
        os.environ["PYTHONPATH"] = subprocess_environment()["PYTHONPATH"]
        options = {"address": "local", "include_dashboard": False, "object_store_memory": _STORE}
        options["num_cpus"] = len(os.sched_getaffinity(0))
    try:
        ray.init(logging_level=logging.ERROR, log_to_driver=False, **options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise NotAvailable(
            f"The Ray cluster at {address} does not take this command ({_line(error)}).",
            "Check that it runs and has the same version of Ray and Python.",
        ) from None
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        try:
            yield
        finally:
            ray.shutdown()


def work_on_cluster(
    output: OutputFolder,
    job: BulkJob,
    progress: Progress = no_progress,
    *,
    workers: int | None = None,
) -> None:
    """Answer every part that is not finished, on the cluster that this process is connected to.

    Args:
        output: the folder of the job, on a disk that every machine sees.
        job: what is asked.
        progress: called as parts are finished.
        workers: how many models there are at most; unless given, one for each graphics card of the
            cluster, or one for each core where there is none.

    Raises:
        BertsentError: what a worker met, in one sentence; finished parts stay.
    """
    from ray.exceptions import RayError

    finished = output.finished()
    done = sum(part.rows + part.bad for part in finished.values())
    left, made = max(job.total - done, 1), 0
    try:
        stream = _streamed(output, job, frozenset(finished), workers)
        with _quiet(), closing(stream):
            for written in stream:
                made += written.rows + written.bad
                progress(made / left)
    except (RayError, OSError, ValueError, RuntimeError) as error:
        raise NotAvailable(f"The cluster gave up: {_line(error)}.", _AGAIN) from None


def _streamed(
    output: OutputFolder, job: BulkJob, finished: frozenset[str], workers: int | None
) -> Generator[Written, None, None]:
    import ray

    resources = ray.cluster_resources()
    cards = int(resources.get("GPU", 0))
    most = workers or cards or max(1, int(resources.get("CPU", 1)))
    each = {"num_gpus": 1} if cards else {}
    answers = ray.data.read_datasource(
        _source(job, finished), override_num_blocks=len(job.inputs), num_cpus=_READING
    ).map_batches(
        Worker,
        fn_constructor_args=(str(output.folder), job, bool(cards)),
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=_ANSWERING,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=most, initial_size=most),
        **each,
    )
    tables = iter(answers.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0))
    # Closed at once: an error would keep it working, and a cluster that ends under it takes this
    # process with it, before the error was told. Prefetching threads would outlive the closing.
    with closing(tables):
        for row in chain.from_iterable(table.to_pylist() for table in tables):
            trouble = row.pop("trouble")
            NotAvailable.raise_if(trouble, trouble)
            yield Written(**row)


class Worker:
    """One model, and the parts that it answers and writes. What goes wrong is told as a row and not
    raised: Ray would try again for ever what no repetition mends.
    """

    def __init__(self, folder: str, job: BulkJob, on_card: bool) -> None:
        self.output, self.trouble = OutputFolder(Path(folder), job.sha256), ""
        self.where = f"The worker on {socket.gethostname()}"
        self.answer: Answer | None = None
        if not self.output.visible():
            self.trouble = (
                f"{self.where} does not see {folder}. Use a folder on a disk that all machines "
                "share."
            )
            return
        from bertsent.bulk.answering import answerer

        try:
            self.answer = answerer(job, "cuda" if on_card else "cpu")
        except BertsentError as error:
            self.trouble = f"{self.where} has no usable model: {error}"

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows = [self._written(row) for row in batch.to_pylist()]
        return pa.Table.from_pylist(rows, _WRITTEN)

    def _written(self, row: dict[str, Any]) -> dict[str, Any]:
        trouble = row.pop("trouble") or self.trouble
        none = {"part": row["name"], "rows": 0, "bad": 0}
        if trouble or self.answer is None:
            return {**none, "trouble": trouble}
        try:
            part = InputPart(**{key: _tuple(value) for key, value in row.items()})
            return {**asdict(self.output.write(part.name, *self.answer(part))), "trouble": ""}
        except BertsentError as error:
            return {**none, "trouble": f"{self.where} met a problem: {error}"}
        except OSError as error:
            what = error.strerror or _line(error)
            return {**none, "trouble": f"{self.where} cannot write: {what}. Free space. {_AGAIN}"}


def _source(job: BulkJob, finished: frozenset[str]) -> Any:
    """The parts that are not finished, as a Ray data source: one row a part, one task a file."""
    from ray.data import Datasource, ReadTask
    from ray.data.block import BlockMetadata

    class Parts(Datasource):
        def estimate_inmemory_data_size(self) -> None:
            return None

        def get_read_tasks(self, parallelism: int, *_: object, **__: object) -> list[ReadTask]:
            unknown = BlockMetadata(None, None, None, None)
            return [
                ReadTask(_reader(file, number, job.rows, _of_file(finished, number)), unknown)
                for number, file in enumerate(job.inputs)
            ]

    return Parts()


def _of_file(finished: frozenset[str], number: int) -> frozenset[str]:
    return frozenset(name for name in finished if name.startswith(f"part-{number:05d}-"))


class _reader:  # noqa: N801 - a function that can be sent to another machine
    """Reads one file, part by part."""

    def __init__(self, file: InputFile, number: int, rows: int, finished: frozenset[str]) -> None:
        self.file, self.number, self.rows, self.finished = file, number, rows, finished

    def __call__(self) -> Iterator[pa.Table]:
        try:
            for part in parts_of(self.file, self.number, self.rows):
                if part.name not in self.finished:
                    yield _row(part)
        except (BertsentError, OSError) as error:
            where = f"{socket.gethostname()} cannot read {self.file.name}"
            yield _row(
                InputPart("", self.file.name, 0, (), (), (), ()), f"{where}: {_line(error)}."
            )


def _row(part: InputPart, trouble: str = "") -> pa.Table:
    return pa.Table.from_pylist([{**asdict(part), "trouble": trouble}], _PART)


def _tuple(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_answers(address: str) -> None:
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except (OSError, OverflowError):
        raise NotAvailable(
            f"No Ray cluster answers at {address}.",
            "Check the address, or leave it out for a cluster of this machine.",
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Ray's own progress bars and log lines; a block of Ray holds one part."""
    from ray.data import DataContext

    context = DataContext.get_current()
    before = context.enable_progress_bars, context.target_max_block_size
    context.enable_progress_bars, context.target_max_block_size = False, 1
    with suppress(AttributeError):
        context.print_on_execution_start = False
    loggers = [logging.getLogger(name) for name in ("ray", "ray.data")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        context.enable_progress_bars, context.target_max_block_size = before
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _line(error: BaseException) -> str:
    """What an exception says, in one line; of Ray's, what it was caused by."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return (lines[-1] if lines else type(cause).__name__)[:200].rstrip(".")
