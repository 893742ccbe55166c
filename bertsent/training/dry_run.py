"""Settings and reviews in, measured seconds and bytes out: a few real steps of a run to come.

``python -m bertsent.training.dry_run FOLDER`` reads ``config.json`` and ``reviews.parquet`` there
and writes ``result.json``. Steps are drawn from the real first epoch: the one with the most tokens
and padding first (it decides the memory), then some from evenly spaced ranks of size, so that a few
stand for all. The process is its own so that its peak of memory is the dry run's alone.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import psutil
import torch

from bertsent.data.examples import Splits
from bertsent.errors import BertsentError
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.task import task_of_dict
from bertsent.text.batches import sorted_batches, width
from bertsent.text.masked_sentence import MASK
from bertsent.training.build import build_model
from bertsent.training.checkpoint_store import CheckpointStore, TrainingProgress
from bertsent.training.config import TrainingConfig, from_dict
from bertsent.training.masked_state import trainer_state
from bertsent.training.process import (
    NICENESS,
    free_memory,
    keep_freed_memory,
    out_of_memory,
    used_memory,
)
from bertsent.training.run_estimate import (
    OUT_OF_MEMORY,
    PROGRESS,
    REQUEST,
    RESULT,
    REVIEWS,
    DryRun,
)
from bertsent.training.trainer_state import EVALUATION_BATCH, Encoded, TrainerState

SAMPLES, FEWEST = 8, 3  # steps that stand for an epoch
BUDGET = 10.0  # seconds after which the fewest steps are enough
SCORED = 4  # validation batches
Item = TypeVar("Item")


def main() -> int:
    """Do the dry run that the command line names; gives back the exit status."""
    folder = Path(sys.argv[1])
    keep_freed_memory()  # as a worker does: the dry run is to foretell its pace
    os.nice(NICENESS)
    # when memory runs out, the kernel should end this process, not the server
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
    try:
        result: dict[str, object] = asdict(_dry_run(folder))
    except BertsentError as error:
        result = {"what": error.what, "remedy": error.remedy}
    except BaseException as error:
        if out_of_memory(error):
            return OUT_OF_MEMORY
        raise
    (folder / RESULT).write_text(json.dumps(result), encoding="utf-8")
    return 0


def _dry_run(folder: Path) -> DryRun:
    def report(share: float) -> None:
        (folder / PROGRESS).write_text(f"{share:.3f}", encoding="utf-8")

    request = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    config, device = from_dict(TrainingConfig, request["training"]), request["device"]
    free = free_memory(device)
    task = task_of_dict(request["task"])
    model, tokenizer = build_model(request["model"], config, task=task)
    splits = Splits.load(folder / REVIEWS, "the reviews", task=task)
    state = trainer_state(model, tokenizer, splits, config, device)
    start = time.time() - psutil.Process().create_time()
    report(0.3)
    sizes = {
        step: cells(state.batches(step), state.train, config.max_length)
        for step in range(1, state.steps_per_epoch + 1)
    }
    order = sorted(sizes, key=lambda step: -sizes[step])
    state.take_step(order[0])
    held, steps_memory = used_memory(device, peak=False), used_memory(device, peak=True)
    timed = _timed_steps(state, spread(order, SAMPLES), report)
    evaluation = _evaluation_seconds(state)
    report(0.9)
    return DryRun(
        tokens=sum(state.train.lengths),
        steps=state.steps_per_epoch,
        start=start,
        epoch=sum(timed.values()) * sum(sizes.values()) / sum(sizes[step] for step in timed),
        evaluation=evaluation,
        save=_save_seconds(state, folder, request["model"]),
        sentence=_sentence_seconds(state),
        memory=max(used_memory(device, peak=True), steps_memory),
        steps_memory=steps_memory,
        resting=held + sum(4 * p.numel() for p in model.parameters() if p.requires_grad),
        free=free,
        device=device,
    )


def cells(batches: Sequence[Sequence[int]], encoded: Encoded, limit: int) -> int:
    """Tokens and padding that the model reads for these batches."""
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
    state: TrainerState, steps: list[int], report: Callable[[float], None]
) -> dict[int, float]:
    """Seconds of each step. A shape that is met for the first time is prepared first, so each is
    done again while there is time.
    """
    seconds: dict[int, float] = {}
    began = time.perf_counter()
    for number, step in enumerate((*steps, *steps)):
        start = time.perf_counter()
        if number >= FEWEST and start - began > BUDGET:
            break
        state.take_step(step)
        seconds[step] = time.perf_counter() - start
        report(0.4 + 0.4 * number / (2 * len(steps)))
    return seconds


def _evaluation_seconds(state: TrainerState) -> float:
    whole, limit = state.validation, state.config.max_length
    batches = list(sorted_batches(whole.lengths, EVALUATION_BATCH))
    chosen = list(dict.fromkeys([batches[0], *spread(batches, SCORED - 1)]))
    rows = [row for batch in chosen for row in batch]
    state.validation = Encoded(
        whole.reviews.take(rows),
        [whole.ids[row] for row in rows],
        whole.targets[torch.tensor(rows)],
    )
    measured = state.evaluate()
    state.validation = whole
    assert measured is not None  # nobody interrupts it
    return measured.seconds * cells(batches, whole, limit) / cells(chosen, whole, limit)


def _save_seconds(state: TrainerState, folder: Path, model: str) -> float:
    began, store = time.perf_counter(), CheckpointStore(folder / "checkpoints", "dry-run", model)
    store.save(state, TrainingProgress(), keep=True)
    return time.perf_counter() - began


def _sentence_seconds(state: TrainerState) -> float:
    text = state.validation.reviews.texts[0][:60]
    text = f"{text} {MASK}" if isinstance(state.task, MaskedWords) else text
    state.score([text])
    began = time.perf_counter()
    state.score([text])
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
