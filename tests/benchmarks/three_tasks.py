"""Three tasks at once: a step of our loop against one of a stock ``transformers.Trainer`` with the
same heads.

Same backbone, same rows, mean pooling and feed-forward heads that two tasks share; one epoch, no
evaluation and no saving. The peer reads both texts of a pair in two passes and pads to the longest
row of its batch, as scripts for siamese encoders do. Each measurement is a process of its own; the
two take turns.
"""

import statistics
import tempfile
from functools import lru_cache

from bertsent.data.examples import Splits
from bertsent.settings import machine
from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import Clock

LENGTH, BATCH, SEED = 64, 24, 42
TURNS = 3


def rows(quick: bool) -> list[Row]:
    """Steps a second of both, in time and in processor time."""
    learned, turns = (240, 1) if quick else (960, TURNS)
    found = [
        {name: run_in_child("three_tasks", name, learned=learned) for name in ("ours", "stock")}
        for _ in range(turns)
    ]
    how = f"steps of {BATCH} rows, {learned} rows in all; median of {turns} turns"
    told = "Trainer in fp32, a collator that pads to the longest; the same heads"
    names = {
        "speed": "three tasks at once, stock Trainer",
        "cpu_speed": "  in CPU time, stock Trainer",
    }
    return [
        Row(
            title,
            "steps/s",
            *(statistics.median(turn[name][what] for turn in found) for name in ("ours", "stock")),
            f"{told}; {how}",
            more_is_better=True,
        )
        for what, title in names.items()
    ]


@lru_cache(maxsize=1)
def _splits(learned: int) -> Splits:
    from bertsent.training.groups.three_tasks import small_task_sets, three_task_splits

    whole = three_task_splits(small_task_sets(), ("WL",))
    places = range(0, len(whole.train), max(1, len(whole.train) // learned))
    return Splits(
        whole.train.take(list(places)[:learned]), whole.validation.take(range(0, 251, 60))
    )


def _config():
    from bertsent.training.config import TrainingConfig

    return TrainingConfig(
        epochs=1,
        batch_size=BATCH,
        max_length=LENGTH,
        pooling="mean",
        heads="feed-forward",
        share_pairs=True,
        seed=SEED,
    )


def ours(learned: int) -> dict[str, float]:
    """Our loop, in a process that is set up as a worker is."""
    from bertsent.training.build import build_model
    from bertsent.training.loop import train
    from bertsent.training.process import keep_freed_memory

    keep_freed_memory()
    splits = _splits(learned)
    model, tokenizer = build_model("builtin", _config(), task=splits.train.task)
    clock = Clock()
    for _ in train(model, tokenizer, splits, _config()):
        pass
    return _result(clock, learned)


def stock(learned: int) -> dict[str, float]:
    """What the library's documentation teaches, with the same encoder and heads."""
    import torch
    from transformers import Trainer, TrainingArguments, set_seed

    from bertsent.training.build import build_model

    set_seed(SEED)
    train = _splits(learned).train
    task = train.task
    model, tokenizer = build_model("builtin", _config(), task=task)

    class Siamese(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert, self.heads = model.bert, model.heads

        def vector(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

        def forward(self, first, first_mask, second, second_mask, pairs, labels) -> dict:
            u = self.vector(first, first_mask)
            v = self.vector(second, second_mask) if len(second) else u[:0]
            logits = self.heads(u, v, u.new_zeros(len(v)), pairs)
            weights, divisor = task.step_weights(labels, None)
            return {"loss": task.loss(logits, labels, weights) / divisor, "logits": logits}

    def padded(texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        if not texts:
            return torch.zeros(0, 1, dtype=torch.long), torch.zeros(0, 1, dtype=torch.long)
        found = tokenizer.fast(
            texts, truncation=True, max_length=LENGTH, padding=True, return_tensors="pt"
        )
        return found["input_ids"], found["attention_mask"]

    def collated(batch: list[int]) -> dict[str, torch.Tensor]:
        chosen = train.take(batch)
        first, first_mask = padded(chosen.texts)
        second, second_mask = padded([e.second for e in chosen if e.second])
        return {
            "first": first,
            "first_mask": first_mask,
            "second": second,
            "second_mask": second_mask,
            "pairs": torch.tensor([bool(e.second) for e in chosen]),
            "labels": task.targets(chosen.targets),
        }

    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH,
            save_strategy="no",
            disable_tqdm=True,
            remove_unused_columns=False,
            seed=SEED,
            use_cpu=machine().device == "cpu",
        )
        clock = Clock()
        rows = list(range(len(train)))
        Trainer(Siamese(), settings, train_dataset=rows, data_collator=collated).train()
        return _result(clock, learned)


def _result(clock: Clock, learned: int) -> dict[str, float]:
    seconds, cpu_seconds = clock.read()
    steps = -(-learned // BATCH)
    return {"speed": steps / seconds, "cpu_speed": steps / cpu_seconds}
