"""A run to come in, its minutes, memory and warnings out, from a dry run that is started here."""

import hashlib
import json
import math
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bertsent.data.examples import Splits
from bertsent.errors import BertsentError
from bertsent.settings import home, machine
from bertsent.training.config import TrainingConfig
from bertsent.training.lr_schedule import kept_steps, steps_per_epoch
from bertsent.training.process import start_child
from bertsent.training.runs.run import list_runs

REQUEST, REVIEWS, RESULT, PROGRESS = "config.json", "reviews.parquet", "result.json", "progress"
OUT_OF_MEMORY = 3  # exit status of a dry run
LONGEST = 900  # seconds after which a dry run is given up
HEADROOM = 0.9  # of the free memory is what a suggestion may use
_WITHOUT_EFFECT = (
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
    "kept_checkpoints",
)


@dataclass(frozen=True)
class DryRun:
    """What was measured; times in seconds, memory in bytes."""

    tokens: int  # of an epoch, padding not counted
    steps: int  # of an epoch
    start: float  # until the first step can be done
    epoch: float  # all steps of one epoch
    evaluation: float
    save: float
    sentence: float  # one sentinel sentence, once
    memory: int  # the peak of everything
    steps_memory: int  # the peak of the largest step
    resting: int  # what is held between two steps, plus the gradients of one
    free: int  # when the dry run began
    device: str
    beside: bool = False  # another run was training meanwhile, which slows both


