"""A vocabulary in, what stands where in it out."""

import re
from collections import Counter

from bertsent.text.word_pieces import WordPieceRules

_UNUSED = re.compile(r"\[unused\d+\]")
_MARKER = re.compile(r"\[[A-Z]+\]")
KINDS = (
    "whole words and beginnings",
    "pieces that continue a word",
    "single signs",
    "unused places",
    "markers",
)


def neighbours(rules: WordPieceRules, number: int, reach: int) -> tuple[tuple[int, str], ...]:
    """The entries from ``reach`` before an id up to ``reach`` behind it: ids with their pieces."""
    around = range(number - reach, number + reach + 1)
    return tuple((each, rules.pieces[each]) for each in around if each in rules.pieces)


def entry_kind(rules: WordPieceRules, piece: str) -> str:
    """Which of ``KINDS`` an entry is."""
    whole, continuing, sign, unused, marker = KINDS
    if _UNUSED.fullmatch(piece):
        return unused
    if _MARKER.fullmatch(piece):
        return marker
    if rules.prefix and piece.startswith(rules.prefix) and len(piece) > len(rules.prefix):
        return continuing
    return sign if len(piece) == 1 else whole


def vocabulary_counts(rules: WordPieceRules) -> dict[str, int]:
    """How many entries of each kind there are, in the order of ``KINDS``."""
    found = Counter(entry_kind(rules, piece) for piece in rules.vocabulary)
    return {kind: found[kind] for kind in KINDS}
