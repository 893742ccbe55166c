"""Fine-tuning again with three seeds: is what was won in speed paid for in accuracy?

One epoch on 1,600 reviews, ours and the stock ``transformers.Trainer`` script in turns, judged on
reviews that neither has seen.
"""

import numpy as np

from bertsent.probing.slices import Slice
from tests.benchmarks.child_process import run_in_child
from tests.benchmarks.reviews import judges, long_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.training import LENGTH, STOCK

SEEDS = (42, 43, 44)


def rows(quick: bool) -> list[Row]:
    """Mean accuracy over the seeds, and the speed of those longer trainings."""
    learned, judged, seeds = (200, 100, SEEDS[:2]) if quick else (1_600, 1_500, SEEDS)
    turns = [
        [
            run_in_child("training", name, learned=learned, judged=judged, seed=seed)
            for name in ("ours", "stock")
        ]
        for seed in seeds
    ]
    accuracy = np.array([[each["accuracy"] for each in turn] for turn in turns])
    speed = np.array([[each["speed"] for each in turn] for turn in turns])
    ours, stock = accuracy.mean(axis=0)
    count = int(turns[0][0]["judged"])
    intervals = [Slice("", count, round(share * count)).interval for share in (ours, stock)]
    each = "; ".join(
        f"{name} {_listed(column)}"
        for name, column in zip(("ours", "stock"), accuracy.T, strict=True)
    )
    wide = " and ".join(f"{100 * low:.1f} to {100 * high:.1f}" for low, high in intervals)
    majority = 100 * turns[0][0]["majority"]
    how = (
        f"mean of {len(seeds)} seeds ({each}) on {count:,} {judges(count).name}, 95 % {wide}; "
        f"always the same label: {majority:.1f} %"
    )
    paced = (
        f"{STOCK}; median of the seeds; {learned:,} rows of {long_reviews().name}, {LENGTH} tokens"
    )
    pace = [float(np.median(column)) for column in speed.T]
    return [
        Row("accuracy, stock Trainer", "%", ours, stock, how, more_is_better=True),
        Row("  its pace, stock Trainer", "tokens/s", *pace, paced, more_is_better=True),
    ]


def _listed(shares: np.ndarray) -> str:
    return ", ".join(f"{100 * share:.1f}" for share in shares)
