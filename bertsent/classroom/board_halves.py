"""Confirmed reviews in, two halves out: one to learn from, one to be judged on.

What one author wrote stays together: who has found a trick repeats its words, and a model that
learned those would seem to know the trick. So do reviews that differ in one word. Where that leaves
less than a third for one half, authors are parted, and then, if need be, such reviews.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from bertsent.classroom.board import is_small_edit, words_of_review
from bertsent.classroom.board_state import BoardEntry
from bertsent.errors import BadInput

NEEDED = 6  # confirmed reviews
SMALLEST = 1 / 3  # share of a half
Kept = Literal["author", "wording", "nothing"]  # tried in this order


@dataclass(frozen=True)
class Halves:
    """Reviews to learn from and reviews to be judged on; ``kept`` says what stayed together."""

    learned: tuple[BoardEntry, ...]
    held_out: tuple[BoardEntry, ...]
    kept: Kept


def halves_of(entries: Sequence[BoardEntry], seed: int) -> Halves:
    """Draw the halves, with as many of each label in both as the groups allow. Equal reviews and
    equal seeds give equal halves.

    Raises:
        BadInput: there are too few; the text says how many are needed.
    """
    check_enough(len(entries))
    ordered = sorted(entries, key=lambda entry: (entry.time, entry.id))
    labels = [entry.label for entry in ordered]
    for kept in get_args(Kept):
        is_learned = _drawn(labels, _groups(ordered, kept), seed)
        if SMALLEST <= is_learned.mean() <= 1 - SMALLEST:
            break
    learned = tuple(ordered[i] for i in np.flatnonzero(is_learned))
    return Halves(learned, tuple(ordered[i] for i in np.flatnonzero(is_learned == 0)), kept)


def check_enough(confirmed: int) -> None:
    """Do nothing where that many confirmed reviews can be halved.

    Raises:
        BadInput: they are too few; the text says how many are missing.
    """
    missing = NEEDED - confirmed
    if missing > 0:
        there = {0: "No review is confirmed", 1: "Only 1 review is confirmed"}
        raise BadInput(
            f"{there.get(confirmed, f'Only {confirmed} reviews are confirmed')} so far; training "
            f"needs {NEEDED}: one half to learn from, one to be judged on.",
            f"Collect and confirm {missing} more.",
        )


def _groups(entries: Sequence[BoardEntry], kept: Kept) -> list[int]:
    """A number for each review; those that stay together have the same one."""
    words = [words_of_review(entry.text) for entry in entries]
    groups = list(range(len(entries)))
    for i, one in enumerate(entries):
        for j, other in enumerate(entries[:i]):
            same_author = kept == "author" and one.member == other.member
            if kept != "nothing" and (same_author or is_small_edit(words[i], words[j])):
                groups = [groups[j] if group == groups[i] else group for group in groups]
    return groups


def _drawn(labels: Sequence[int], groups: Sequence[int], seed: int) -> np.ndarray:
    """(n,) 1 for what is learned. Large groups are placed first, each where it makes the halves
    more alike; what changes nothing falls at random.
    """
    rng = np.random.default_rng(seed)
    names, sizes = np.unique(groups, return_counts=True)
    order = sorted(zip(-sizes, rng.random(len(names)), names, strict=True))
    learned, lead = np.zeros(len(labels), int), np.zeros(2, int)  # of the learned half, by label
    for _, _, name in order:
        rows = np.flatnonzero(np.asarray(groups) == name)
        counts = np.bincount(np.asarray(labels)[rows], minlength=2)
        more, less = _uneven(lead + counts), _uneven(lead - counts)
        side = int(more < less) if more != less else int(rng.random() < 0.5)
        learned[rows] = side
        lead += counts if side else -counts
    return learned


def _uneven(lead: np.ndarray) -> int:
    return int(lead @ lead + lead.sum() ** 2)
