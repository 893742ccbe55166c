"""Fine-tuning: our loop against a stock ``transformers.Trainer`` script and against a tuned one.

Same backbone, same reviews, same 256 tokens, one epoch, batches of 16, no evaluation and no saving.
The time is that from texts to trained weights, without loading the model. Each measurement is a
process of its own; the three take turns.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bertsent.data.examples import Reviews, Splits
from bertsent.settings import machine
from bertsent.statistics import majority_class_accuracy, wilson_interval
from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import back, front, judges, long_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.timing import Clock

if TYPE_CHECKING:
    import torch

LENGTH, BATCH, SEED = 256, 16, 42
TURNS = 3
ENOUGH_SECONDS = 420  # for all turns together
CONTESTANTS = ("ours", "stock", "tuned")
STOCK = "Trainer as its documentation shows it: fp32, DataCollatorWithPadding"
BUSY = (
    "real tokens by second of processor time, all threads added up: what other work on the "
    "machine changes least"
)
TUNED = "Trainer with group_by_length, 10 % warm-up and {precision}"


def rows(quick: bool) -> list[Row]:
    """Speed, accuracy and peak memory of the three."""
    learned, judged, most = (200, 100, 1) if quick else (400, 200, TURNS)
    turns = _turns(learned, judged, most)
    median = {
        name: {
            what: statistics.median(turn[name][what] for turn in turns) for what in turns[0][name]
        }
        for name in CONTESTANTS
    }
    how = (
        f"1 epoch on {learned} rows of {long_reviews().name}, {LENGTH} tokens; "
        f"{_turns_sentence(len(turns))}"
    )
    peers = {"stock": STOCK, "tuned": TUNED.format(precision=_auto_precision())}
    return [
        row
        for peer, told in peers.items()
        for row in _against(median["ours"], median[peer], peer, told, how)
    ]


def _turns_sentence(turns: int) -> str:
    rough = f", fewer than {TURNS}, so rough" if turns < TURNS else ""
    return f"median of {turns} turn{'s' if turns > 1 else ''}{rough}"


def _turns(learned: int, judged: int, most: int) -> list[dict[str, dict[str, float]]]:
    """Everybody once, then everybody once more, as long as another turn fits into the time for
    it.
    """
    turns, began = [], time.perf_counter()
    while (
        not turns
        or len(turns) < most
        and (time.perf_counter() - began) * (len(turns) + 1) / len(turns) < ENOUGH_SECONDS
    ):
        turns.append(
            {
                name: run_in_child("training", name, learned=learned, judged=judged)
                for name in CONTESTANTS
            }
        )
    return turns


def _against(
    ours: dict[str, float], peer: dict[str, float], name: str, told: str, how: str
) -> list[Row]:
    found = [
        Row(
            f"fine-tuning, {name} Trainer",
            "tokens/s",
            ours["speed"],
            peer["speed"],
            f"{told}; real tokens; {how}",
            more_is_better=True,
        ),
        Row(
            f"  in CPU time, {name} Trainer",
            "tokens/s",
            ours["cpu_speed"],
            peer["cpu_speed"],
            BUSY,
            more_is_better=True,
        ),
        Row(
            f"  its memory, {name} Trainer",
            "MiB",
            ours["peak_mib"],
            peer["peak_mib"],
            "most that the process held, libraries included",
        ),
    ]
    return found + _accuracy_row(ours, peer, name)


def _accuracy_row(ours: dict[str, float], peer: dict[str, float], name: str) -> list[Row]:
    """Accuracies are compared where both have learned something: the 95 % interval of each lies
    above the majority class. After a few dozen steps on real reviews that is often not so; the
    benchmark ``accuracy`` trains longer.
    """
    if not (learned_something(ours) and learned_something(peer)):
        return []
    judged = f"{ours['judged']:.0f} reviews that neither was trained on, answered in fp32"
    return [
        Row(
            f"  its accuracy, {name} Trainer",
            "%",
            ours["accuracy"],
            peer["accuracy"],
            f"{judged}; always the same label: {100 * ours['majority']:.1f} %",
            more_is_better=True,
        )
    ]


def learned_something(result: dict[str, float]) -> bool:
    """True when the lower end of the accuracy's 95 % interval is above the majority class."""
    low, _ = wilson_interval(result["accuracy"] * result["judged"], result["judged"])
    return low > result["majority"]


