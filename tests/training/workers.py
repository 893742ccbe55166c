"""Real worker processes that start in a blink: each is forked from a server that has loaded torch
already.

They do what ``python -m bertsent.training.worker RUN`` does, hold the same locks and die of the
same signals. One can be told to freeze itself at a certain moment, so that a test meets it there
however slow the machine is.
"""

import importlib
import itertools
import multiprocessing
import os
import resource
import signal
import sys
from pathlib import Path

from bertsent.training.config import TrainingConfig
from bertsent.training.runs.launcher import launch, prepare_run
from bertsent.training.runs.run import Run, create_run
from tests.conftest import wait_until

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.training.preload"])

# The moments: just before this call of that function
STEP = "bertsent.training.trainer_state:TrainerState._update"  # forward done, backward not
SAVE = "bertsent.models.checkpoint:_write"  # in mid-save, before the next file of a checkpoint
EVALUATION = "bertsent.training.trainer_state:TrainerState.evaluate"
STATEMENT = "bertsent.training.events:EventLog.append"


def start_run(source: object, training: TrainingConfig, **options: object) -> Run:
    """Prepare a run and launch its worker."""
    run = prepare_run(source, training, **options)
    launch(run)
    return run


def new_run(course) -> Run:
    """The run of a ``Course``, laid down as ``prepare_run`` does; nobody works on it yet."""
    return create_run(
        course.splits,
        course.config,
        source="toy",
        model=str(course.backbone),
        sentinels=course.sentinels,
    )


def _work(
    folder: str,
    environment: dict[str, str],
    freeze: tuple[str, int] | None,
    largest_file: int | None,
) -> None:
    os.setsid()
    os.environ.update(environment)
    log = os.open(f"{folder}/worker.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    os.dup2(log, 1), os.dup2(log, 2)
    if largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    if freeze:
        _freeze_at(*freeze)
    from bertsent.training import worker

    sys.argv = ["worker", folder]
    sys.exit(worker.main())


def _freeze_at(moment: str, count: int) -> None:
    module, _, path = moment.partition(":")
    owner, _, name = path.rpartition(".")
    home = (
        getattr(importlib.import_module(module), owner)
        if owner
        else importlib.import_module(module)
    )
    original, calls = getattr(home, name), itertools.count(1)

    def freezing(*arguments, **options):
        if next(calls) == count:
            os.kill(os.getpid(), signal.SIGSTOP)
        return original(*arguments, **options)

    setattr(home, name, freezing)


class _Spawned:
    """As much of a ``subprocess.Popen`` as ``launch`` asks for."""

    def __init__(self, worker) -> None:
        self.poll = lambda: worker.exitcode


class Workers:
    """Starts workers and ends those that are left."""

    def __init__(self) -> None:
        self.started = []

    def begin(
        self, run: Run, freeze: tuple[str, int] | None = None, largest_file: int | None = None
    ):
        """A worker on ``run``.

        Args:
            run: what to work on.
            freeze: the moment, and at which time it comes, when the worker stops itself; returns
                once it has.
            largest_file: it may not write files of more bytes.
        """
        environment = {name: os.environ[name] for name in ("BERTSENT_HOME", "BERTSENT_DEVICE")}
        worker = _SERVER.Process(
            target=_work, args=(str(run.folder), environment, freeze, largest_file)
        )
        worker.start()
        self.started.append(worker)
        if freeze:
            wait_until(lambda: _is_frozen(worker.pid), every=0.01)
        return worker

    def finish(self, run: Run, **options) -> int:
        """Work on ``run`` to its end; gives back the exit status."""
        return ended(self.begin(run, **options))

    def spawn(self, run: Run) -> "_Spawned":
        """In place of ``launcher._spawn``."""
        return _Spawned(self.begin(run))

    def end(self) -> None:
        for worker in self.started:
            worker.kill()
            worker.join()


def _is_frozen(process: int) -> bool:
    return (
        Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        == "T"
    )


def thaw(worker) -> None:
    """Let a frozen worker go on."""
    os.kill(worker.pid, signal.SIGCONT)


def kill(worker) -> None:
    """``kill -9``: nothing of the worker runs any more, not even an exception handler."""
    worker.kill()
    assert ended(worker) == -signal.SIGKILL


def ended(worker) -> int:
    """Wait for a worker's end; gives back its exit status."""
    worker.join(60)
    assert not worker.is_alive()
    return worker.exitcode


def state(run: Run) -> str:
    return run.status().state
