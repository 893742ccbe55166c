"""A lab of its own for the benchmarks: an empty ``BERTSENT_HOME`` with one finished run in it, gone
afterwards.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.run import Run, list_runs

SENTINELS = ("Great, another boring movie", "Absolutely incredible")


@contextmanager
def temporary_home() -> Iterator[None]:
    """Inside, this process and those it starts live in an empty lab."""
    before = os.environ.get("BERTSENT_HOME")
    with tempfile.TemporaryDirectory(
        prefix="bertsent-bench-", ignore_cleanup_errors=True
    ) as folder:
        os.environ["BERTSENT_HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["BERTSENT_HOME"]
            else:
                os.environ["BERTSENT_HOME"] = before


def finished_run() -> Run:
    """The lab's run: one epoch on the built-in reviews, reading up to 256 tokens; trained when
    first asked for.

    Raises:
        RuntimeError: it did not finish.
    """
    run = next(iter(list_runs()), None)
    if run is None:
        run = prepare_run("builtin", TrainingConfig(epochs=1), sentinels=SENTINELS)
        launch(run)
    while (state := run.status().state) in ("new", "queued", "running"):
        time.sleep(0.3)
    if state != "finished":
        raise RuntimeError(
            "The benchmark's own run is "
            f"{state}:\n{(run.folder / 'worker.log').read_text()[-2000:]}"
        )
    return run
