"""Reviews of any task in: whether a classifier can learn from them, and what a fair half of them
has as much of as the whole.
"""

from collections import Counter

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import MOST_LABELS, OneLabel, Rating

FEWEST = 5  # reviews of each label
FEWEST_RATED, BINS = 10, 5
_BOTH, _EACH = "Training needs both classes.", "Training needs at least five of each."


def check_trainable(reviews: Reviews) -> None:
    """Refuse reviews that no classifier can learn from.

    Raises:
        BadInput: a label or number is missing, there is only one, or there are fewer than five
            reviews of a label.
    """
    name, task = reviews.name, reviews.task
    if isinstance(task, MixedTask):
        for part in task.parts:
            check_trainable(reviews.of_part(part))
        return
    BadInput.raise_if(not len(reviews), f"There are no reviews in {name}.", _BOTH)
    missing = sum(target is None for target in reviews.targets)
    BadInput.raise_if(
        missing, f"{missing:,} reviews of {name} have no label.", "Training needs them."
    )
    if isinstance(task, Rating):
        _check_numbers(reviews)
    elif task == SENTIMENT:
        _check_two_labels(reviews)
    else:
        counts = _counts(reviews)
        fewest = min(task.output_names, key=lambda label: counts[label])
        BadInput.raise_if(
            counts[fewest] < FEWEST,
            f"{name} has only {counts[fewest]} reviews of “{fewest[:40]}”.",
            "Training needs at least five of each label: add some, or leave the label out.",
        )


def strata(reviews: Reviews) -> list[int]:
    """What a fair half has as much of as the whole, a number a review: its label, how many labels
    it has, or in which fifth of the range it is; of several tasks at once, for each task.
    """
    task = reviews.task
    if isinstance(task, MixedTask):
        own = [iter(strata(reviews.of_part(part))) for part in task.parts]
        parts = [task.place(example.part) for example in reviews]
        return [part * MOST_LABELS + next(own[part]) for part in parts]
    if isinstance(task, OneLabel):
        return [label for label in reviews.labels if label is not None]
    scores = [example.scores for example in reviews]
    if isinstance(task, Rating):
        places = (np.array([each[0] for each in scores]) - task.low) / (task.high - task.low)
        return np.minimum(places * BINS, BINS - 1).astype(int).tolist()
    return [min(sum(value > 0 for value in each), 3) for each in scores]


def _counts(reviews: Reviews) -> Counter[str]:
    names = reviews.task.output_names
    if isinstance(reviews.task, OneLabel):
        return Counter(names[label] for label in reviews.labels if label is not None)
    return Counter(
        name
        for example in reviews
        for name, value in zip(names, example.scores, strict=True)
        if value > 0
    )


def _check_two_labels(reviews: Reviews) -> None:
    name, counts = reviews.name, Counter(reviews.labels)
    only = "positive" if 1 in counts else "negative"
    BadInput.raise_if(len(counts) < 2, f"All {len(reviews):,} reviews of {name} are {only}.", _BOTH)
    fewest = min(counts.values())
    BadInput.raise_if(fewest < FEWEST, f"{name} has only {fewest} reviews of one class.", _EACH)


def _check_numbers(reviews: Reviews) -> None:
    numbers = {example.scores[0] for example in reviews}
    BadInput.raise_if(
        len(reviews) < FEWEST_RATED or len(numbers) < 2,
        f"{reviews.name} has {len(reviews)} rows and {len(numbers)} different numbers.",
        f"Training needs at least {FEWEST_RATED} rows with numbers that differ.",
    )
