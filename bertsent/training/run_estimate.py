"""A run to come in, its minutes, memory and warnings out, from a dry run that is started here."""

import hashlib
import json
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
from bertsent.settings import PROJECT, home, machine, subprocess_environment
from bertsent.training.config import TrainingConfig
from bertsent.training.dry_run import PROGRESS, REQUEST, RESULT, REVIEWS, DryRun
from bertsent.training.lr_schedule import kept_steps, steps_per_epoch
from bertsent.training.runs.run import list_runs

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
class RunEstimate:
    """What a run will take: seconds in all, and bytes at its peak."""

    seconds: float
    memory: int


def dry_run_key(splits: Splits, model: str, weights: Path, training: TrainingConfig) -> str:
    """A name that two runs share just when one dry run speaks for both: rates, epochs and the like
    change nothing it measures.
    """
    usual = TrainingConfig()
    decisive = replace(training, **{name: getattr(usual, name) for name in _WITHOUT_EFFECT})
    state = weights.stat()
    facts = [
        splits.sha256,
        model,
        state.st_mtime_ns,
        state.st_size,
        machine().device,
        asdict(decisive),
    ]
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
        request = {"model": model, "device": machine().device, "training": asdict(training)}
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        busy = _busy()
        code = _wait(_spawn(folder), folder, progress)
        return replace(_read_result(folder, code, training), beside=busy or _busy())


def _busy() -> bool:
    return any(run.alive() for run in list_runs())


def _sweep(place: Path) -> None:
    """Remove what a server that was killed in the middle of a dry run left behind."""
    for leftover in place.glob("*-*"):
        if time.time() - leftover.stat().st_mtime > 2 * LONGEST:
            shutil.rmtree(leftover, ignore_errors=True)


def _spawn(folder: Path) -> "subprocess.Popen[bytes]":
    with (folder / "dry-run.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "bertsent.training.dry_run", str(folder / REQUEST)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=PROJECT,
            env=subprocess_environment(),
        )


def _wait(child: "subprocess.Popen[bytes]", folder: Path, progress: Callable[[float], None]) -> int:
    """The exit status of the child, which does not outlive whoever waits for it."""
    deadline = time.monotonic() + LONGEST
    try:
        while child.poll() is None:
            if time.monotonic() > deadline:
                raise BertsentError(
                    "The dry run took too long.", "Shorten the texts or make the batches smaller."
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


def _read_result(folder: Path, code: int, training: TrainingConfig) -> DryRun:
    try:
        result = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        result = {"out_of_memory": code == -9}  # the kernel ends what no memory is left for
    if {field.name for field in fields(DryRun)} == result.keys():
        return DryRun(**result)
    if result.get("out_of_memory"):
        raise BertsentError(
            "The dry run ran out of memory: this run will not fit.", _smaller(training)
        )
    if "what" in result:
        raise BertsentError(result["what"], result["remedy"])
    log = (folder / "dry-run.log").read_text(encoding="utf-8", errors="replace").strip()
    last = log.splitlines()[-1][:200] if log else "it left no message"
    raise BertsentError(f"The dry run failed: {last}.", "The run would fail as well.")


def _smaller(training: TrainingConfig) -> str:
    if training.batch_size == 1:
        return "Make the texts shorter or train the head only."
    size = training.batch_size // 2
    return (
        f"Try batch size {size} with {-(-training.batch_size * training.accumulate // size)} "
        "batches an update, or shorter texts."
    )


def estimate_run(dry_run: DryRun, training: TrainingConfig, sentinels: int = 0) -> RunEstimate:
    """Seconds and bytes of the whole run: its steps, an evaluation and a checkpoint at the start
    and after each epoch, the checkpoints kept inside the epochs, and its sentinels.
    """
    stepping = training.epochs * dry_run.epoch
    steps = training.epochs * dry_run.steps
    looks = 1 + steps // (training.sentinel_every or max(1, steps // 60))
    between = stepping // training.save_seconds if training.save_seconds else steps
    weights_alone = len(kept_steps(dry_run.steps, training)) / 3  # no moments of the optimizer
    saves = training.epochs + 1 + between + weights_alone
    pauses = (
        (training.epochs + 1) * dry_run.evaluation
        + saves * dry_run.save
        + looks * sentinels * dry_run.sentence
    )
    return RunEstimate(dry_run.start + stepping + pauses, dry_run.memory)


def memory_sentence(dry_run: DryRun, training: TrainingConfig, free: int) -> str:
    """What to say when the run needs more than is free, with the largest batch that would fit;
    nothing when it fits or nobody knows.
    """
    if not free or dry_run.memory <= free:
        return ""
    needs = f"It needs {gigabytes(dry_run.memory)}, and {gigabytes(free)} are free."
    for size in (2**power for power in range(8, -1, -1)):
        wanted = _memory_at(dry_run, size / training.batch_size)
        if size < training.batch_size and wanted <= HEADROOM * free:
            times = -(-training.batch_size * training.accumulate // size)
            return (
                f"{needs} Batch size {size} with {times} batches an update train the same in "
                f"about {gigabytes(wanted)}."
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
    facts = [f"{len(splits.train):,} training and {len(splits.validation):,} validation reviews"]
    facts += [f"{tokens:,} tokens an epoch"] if tokens is not None else []
    facts += [f"{steps:,} steps"]
    if dry_run:
        whole = estimate_run(dry_run, training, sentinels)
        most = "at most " if training.patience else ""
        beside = " beside another run" if dry_run.beside else ""
        facts += [
            f"{most}about {duration(whole.seconds)} (measured: {dry_run.tokens_per_second:,.0f} "
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
