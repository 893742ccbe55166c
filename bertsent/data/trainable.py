"""Reviews of any task in: whether a classifier can learn from them, and what a fair half of them
has as much of as the whole.
"""

from collections import Counter

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.errors import BadInput
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import MOST_LABELS, OneLabel, Rating

FEWEST = 5  # reviews of each label
FEWEST_RATED, BINS = 10, 5
SHORTEST = 3  # words of a text that has a word to hide and some to tell it from
HALVES = ("training", "validation")


def check_trainable(reviews: Reviews, half: str = "training", remedy: str = "") -> None:
    """Refuse reviews that no classifier can learn from, or be judged by.

    Args:
        reviews: labelled, for any task.
        half: what they are for, one of ``HALVES``.
        remedy: what to do about it, where that is not to bring others.

    Raises:
        BadInput: a label or number is missing, there is only one, or there are fewer than five
            reviews of a label.
    """
    if isinstance(reviews.task, MixedTask):
        for part in reviews.task.parts:
            check_trainable(reviews.of_part(part), half, remedy)
        return
    if flaw := _flaw(reviews):
        what, need, usual = flaw
        what = what[0].upper() + what[1:] if what.startswith("the ") else what
        raise BadInput(what, f"{half.capitalize()} needs {need}. {remedy or usual}".rstrip())


def _flaw(reviews: Reviews) -> tuple[str, str, str] | None:
    """What is wrong with reviews, what is needed instead, and how one gets it."""
    name, task = reviews.name, reviews.task
    missing = sum(target is None for target in reviews.targets)
    if not len(reviews):
        return f"There are no reviews in {name}.", "some", "Add them."
    if missing:
        have = "has" if missing == 1 else "have"
        return f"{_reviews(missing)} of {name} {have} no label.", "them", ""
    if isinstance(task, MaskedWords):
        return _flaw_of_texts(reviews)
    if isinstance(task, Rating):
        return _flaw_of_numbers(reviews)
    return _flaw_of_two_labels(reviews) if task == SENTIMENT else _flaw_of_labels(reviews)


def _flaw_of_two_labels(reviews: Reviews) -> tuple[str, str, str] | None:
    name, counts = reviews.name, Counter(reviews.labels)
    if len(counts) < 2:
        only = "positive" if 1 in counts else "negative"
        one = f"The only review of {name} is {only}."
        every = f"All {len(reviews):,} reviews of {name} are {only}."
        return every if len(reviews) > 1 else one, "both classes", ""
    fewest = min(counts.values())
    few = f"{name} has only {_reviews(fewest)} of one class.", "at least five of each", ""
    return None if fewest >= FEWEST else few


def _flaw_of_labels(reviews: Reviews) -> tuple[str, str, str] | None:
    counts = _counts(reviews)
    fewest = min(reviews.task.output_names, key=lambda label: counts[label])
    if counts[fewest] >= FEWEST:
        return None
    found = f"only {_reviews(counts[fewest])}" if counts[fewest] else "no reviews"
    return (
        f"{reviews.name} has {found} of “{fewest[:40]}”.",
        "at least five of each label",
        "Add some, or leave the label out.",
    )


def _flaw_of_numbers(reviews: Reviews) -> tuple[str, str, str] | None:
    name, rows = reviews.name, len(reviews)
    if rows < FEWEST_RATED:
        return f"{name} has only {_reviews(rows)}.", f"at least {FEWEST_RATED}", "Add some."
    numbers = {example.scores[0] for example in reviews}
    alike = f"All {rows:,} numbers of {name} are {min(numbers):g}.", "numbers that differ", ""
    return alike if len(numbers) < 2 else None


def _flaw_of_texts(reviews: Reviews) -> tuple[str, str, str] | None:
    """A word can be told from its neighbours where there are some."""
    long = sum(len(text.split()) >= SHORTEST for text in reviews.texts)
    few = (
        f"{reviews.name} has only {long:,} text{'' if long == 1 else 's'} of {SHORTEST} or more "
        "words.",
        f"at least {FEWEST_RATED}, to tell a hidden word from what stands beside it",
        "Bring longer ones, or more; to learn labels, add a label column.",
    )
    return None if long >= FEWEST_RATED else few


def _reviews(count: int) -> str:
    return f"{count:,} review{'' if count == 1 else 's'}"


def strata(reviews: Reviews) -> list[int]:
    """What a fair half has as much of as the whole, a number a review: its label, how many labels
    it has, or in which fifth of the range it is; of several tasks at once, for each task. No number
    of labels and no fifth stands for a single review, which could not be in both halves.
    """
    task = reviews.task
    if isinstance(task, MixedTask):
        own = [iter(strata(reviews.of_part(part))) for part in task.parts]
        parts = [task.place(example.part) for example in reviews]
        return [part * MOST_LABELS + next(own[part]) for part in parts]
    if isinstance(task, MaskedWords):
        return [0] * len(reviews)
    if isinstance(task, OneLabel):
        return [label for label in reviews.labels if label is not None]
    scores = [example.scores for example in reviews]
    if isinstance(task, Rating):
        places = (np.array([each[0] for each in scores]) - task.low) / (task.high - task.low)
        return _in_company(np.minimum(places * BINS, BINS - 1).astype(int).tolist())
    return _in_company([min(sum(value > 0 for value in each), 3) for each in scores])


def _in_company(strata: list[int]) -> list[int]:
    """The strata; one that a single review is in is the nearest that has more."""
    counts = Counter(strata)
    crowded = sorted(stratum for stratum, count in counts.items() if count > 1)
    nearest = {
        stratum: min(crowded, key=lambda other: abs(other - stratum), default=stratum)  # noqa: B023
        for stratum, count in counts.items()
        if count == 1
    }
    return [nearest.get(stratum, stratum) for stratum in strata]


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
