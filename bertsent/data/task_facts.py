"""Reviews of any task in, what to know of them before one trains on them out: what is true of how
many, lengths, duplicates.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from bertsent.data.examples import Reviews
from bertsent.data.splits import duplicate_key, review_groups
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating

NONE = "none"
SHOWN = 12  # labels that a sentence names


@dataclass(frozen=True)
class TaskFacts:
    """Counts of a set of reviews; ``truth`` says in words how its labels or numbers are spread."""

    rows: int
    truth: str
    shortest: int  # in words, both texts together
    median: int
    longest: int
    repeated: int  # rows that share their text or their minimal pair with another one
    contradicting: int  # texts that stand there with different labels or numbers

    def sentence(self) -> str:
        """All of it in words."""
        repeats = f"{self.repeated:,} rows have a twin or share their text, and stay together"
        clashes = ""
        if self.contradicting:
            texts = "text has" if self.contradicting == 1 else "texts have"
            clashes = f"; {self.contradicting:,} {texts} different truths in different rows"
        return (
            f"{self.rows:,} rows: {self.truth}. They have {self.shortest:,} to {self.longest:,} "
            f"words, half of them up to {self.median:,}. "
            f"{repeats if self.repeated else 'No text repeats'}{clashes}."
        )


def task_facts(reviews: Reviews) -> TaskFacts:
    """Count."""
    both = reviews.task.reads == "two texts"
    read = [f"{e.text} {e.second}" if both else e.text for e in reviews]
    words = np.array([len(text.split()) for text in read] or [0])
    groups = Counter(review_groups(reviews))
    return TaskFacts(
        rows=len(reviews),
        truth=_spread(reviews),
        shortest=int(words.min()),
        median=int(np.median(words)),
        longest=int(words.max()),
        repeated=sum(count for count in groups.values() if count > 1),
        contradicting=_contradicting(reviews),
    )


def _contradicting(reviews: Reviews) -> int:
    found: dict[tuple[str, str, str], set[str]] = {}
    for example, truth in zip(reviews, truths(reviews), strict=True):
        asked = example.part, duplicate_key(example.text), duplicate_key(example.second)
        found.setdefault(asked, set()).add(truth)
    return sum(len(several) > 1 for several in found.values())


def truths(reviews: Reviews) -> list[str]:
    """What is true of each review, as a person reads it; "" where it is not known."""
    names, task = reviews.task.output_names, reviews.task
    if isinstance(task, MixedTask):
        own = [iter(truths(reviews.of_part(part))) for part in task.parts]
        return [next(own[task.place(example.part)]) for example in reviews]
    if isinstance(task, MaskedWords):
        return [""] * len(reviews)
    if isinstance(task, OneLabel):
        return ["" if n is None else f"{n} {names[n]}" for n in reviews.labels]
    if isinstance(task, Rating):
        return [f"{e.scores[0]:g}" if e.scores else "" for e in reviews]
    return [
        ", ".join(
            _strong(name, value) for name, value in zip(names, e.scores, strict=True) if value
        )
        or NONE
        for e in reviews
    ]


def _strong(name: str, value: float) -> str:
    return f"{name} {value:g}" if value > 1 else name


def _spread(reviews: Reviews) -> str:
    task, names = reviews.task, reviews.task.output_names
    if isinstance(task, MixedTask):
        parts = [(part.title, reviews.of_part(part)) for part in task.parts]
        return "; ".join(f"{title} ({len(own):,}): {_spread(own)}" for title, own in parts)
    if isinstance(task, MaskedWords):
        return "each learned from by its own words, without a label"
    if isinstance(task, Rating):
        numbers = [e.scores[0] for e in reviews if e.scores]
        return (
            f"numbers from {min(numbers):g} to {max(numbers):g}, half of them up to "
            f"{np.median(numbers):g}"
        )
    if isinstance(task, OneLabel):
        counts = Counter(names[n] for n in reviews.labels if n is not None)
    else:
        held = (zip(names, e.scores, strict=True) for e in reviews)
        counts = Counter(name for pairs in held for name, value in pairs if value > 0)
        counts[NONE] = sum(not any(e.scores) for e in reviews)
        names = (*names, NONE) if counts[NONE] else names
    found = [f"{counts[name]:,} {name}" for name in names[:SHOWN]]
    return ", ".join(found) + (f", {len(names) - SHOWN} more labels" if len(names) > SHOWN else "")