def ours(learned: int, judged: int, seed: int = SEED) -> dict[str, float]:
    """``bertsent.train`` with its defaults, in a process that is set up as a worker is."""
    from bertsent.models.task_model import BertForTask
    from bertsent.training.build import build_model
    from bertsent.training.config import TrainingConfig
    from bertsent.training.loop import train
    from bertsent.training.process import keep_freed_memory

    keep_freed_memory()
    config = TrainingConfig(epochs=1, batch_size=BATCH, max_length=LENGTH, seed=seed)
    model, tokenizer = build_model("builtin", config)
    splits = Splits(
        front(learned), back(2)
    )  # two to be judged on: the loop wants some, and they cost next to nothing
    clock = Clock()
    for _ in train(model, tokenizer, splits, config):
        pass
    return _result(
        clock.read(),
        splits.train,
        judges(judged),
        lambda ids, mask: BertForTask.forward(model.eval(), ids, mask),
    )


def stock(learned: int, judged: int, seed: int = SEED) -> dict[str, float]:
    """The script that the library's documentation teaches."""
    return _trainer(learned, judged, seed)


def tuned(learned: int, judged: int, seed: int = SEED) -> dict[str, float]:
    """The same by somebody who knows the library's switches."""
    options = {
        "train_sampling_strategy": "group_by_length",
        "warmup_steps": 0.1,
        "bf16": _auto_precision() == "bf16",
    }
    return _trainer(learned, judged, seed, **options)


def _auto_precision() -> str:
    """What ours uses as well: measured to be faster on this machine."""
    from bertsent.training.precision import choose_precision

    return choose_precision("auto", machine().device).precision


def _trainer(learned: int, judged: int, seed: int, **options: object) -> dict[str, float]:
    from datasets import Dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
        set_seed,
    )

    from bertsent.models.backbone import builtin_folder

    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(builtin_folder())
    model = AutoModelForSequenceClassification.from_pretrained(builtin_folder(), num_labels=2)
    reviews = front(learned)
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=BATCH,
            save_strategy="no",
            disable_tqdm=True,
            seed=seed,
            use_cpu=machine().device == "cpu",
            **options,
        )
        clock = Clock()
        data = Dataset.from_dict({"text": reviews.texts, "label": reviews.labels})
        data = data.map(
            lambda batch: tokenizer(batch["text"], truncation=True, max_length=LENGTH), batched=True
        )
        Trainer(
            model, settings, train_dataset=data, data_collator=DataCollatorWithPadding(tokenizer)
        ).train()
        spent = clock.read()
    model.eval()
    return _result(
        spent,
        reviews,
        judges(judged),
        lambda ids, mask: type(model).forward(model, ids, mask).logits,
    )


def _result(
    spent: tuple[float, float],
    learned: Reviews,
    judged: Reviews,
    logits: Callable[..., "torch.Tensor"],
) -> dict[str, float]:
    """Speed in real tokens, the same number for everybody, and accuracy judged in the same way."""
    from bertsent.models.backbone import load_backbone

    tokenizer = load_backbone("builtin").tokenizer
    tokens = sum(map(len, tokenizer.ids(learned.texts, LENGTH)))
    right = _right(tokenizer.ids(judged.texts, LENGTH), judged.labels, tokenizer.pad_id, logits)
    seconds, cpu_seconds = spent
    speeds = {"speed": tokens / seconds, "cpu_speed": tokens / cpu_seconds}
    return {
        **speeds,
        "seconds": seconds,
        "tokens": tokens,
        "accuracy": right / len(judged),
        "judged": len(judged),
        "majority": majority_class_accuracy(judged.labels),
    }


def _right(
    ids: list[list[int]], labels: list[int], pad_id: int, logits: Callable[..., "torch.Tensor"]
) -> int:
    import torch

    from bertsent.text.batches import collate, sorted_batches

    found, device = 0, machine().device
    with torch.inference_mode():
        for positions in sorted_batches([len(row) for row in ids], BATCH):
            batch = collate(ids, positions, pad_id=pad_id, limit=LENGTH)
            guess = (
                logits(batch.input_ids.to(device), batch.attention_mask.to(device))
                .float()
                .argmax(-1)
                .cpu()
            )
            found += int((guess == torch.tensor([labels[i] for i in positions])).sum())
    return found
