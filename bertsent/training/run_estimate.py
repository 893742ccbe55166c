"""A run to be in, what it will amount to out: the trial is started and waited for here, its numbers
become hours and warnings.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from bertsent.data.examples import Splits
from bertsent.errors import BertsentError
from bertsent.settings import PROJECT, home, machine
from bertsent.training.config import TrainingConfig
from bertsent.training.dry_run import PROGRESS, REQUEST, RESULT, REVIEWS, DryRun
from bertsent.training.lr_schedule import kept_steps, steps_per_epoch
from bertsent.training.runs.run import list_runs

LONGEST = 900  # seconds after which a trial is given up
HEADROOM = 0.9  # of the free memory is what a suggestion may use
_NO_MATTER = (
    "epochs",
    "encoder_lr",
    "head_lr",
    "layer_decay",
    "warmup_share",
    "weight_decay",
    "label_smoothing",
    "class_weights",
    "patience",
    "keep_head",
    "sentinel_every",
    "save_seconds",
    "waypoints",
)


@dataclass(frozen=True)
class RunEstimate:
    """What a run will take: seconds in all, and bytes at its peak."""

    seconds: float
    memory: int


def dry_run_key(splits: Splits, model: str, weights: Path, training: TrainingConfig) -> str:
    """A name that two runs share just when one trial speaks for both: rates, epochs and the like
    change nothing it measures.
    """
    usual = TrainingConfig()
    decisive = replace(training, **{name: getattr(usual, name) for name in _NO_MATTER})
    state = weights.stat()
    facts = [
        splits.sha256,
        model,
        state.st_mtime_ns,
        state.st_size,
        machine().device,
        asdict(decisive),
    ]
    return f"trial-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]}"


def measure_dry_run(
    splits: Splits,
    model: str,
    training: TrainingConfig,
    progress: Callable[[float], None] = lambda share: None,
) -> DryRun:
    """Measure a few real steps in a child process.

    Args:
        splits: the reviews of the run.
        model: its backbone by name.
        training: its settings.
        progress: called with a share now and then; what it raises ends the trial.

    Raises:
        BertsentError: why it cannot be done; a run would meet the same.
    """
    place = home() / "trials"
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place)
    with tempfile.TemporaryDirectory(dir=place, prefix="trial-") as name:
        folder = Path(name)
        splits.save(folder / REVIEWS)
        request = {"model": model, "device": machine().device, "training": asdict(training)}
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        busy = _busy()
        code = _waited(_spawn(folder), folder, progress)
        return replace(_understood(folder, code, training), beside=busy or _busy())


def _busy() -> bool:
    return any(run.alive() for run in list_runs()[:50])


def _sweep(place: Path) -> None:
    """Remove what a server that was killed in mid-trial left behind."""
    for leftover in place.glob("trial-*"):
        if time.time() - leftover.stat().st_mtime > 2 * LONGEST:
            shutil.rmtree(leftover, ignore_errors=True)


def _spawn(folder: Path) -> subprocess.Popen:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")]),
    }
    with (folder / "trial.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "bertsent.training.dry_run", str(folder / REQUEST)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=PROJECT,
            env=environment,
        )


def _waited(child: subprocess.Popen, folder: Path, progress: Callable[[float], None]) -> int:
    """The exit status of the child, which does not outlive whoever waits for it."""
    deadline = time.monotonic() + LONGEST
    try:
        while child.poll() is None:
            if time.monotonic() > deadline:
                raise BertsentError(
                    "The trial took too long.", "Shorten the texts or make the batches smaller."
                )
            progress(_share(folder))
            time.sleep(0.1)
        return child.returncode
    finally:
        child.kill()
        child.wait()


def _share(folder: Path) -> float:
    try:
        return float((folder / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0.05


def _understood(folder: Path, code: int, training: TrainingConfig) -> DryRun:
    try:
        result = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        result = {"out_of_memory": code == -9}  # the kernel ends what no memory is left for
    if {
        field.name for field in fields(DryRun)
    } == result.keys():  # or an account of what went wrong
        return DryRun(**result)
    if result.get("out_of_memory"):
        raise BertsentError(
            "The trial ran out of memory: this run will not fit.", _smaller(training)
        )
    if "what" in result:
        raise BertsentError(result["what"], result["remedy"])
    last = (
        (folder / "trial.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        or ["no word"]
    )[-1]
    raise BertsentError(f"The trial failed: {last[:200]}.", "The run would fail as well.")


def _smaller(training: TrainingConfig) -> str:
    if training.batch_size == 1:
        return "Make the texts shorter or train the head only."
    size = training.batch_size // 2
    return (
        f"Try batch size {size} with {-(-training.batch_size * training.accumulate // size)} "
        "batches an update, or shorter texts."
    )


def estimate_run(trial: DryRun, training: TrainingConfig, sentinels: int = 0) -> RunEstimate:
    """Seconds and bytes of the whole run: its steps, an evaluation and a checkpoint at the start
    and after each epoch, its waypoints and
    sentinels."""
    learning = training.epochs * trial.epoch
    steps = training.epochs * trial.steps
    looks = 1 + steps // (training.sentinel_every or max(1, steps // 60))
    between = learning // training.save_seconds if training.save_seconds else steps
    saves = (
        training.epochs + 1 + between + len(kept_steps(trial.steps, training)) / 3
    )  # a waypoint has no moments
    pauses = (
        (training.epochs + 1) * trial.evaluation
        + saves * trial.save
        + looks * sentinels * trial.sentence
    )
    return RunEstimate(trial.start + learning + pauses, trial.memory)


def memory_sentence(trial: DryRun, training: TrainingConfig, free: int) -> str:
    """What to say when the run needs more than is free, with the largest batch that would fit;
    nothing when it fits or nobody knows.
    """
    if not free or trial.memory <= free:
        return ""
    told = f"It needs {gigabytes(trial.memory)}, and {gigabytes(free)} are free."
    for size in (2**power for power in range(8, -1, -1)):
        wanted = _memory_at(trial, size / training.batch_size)
        if size < training.batch_size and wanted <= HEADROOM * free:
            times = -(-training.batch_size * training.accumulate // size)
            return (
                f"{told} Batch size {size} with {times} batches an update learns the same in "
                f"about {gigabytes(wanted)}."
            )
    return (
        f"{told} Smaller batches would not be enough: make the texts shorter, train the head "
        "only, or choose a smaller model."
    )


def _memory_at(trial: DryRun, share: float) -> int:
    """The peak with batches of that share of their size: what one review adds shrinks, the model
    and its moments stay.
    """
    of_steps = trial.resting + max(0, trial.steps_memory - trial.resting) * share
    of_saving = trial.memory if trial.memory > trial.steps_memory else 0
    return round(max(of_steps, of_saving))


def estimate_sentence(
    splits: Splits,
    training: TrainingConfig,
    tokens: int | None,
    trial: DryRun | None = None,
    sentinels: int = 0,
) -> str:
    """The line above Start: rows, tokens and steps; minutes and memory once they are measured."""
    steps = steps_per_epoch(len(splits.train), training) * training.epochs
    facts = [f"{len(splits.train):,} training and {len(splits.validation):,} validation reviews"]
    facts += [f"{tokens:,} tokens an epoch"] if tokens is not None else []
    facts += [f"{steps:,} steps"]
    if trial:
        whole = estimate_run(trial, training, sentinels)
        most = "at most " if training.patience else ""
        beside = " beside another run" if trial.beside else ""
        facts += [
            f"{most}about {duration(whole.seconds)} (measured: {trial.tokens_per_second:,.0f} "
            f"tokens/s{beside})"
        ]
        facts += [gigabytes(whole.memory)]
    return " · ".join(facts)


def duration(seconds: float) -> str:
    """A span as people say it who plan: 40 s, 4 min, 2.5 h."""
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def gigabytes(amount: float) -> str:
    return f"{amount / 1e9:.1f} GB"
