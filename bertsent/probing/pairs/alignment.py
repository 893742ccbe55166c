"""Two texts in, their words side by side out: which stayed, which were changed, which came and
went.

What stays is a longest common subsequence of the words (Needleman and Wunsch 1970 with a score of
one a match), so no alignment leaves more words unchanged. Swapping the texts swaps the two columns
and nothing else.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

AlignmentKind = Literal["same", "changed", "removed", "added"]
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]|_+")


@dataclass(frozen=True)
class Word:
    """A word or a mark of a text, and where it stands: ``text[start:end]``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class AlignmentRow:
    """One row of an alignment: positions among the words of the first and the second text, None
    where there is none.
    """

    first: int | None
    second: int | None
    kind: AlignmentKind


def words_of(text: str) -> tuple[Word, ...]:
    """The words and marks of a text, in order; "isn't" and "well-made" are one word each."""
    return tuple(Word(found[0], *found.span()) for found in _WORD.finditer(text))


def align(first: Sequence[str], second: Sequence[str]) -> tuple[AlignmentRow, ...]:
    """Put two lists of words side by side. Every word of both is in exactly one row, in its order.

    Words between two unchanged ones are paired in order as ``changed``; what is left over is
    ``removed`` or ``added``.
    """
    if list(second) < list(first):
        # one order for both ways round, so that swapping swaps the columns and nothing else
        turned: dict[AlignmentKind, AlignmentKind] = {"removed": "added", "added": "removed"}
        return tuple(
            AlignmentRow(row.second, row.first, turned.get(row.kind, row.kind))
            for row in align(second, first)
        )
    found: list[AlignmentRow] = []
    i = j = 0
    for a, b in _longest_common_subsequence(first, second):
        found += [*_between(range(i, a), range(j, b)), AlignmentRow(a, b, "same")]
        i, j = a + 1, b + 1
    return (*found, *_between(range(i, len(first)), range(j, len(second))))


def _between(gone: range, come: range) -> list[AlignmentRow]:
    kinds: dict[tuple[bool, bool], AlignmentKind] = {
        (True, True): "changed",
        (True, False): "removed",
        (False, True): "added",
    }
    return [
        AlignmentRow(a, b, kinds[a is not None, b is not None]) for a, b in zip_longest(gone, come)
    ]


def _longest_common_subsequence(
    first: Sequence[str], second: Sequence[str]
) -> list[tuple[int, int]]:
    names = {word: number for number, word in enumerate({*first, *second})}
    a, b = (np.array([names[word] for word in words]) for words in (first, second))
    table = np.zeros((len(a) + 1, len(b) + 1), np.int16)  # at most 5,000 words
    for i, word in enumerate(a):
        found = np.maximum(table[i, 1:], table[i, :-1] + (b == word))
        table[i + 1, 1:] = np.maximum.accumulate(found)
    pairs, i, j = [], len(a), len(b)
    while i and j:
        if table[i, j] == table[i - 1, j]:
            i -= 1
        elif table[i, j] == table[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
