"""Settings and reviews in, measured seconds and bytes out: a few real steps of the run to be, in a
process of their own.

``python -m bertsent.training.dry_run FOLDER/config.json`` reads ``reviews.parquet`` beside it and
writes ``result.json``. Steps are
drawn from the real first epoch: the one with the most tokens and padding first (it decides the
memory), then some from evenly
spaced ranks of size, so that a few stand for all. The process is its own so that its peak of memory
is the trial's alone.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertsent.errors import BertsentError
from bertsent.settings import prepare_environment
from bertsent.training.config import TrainingConfig, from_dict
from bertsent.training.memory import keep_freed_memory

if TYPE_CHECKING:
    from bertsent.training.trainer_state import Encoded, TrainerState

BEGAN = time.perf_counter()
REQUEST, REVIEWS, RESULT, PROGRESS = "config.json", "reviews.parquet", "result.json", "progress"
SAMPLES, FEWEST, BUDGET = (
    8,
    3,
    10.0,
)  # steps that stand for an epoch; fewer when they take longer than so many seconds
SCORED = 4  # validation batches
_NICENESS = 10  # as the worker's


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
    free: int  # when the trial began
    device: str
    measured: int  # steps that were timed
    beside: bool = False  # another run was training meanwhile, which slows both

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.epoch


def main() -> int:
    """Do the trial that the command line names; what goes wrong is written down for whoever
    asked.
    """
    folder = Path(sys.argv[1]).resolve().parent
    prepare_environment()
    keep_freed_memory()  # as a worker does: the trial is to foretell its pace
    os.nice(_NICENESS)
    with suppress(OSError):  # when memory runs out, this process shall go and not the server
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
    try:
        result = asdict(_trial(folder, lambda share: _tell(folder, share)))
    except BertsentError as error:
        result = {"what": error.what, "remedy": error.remedy}
    except BaseException as error:
        if not out_of_memory(error):
            raise
        result = {"out_of_memory": True}
    (folder / RESULT).write_text(json.dumps(result), encoding="utf-8")
    return 0


def out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or any(
        words in str(error).lower() for words in ("out of memory", "can't allocate memory")
    )


def _tell(folder: Path, share: float) -> None:
    (folder / PROGRESS).write_text(f"{share:.3f}", encoding="utf-8")


def _trial(folder: Path, tell: Callable[[float], None]) -> DryRun:
    from bertsent.data.examples import Splits
    from bertsent.training.build import build_model
    from bertsent.training.trainable_parameters import choose_trainable, set_dropout
    from bertsent.training.trainer_state import TrainerState

    request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    config, device = from_dict(TrainingConfig, request["training"]), request["device"]
    free = free_memory(device)
    splits = Splits.load(folder / REVIEWS, "the reviews")
    model, encoder = build_model(request["model"], config)
    choose_trainable(model, config)
    set_dropout(model, config)
    learning = TrainerState(model, encoder, splits, config, device)
    return _measured(learning, folder, request["model"], free, tell)


def _measured(
    learning: "TrainerState", folder: Path, model: str, free: int, tell: Callable[[float], None]
) -> DryRun:
    tell(0.3)
    start, device = time.perf_counter() - BEGAN, learning.accelerator.device.type
    sizes = [
        cells(learning.batches(step), learning.train, learning.config.max_length)
        for step in range(1, learning.steps_per_epoch + 1)
    ]
    order = sorted(range(1, len(sizes) + 1), key=lambda step: -sizes[step - 1])
    learning.take_step(order[0])
    held, steps_memory = _held(device), peak_memory(device)
    gradients = sum(4 * p.numel() for p in learning.plain.parameters() if p.requires_grad)
    tell(0.4)
    timed = _timed_steps(learning, spread(order, SAMPLES), tell)
    per_cell = sum(timed.values()) / sum(sizes[step - 1] for step in timed)
    evaluation = _evaluation(learning)
    tell(0.9)
    save = _save(learning, folder, model)
    return DryRun(
        tokens=sum(learning.train.lengths),
        steps=learning.steps_per_epoch,
        start=start,
        epoch=per_cell * sum(sizes),
        evaluation=evaluation,
        save=save,
        sentence=_sentence(learning),
        memory=max(peak_memory(device), steps_memory),
        steps_memory=steps_memory,
        resting=held + gradients,
        free=free,
        device=device,
        measured=len(timed),
    )


def cells(batches: Sequence[Sequence[int]], encoded: "Encoded", limit: int) -> int:
    """Tokens and padding that the model reads for these batches."""
    from bertsent.text.batches import width

    lengths = encoded.lengths
    return sum(len(rows) * width(max(lengths[row] for row in rows), limit) for rows in batches)


def spread(order: Sequence[int], count: int) -> list[int]:
    """Members of evenly spaced ranks of ``order``, those first that halve what is left: stopped
    early they still stand for all.
    """
    count = min(count, len(order))
    middles = [order[int((place + 0.5) * len(order) / count)] for place in range(count)]
    halving = sorted(range(count), key=lambda place: int(f"{place:03b}"[::-1], 2))
    return [middles[place] for place in halving]


def _timed_steps(
    learning: "TrainerState", steps: list[int], tell: Callable[[float], None]
) -> dict[int, float]:
    """Seconds of each step. A shape that is met for the first time is prepared first, so each is
    done again while there is time.
    """
    seconds: dict[int, float] = {}
    began = time.perf_counter()
    for number, step in enumerate((*steps, *steps)):
        if number >= FEWEST and time.perf_counter() - began > BUDGET:
            break
        at = time.perf_counter()
        learning.take_step(step)
        seconds[step] = time.perf_counter() - at
        tell(0.4 + 0.4 * number / (2 * len(steps)))
    return seconds


def _evaluation(learning: "TrainerState") -> float:
    """Seconds of a whole evaluation, from its longest batch and some others."""
    import torch

    from bertsent.text.batches import sorted_batches
    from bertsent.training.trainer_state import EVALUATION_BATCH, Encoded

    whole, limit = learning.validation, learning.config.max_length
    batches = list(sorted_batches(whole.lengths, EVALUATION_BATCH))
    chosen = list(dict.fromkeys([batches[0], *spread(batches, SCORED - 1)]))
    rows = [row for batch in chosen for row in batch]
    learning.validation = Encoded(
        whole.reviews.take(rows), [whole.ids[row] for row in rows], whole.labels[torch.tensor(rows)]
    )
    scores = learning.evaluate(lambda: False)
    learning.validation = whole
    return scores.seconds * cells(batches, whole, limit) / cells(chosen, whole, limit)


def _save(learning: "TrainerState", folder: Path, model: str) -> float:
    """Seconds of a checkpoint, which is deleted at once."""
    from bertsent.training.checkpoint_store import CheckpointStore, TrainingProgress

    began, store = time.perf_counter(), CheckpointStore(folder / "checkpoints", "trial", model)
    try:
        store.save(learning, TrainingProgress(), keep=True)
        return time.perf_counter() - began
    finally:
        shutil.rmtree(store.folder, ignore_errors=True)


def _sentence(learning: "TrainerState") -> float:
    text = learning.validation.reviews.texts[0][:60]
    learning.score([text])
    began = time.perf_counter()
    learning.score([text])
    return time.perf_counter() - began


def peak_memory(device: str) -> int:
    """The most bytes that this process has held: on a GPU those of its tensors, else all that it
    had in memory.
    """
    if device == "cuda":
        import torch

        return torch.cuda.max_memory_allocated()
    return _status("VmHWM") or _peak_by_kernel()


def _held(device: str) -> int:
    if device == "cuda":
        import torch

        return torch.cuda.memory_allocated()
    return _status("VmRSS") or _peak_by_kernel()


def _status(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
    except (OSError, StopIteration):
        return 0


def _peak_by_kernel() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def free_memory(device: str) -> int:
    """Bytes that a new process could have now, on the card where there is one; 0 when it cannot be
    found out.
    """
    if device == "cuda":
        import torch

        return torch.cuda.mem_get_info()[0]
    try:
        import psutil  # comes with accelerate

        return min(psutil.virtual_memory().available, _allowance())
    except (ImportError, OSError):
        return 0


def _allowance() -> int:
    """What is left of the memory that a container grants, without the cache of files, which makes
    room.
    """
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = (
            int((group / name).read_text(encoding="utf-8"))
            for name in ("memory.max", "memory.current")
        )
        statistics = dict(
            line.split()
            for line in (group / "memory.stat").read_text(encoding="utf-8").splitlines()
        )
        return limit - used + int(statistics.get("inactive_file", 0))
    except (OSError, ValueError):  # no container, or one without a limit
        return sys.maxsize


if __name__ == "__main__":
    sys.exit(main())
