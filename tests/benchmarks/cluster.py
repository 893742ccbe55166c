"""A job of short reviews on a Ray cluster of this machine beside the same job in one process, and
the memory of a job of 300,000 rows beside one of 10,000.

Both ways are measured in turns, from the moment when three tenths are done: starting Ray and
loading models takes the same time however large a job is, and has a row of its own. Processor
seconds are those of all processes of the job, Ray's own included: they say what it costs where
other work disturbs the clock. The two jobs whose memory is compared have a process each.
"""

import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import typed_reviews
from tests.benchmarks.rows import Row

WARM = 0.3


def rows(quick: bool) -> list[Row]:
    """Seconds, processor seconds and start of both ways; most memory of a small and a large job."""
    turns, reviews = (1, 600) if quick else (2, 3_000)
    found = run_in_child("cluster", "measure", turns=turns, reviews=reviews, part=100)
    few, many = (1_000, 4_000) if quick else (10_000, 300_000)
    small, large = (run_in_child("cluster", "memory", count=count) for count in (few, many))
    how = f"{reviews:,} short built-in reviews, {turns} turns, from {WARM:.0%} of the job on"
    told = f"a tiny BERT, {many:,} rows beside {few:,}; flat is 1.00 ×"
    return [
        Row("1,000 rows on a cluster / here", "s", found["cluster"], found["here"], how),
        Row("  processor", "s", found["cluster_cpu"], found["here_cpu"], how),
        Row("  start", "s", found["cluster_start"], found["here_start"], "to the first part"),
        Row("memory of a worker, many / few rows", "MiB", large["worker"], small["worker"], told),
        Row("  of the command", "MiB", large["driver"], small["driver"], told),
        Row("  rows a second of that", "rows/s", large["rate"], None, told, more_is_better=True),
    ]


@dataclass
class Watch:
    """What a job reports on its way: when, how far, and what all of its processes had used, those
    included that have ended.
    """

    began: float = field(default_factory=time.perf_counter)
    marks: list[tuple[float, float, float]] = field(default_factory=list)
    used: dict[int, float] = field(default_factory=dict)  # processor seconds by process

    def report(self, fraction: float) -> None:
        self.used |= _processor_seconds()
        self.marks.append((time.perf_counter(), fraction, sum(self.used.values())))

    def each_thousand(self, rows: int) -> tuple[float, float, float]:
        """Seconds and processor seconds of 1,000 rows once it was under way, and its start."""
        warm, last = next(mark for mark in self.marks if mark[1] >= WARM), self.marks[-1]
        thousands = (last[1] - warm[1]) * rows / 1_000
        start = self.marks[0][0] - self.began
        return (last[0] - warm[0]) / thousands, (last[2] - warm[2]) / thousands, start


def measure(turns: int, reviews: int, part: int) -> dict[str, float]:
    """Medians over turns of both ways."""
    from bertsent.bulk.one_machine import work_here
    from bertsent.bulk.ray_cluster import HERE, connected, work_on_cluster

    def with_ray(*what) -> None:
        with connected(HERE):
            work_on_cluster(*what)

    ways: dict[str, Callable] = {"here": work_here, "cluster": with_ray}
    found: dict[str, list[tuple[float, float, float]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        table = _table(Path(folder) / "reviews.parquet", reviews)
        for turn, way in itertools.product(range(turns), ways):
            watch = _watched(table, Path(folder) / f"{way}-{turn}", "builtin", part, ways[way])
            found[way].append(watch.each_thousand(reviews))
    answer = {}
    for way, measured in found.items():
        for place, name in enumerate(("", "_cpu", "_start")):
            answer[way + name] = statistics.median(each[place] for each in measured)
    return answer


def memory(count: int) -> dict[str, float]:
    """Most MiB of the worker and of this process in a job, and its rows a second."""
    from bertsent.bulk.ray_cluster import HERE, connected, work_on_cluster

    most = {"driver": 0.0, "worker": 0.0}

    def look(output, job, report):
        def also(fraction: float) -> None:
            report(fraction)
            for what, size in _sizes().items():
                most[what] = max(most[what], size)

        work_on_cluster(output, job, also, workers=1)

    with tempfile.TemporaryDirectory() as folder, connected(HERE):
        model = _tiny_model(Path(folder) / "tiny")
        table = _table(Path(folder) / "reviews.parquet", count)
        watch = _watched(table, Path(folder) / "job", str(model), 1_000, look)
    return most | {"rate": 1_000 / watch.each_thousand(count)[0]}


def _table(path: Path, rows: int) -> Path:
    """The short reviews again and again, written piece by piece: what is made here is no memory of
    the job.
    """
    pool = pa.table({"text": typed_reviews(2_000)})
    with pq.ParquetWriter(path, pool.schema) as file:
        for done in range(0, rows, len(pool)):
            file.write_table(pool[: rows - done])
    return path


def _watched(table: Path, folder: Path, model: str, part: int, work: Callable) -> Watch:
    from bertsent.bulk.answering import key_of
    from bertsent.bulk.inputs import find_inputs
    from bertsent.bulk.job import BulkJob, finish, opened
    from bertsent.probing.loaded_model import load

    job = BulkJob("predict", model, key_of(load(model)), tuple(find_inputs([str(table)])), part)
    with opened(folder, job) as output:
        watch = Watch()
        work(output, job, watch.report)
        finish(output, job)
    return watch


def _tiny_model(folder: Path) -> Path:
    """Two layers, 32 wide: 300,000 rows in minutes."""
    from transformers import BertConfig, BertModel

    from bertsent.models.backbone import load_backbone
    from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
    from bertsent.models.task_model import BertForTask

    config = BertConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    model = BertForTask(BertModel(config, add_pooling_layer=False))
    card = CheckpointCard(max_length=64)
    save_checkpoint(folder, model, load_backbone("builtin").tokenizer, card)
    return folder


def _family() -> list:
    import psutil

    own = psutil.Process(os.getpid())
    return [own, *own.children(recursive=True)]


def _processor_seconds() -> dict[int, float]:
    import psutil

    found = {}
    for process in _family():
        with suppress(psutil.Error):
            used = process.cpu_times()
            found[process.pid] = used.user + used.system
    return found


def _sizes() -> dict[str, float]:
    """MiB of this process and of the largest worker."""
    import psutil

    found = {"driver": 0.0, "worker": 0.0}
    for process in _family():
        try:
            size = process.memory_info().rss / 2**20
            what = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if process.pid == os.getpid():
            found["driver"] = size
        elif "MapWorker" in what:
            found["worker"] = max(found["worker"], size)
    return found