def dry_run_key(splits: Splits, model: str, weights: Path, training: TrainingConfig) -> str:
    """A name that two runs share when one dry run holds for both: learning rates, epochs and the
    like do not change what it measures.
    """
    decisive = {n: v for n, v in asdict(training).items() if n not in _WITHOUT_EFFECT}
    state = weights.stat()
    facts = [splits.sha256, model, state.st_mtime_ns, state.st_size, machine().device, decisive]
    return f"dry-run-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]}"


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
        progress: called with a share now and then; what it raises ends the dry run.

    Raises:
        BertsentError: why it cannot be done; a run would meet the same.
    """
    place = home() / "dry-runs"
    place.mkdir(parents=True, exist_ok=True)
    _sweep(place)
    with tempfile.TemporaryDirectory(dir=place, prefix="dry-run-") as name:
        folder = Path(name)
        splits.save(folder / REVIEWS)
        request = {
            "model": model,
            "device": machine().device,
            "training": asdict(training),
            "task": splits.train.task.to_dict(),
        }
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        busy = _busy()
        child = start_child("bertsent.training.dry_run", folder, folder / "dry-run.log")
        code = _wait(child, folder, progress)
        return replace(_read_result(folder, code, training), beside=busy or _busy())


def _busy() -> bool:
    return any(run.alive() for run in list_runs())


def _sweep(place: Path) -> None:
    """Remove what a server that was killed in the middle of a dry run left behind."""
    for leftover in place.glob("*-*"):
        if time.time() - leftover.stat().st_mtime > 2 * LONGEST:
            shutil.rmtree(leftover, ignore_errors=True)


def _wait(child: "subprocess.Popen[bytes]", folder: Path, progress: Callable[[float], None]) -> int:
    """The exit status of the child, which does not outlive whoever waits for it."""
    deadline, share = time.monotonic() + LONGEST, 0.05
    try:
        while child.poll() is None:
            if time.monotonic() > deadline:
                raise BertsentError(
                    "The dry run took too long.", "Shorten the texts or make the batches smaller."
                )
            with suppress(OSError, ValueError):
                share = float((folder / PROGRESS).read_text(encoding="utf-8"))
            progress(share)
            time.sleep(0.1)
        return child.returncode
    finally:
        child.kill()
        child.wait()


def _read_result(folder: Path, code: int, training: TrainingConfig) -> DryRun:
    # the kernel kills what no memory is left for
    if code in (OUT_OF_MEMORY, -signal.SIGKILL):
        raise BertsentError(
            "The dry run ran out of memory: this run will not fit.", _smaller(training)
        )
    if code:
        log = (folder / "dry-run.log").read_text(encoding="utf-8", errors="replace").strip()
        last = log.splitlines()[-1][:200] if log else "it left no message"
        raise BertsentError(f"The dry run failed: {last}.", "The run would fail as well.")
    result = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    if "what" in result:
        raise BertsentError(**result)
    return DryRun(**result)


def _smaller(training: TrainingConfig) -> str:
    if training.batch_size == 1:
        return "Make the texts shorter or train the head only."
    size = training.batch_size // 2
    return (
        f"Try batch size {size} with {_batches_an_update(training, size)} batches an update, or "
        "shorter texts."
    )


def _batches_an_update(training: TrainingConfig, size: int) -> int:
    return math.ceil(training.batch_size * training.accumulate / size)


def run_seconds(dry_run: DryRun, training: TrainingConfig, sentinels: int = 0) -> float:
    """Seconds of the whole run: its steps, an evaluation and a checkpoint at the start and after
    each epoch, the checkpoints kept inside the epochs, and its sentinels.
    """
    stepping, steps = training.epochs * dry_run.epoch, training.epochs * dry_run.steps
    looks = 1 + steps // (training.sentinel_every or max(1, steps // 60))
    between = stepping // training.save_seconds if training.save_seconds else steps
    weights_alone = len(kept_steps(dry_run.steps, training)) / 3  # no moments of the optimizer
    saves = training.epochs + 1 + between + weights_alone
    return (
        dry_run.start
        + stepping
        + (training.epochs + 1) * dry_run.evaluation
        + saves * dry_run.save
        + looks * sentinels * dry_run.sentence
    )


def memory_sentence(dry_run: DryRun, training: TrainingConfig, free: int) -> str:
    """What to say when the run needs more than is free, with the largest batch that would fit;
    nothing when it fits.
    """
    if dry_run.memory <= free:
        return ""
    needs = f"It needs {gigabytes(dry_run.memory)}, and {gigabytes(free)} are free."
    for size in (2**power for power in range(8, -1, -1)):
        wanted = _memory_at(dry_run, size / training.batch_size)
        if size < training.batch_size and wanted <= HEADROOM * free:
            return (
                f"{needs} Batch size {size} with {_batches_an_update(training, size)} batches an "
                f"update train the same in about {gigabytes(wanted)}."
            )
    return (
        f"{needs} Smaller batches would not be enough: make the texts shorter, train the head "
        "only, or choose a smaller model."
    )


def _memory_at(dry_run: DryRun, share: float) -> int:
    of_steps = dry_run.resting + max(0, dry_run.steps_memory - dry_run.resting) * share
    of_saving = dry_run.memory if dry_run.memory > dry_run.steps_memory else 0
    return round(max(of_steps, of_saving))


def estimate_sentence(
    splits: Splits,
    training: TrainingConfig,
    tokens: int | None,
    dry_run: DryRun | None = None,
    sentinels: int = 0,
) -> str:
    """The line above Start: rows, tokens and steps; minutes and memory once they are measured."""
    steps = steps_per_epoch(len(splits.train), training) * training.epochs
    facts = [
        f"{len(splits.train):,} training and {len(splits.validation):,} validation reviews",
        f"{tokens:,} tokens an epoch" if tokens is not None else "",
        f"{steps:,} steps",
    ]
    if dry_run:
        facts += [
            f"{'at most ' if training.patience else ''}about "
            f"{duration(run_seconds(dry_run, training, sentinels))} (measured: "
            f"{dry_run.tokens / dry_run.epoch:,.0f} tokens/s"
            f"{' beside another run' if dry_run.beside else ''})",
            gigabytes(dry_run.memory),
        ]
    return " · ".join(filter(None, facts))


def duration(seconds: float) -> str:
    """A duration, rounded as people plan: 40 s, 4 min, 2.5 h."""
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def gigabytes(amount: float) -> str:
    return f"{amount / 1e9:.1f} GB"
