"""Settings and reviews in, measured seconds and bytes out: a few real steps of a run to come.

``python -m bertsent.training.dry_run FOLDER/config.json`` reads ``reviews.parquet`` beside it and
writes ``result.json``. Steps are drawn from the real first epoch: the one with the most tokens and
padding first (it decides the memory), then some from evenly spaced ranks of size, so that a few
stand for all. The process is its own so that its peak of memory is the dry run's alone.
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
from typing import TYPE_CHECKING, TypeVar

from bertsent.errors import BertsentError
from bertsent.settings import prepare_environment
from bertsent.training.config import TrainingConfig, from_dict
from bertsent.training.memory import (
    free_memory,
    held_memory,
    keep_freed_memory,
    out_of_memory,
    peak_memory,
)

if TYPE_CHECKING:
    from bertsent.training.trainer_state import Encoded, TrainerState

BEGAN = time.perf_counter()
REQUEST, REVIEWS, RESULT, PROGRESS = "config.json", "reviews.parquet", "result.json", "progress"
SAMPLES, FEWEST = 8, 3  # steps that stand for an epoch
BUDGET = 10.0  # seconds after which the fewest steps are enough
SCORED = 4  # validation batches
NICENESS = 10  # of every process that trains
Item = TypeVar("Item")


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
    measured: int  # steps that were timed
    beside: bool = False  # another run was training meanwhile, which slows both

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.epoch


def main() -> int:
    """Do the dry run that the command line names; what goes wrong is written down for whoever
    asked.
    """
    folder = Path(sys.argv[1]).resolve().parent
    prepare_environment()
    keep_freed_memory()  # as a worker does: the dry run is to foretell its pace
    os.nice(NICENESS)
    with suppress(
        OSError
    ):  # when memory runs out, the kernel should end this process, not the server
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
    result: dict[str, object]
    try:
        result = asdict(_dry_run(folder))
    except BertsentError as error:
        result = {"what": error.what, "remedy": error.remedy}
    except BaseException as error:
        if not out_of_memory(error):
            raise
        result = {"out_of_memory": True}
    (folder / RESULT).write_text(json.dumps(result), encoding="utf-8")
    return 0


def _dry_run(folder: Path) -> DryRun:
    from bertsent.data.examples import Splits
    from bertsent.training.build import build_model
    from bertsent.training.trainable_parameters import choose_trainable, set_dropout
    from bertsent.training.trainer_state import TrainerState

    def report(share: float) -> None:
        (folder / PROGRESS).write_text(f"{share:.3f}", encoding="utf-8")

    request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    config, device = from_dict(TrainingConfig, request["training"]), request["device"]
    free = free_memory(device)
    splits = Splits.load(folder / REVIEWS, "the reviews")
    model, tokenizer = build_model(request["model"], config)
    choose_trainable(model, config)
    set_dropout(model, config)
    state = TrainerState(model, tokenizer, splits, config, device)
    report(0.3)
    return _measured(state, folder, request["model"], free, report)


def _measured(
    state: "TrainerState", folder: Path, model: str, free: int, report: Callable[[float], None]
) -> DryRun:
    start, device = time.perf_counter() - BEGAN, state.accelerator.device.type
    sizes = {
        step: cells(state.batches(step), state.train, state.config.max_length)
        for step in range(1, state.steps_per_epoch + 1)
    }
    order = sorted(sizes, key=lambda step: -sizes[step])
    state.take_step(order[0])
    held, steps_memory = held_memory(device), peak_memory(device)
    gradients = sum(4 * p.numel() for p in state.plain.parameters() if p.requires_grad)
    timed = _timed_steps(state, spread(order, SAMPLES), report)
    per_cell = sum(timed.values()) / sum(sizes[step] for step in timed)
    evaluation = _evaluation_seconds(state)
    report(0.9)
    save = _save_seconds(state, folder, model)
    return DryRun(
        tokens=sum(state.train.lengths),
        steps=state.steps_per_epoch,
        start=start,
        epoch=per_cell * sum(sizes.values()),
        evaluation=evaluation,
        save=save,
        sentence=_sentence_seconds(state),
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


def spread(order: Sequence[Item], count: int) -> list[Item]:
    """Members of evenly spaced ranks of ``order``, those first that halve what is left: stopped
    early they still stand for all.
    """
    count = min(count, len(order))
    middles = [order[int((place + 0.5) * len(order) / count)] for place in range(count)]
    halving = sorted(range(count), key=lambda place: int(f"{place:03b}"[::-1], 2))
    return [middles[place] for place in halving]


def _timed_steps(
    state: "TrainerState", steps: list[int], report: Callable[[float], None]
) -> dict[int, float]:
    """Seconds of each step. A shape that is met for the first time is prepared first, so each is
    done again while there is time.
    """
    seconds: dict[int, float] = {}
    began = time.perf_counter()
    for number, step in enumerate((*steps, *steps)):
        if number >= FEWEST and time.perf_counter() - began > BUDGET:
            break
        start = time.perf_counter()
        state.take_step(step)
        seconds[step] = time.perf_counter() - start
        report(0.4 + 0.4 * number / (2 * len(steps)))
    return seconds


def _evaluation_seconds(state: "TrainerState") -> float:
    import torch

    from bertsent.text.batches import sorted_batches
    from bertsent.training.trainer_state import EVALUATION_BATCH, Encoded

    whole, limit = state.validation, state.config.max_length
    batches = list(sorted_batches(whole.lengths, EVALUATION_BATCH))
    chosen = list(dict.fromkeys([batches[0], *spread(batches, SCORED - 1)]))
    rows = [row for batch in chosen for row in batch]
    state.validation = Encoded(
        whole.reviews.take(rows), [whole.ids[row] for row in rows], whole.labels[torch.tensor(rows)]
    )
    began = time.perf_counter()
    state.evaluate()
    seconds = time.perf_counter() - began
    state.validation = whole
    return seconds * cells(batches, whole, limit) / cells(chosen, whole, limit)


def _save_seconds(state: "TrainerState", folder: Path, model: str) -> float:
    from bertsent.training.checkpoint_store import CheckpointStore, TrainingProgress

    began, store = time.perf_counter(), CheckpointStore(folder / "checkpoints", "dry-run", model)
    try:
        store.save(state, TrainingProgress(), keep=True)
        return time.perf_counter() - began
    finally:
        shutil.rmtree(store.folder, ignore_errors=True)


def _sentence_seconds(state: "TrainerState") -> float:
    text = state.validation.reviews.texts[0][:60]
    state.score([text])
    began = time.perf_counter()
    state.score([text])
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
