"""Memory: the most that the worker of a real 2,000-review run holds up to a quarter, up to half and
up to all of its steps.
"""

import os
import subprocess
import sys
import time

from tests.benchmarks.child_process import mib, run_in_child
from tests.benchmarks.reviews import long_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import temporary_home

LENGTH = 128
WINDOWS = {"first": (0.0, 0.25), "second": (0.25, 0.5), "last": (0.5, 1.0)}  # shares of all steps


def rows(quick: bool) -> list[Row]:
    """Memory in the second half of the steps beside the first quarter, and the highest point."""
    found = run_in_child(
        "memory", "measure", reviews=300 if quick else 2_000, epochs=1 if quick else 10
    )
    course = ", ".join(
        f"{found[name]:,.0f} MiB from {start:.0%} to {end:.0%}"
        for name, (start, end) in WINDOWS.items()
    )
    size = (
        f"{found['reviews']:.0f} reviews ({long_reviews().name}), {LENGTH} tokens, "
        f"{found['steps']:.0f} steps"
    )
    flat = f"flat is 1.00 ×; worker of a run on {size}: {course}"
    told = f"evaluations and checkpoints included; {found['seconds']:.0f} s in all"
    return [
        Row("memory late / early in a run", "MiB", found["last"], found["first"], flat),
        Row("  peak of the run", "MiB", found["worker_mib"], None, told),
    ]


def measure(reviews: int, epochs: int) -> dict[str, float]:
    """Most MiB of a worker in each window and altogether, in a lab that is thrown away."""
    from bertsent.data.splits import split
    from bertsent.models.backbone import builtin_folder, weights_hash
    from bertsent.models.folders import WEIGHTS
    from bertsent.settings import machine
    from bertsent.training.config import TrainingConfig
    from bertsent.training.runs.run import create_run

    splits = split(long_reviews().take(range(reviews)))
    with temporary_home():
        sha256 = weights_hash(builtin_folder() / WEIGHTS)
        config = TrainingConfig(epochs=epochs, batch_size=8, max_length=LENGTH)
        run = create_run(
            splits, config, source="benchmark", model_sha256=sha256, device=machine().device
        )
        began = time.perf_counter()
        samples, peak = _watch(run)
        history = run.history()
    if history.failure or not samples:
        raise RuntimeError(f"The run failed: {history.failure}")
    steps = history.started.total_steps
    highest = {
        name: max(rss for step, rss in samples if start < step / steps <= end)
        for name, (start, end) in WINDOWS.items()
    }
    return {
        **highest,
        "worker_mib": peak,
        "steps": steps,
        "reviews": reviews,
        "seconds": time.perf_counter() - began,
    }


def _watch(run) -> tuple[list[tuple[int, float]], float]:  # a Run
    """(step, MiB) about five times a second while steps are taken, and the peak that the kernel
    saw.
    """
    import psutil

    process = subprocess.Popen(
        [sys.executable, "-m", "bertsent.training.worker", str(run.folder)], stdout=sys.stderr
    )
    look, samples, step, offset = psutil.Process(process.pid), [], 0, 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return samples, mib(usage.ru_maxrss)
        events, offset = run.log.read(offset)
        step = max([step, *(event.step for event in events)])
        if step:
            samples.append((step, look.memory_info().rss / 2**20))
        time.sleep(0.2)
