"""Reviews of IMDb in, the same reviews edited so that their verdict is the other way out: minimal
pairs of whole reviews.

``assets/revisions`` holds what was written for this project alone: where in a review words go, and
the words that come in their place
(``sparse.jsonl``: fewer and smaller ones than ``imdb.jsonl``; ``hurried.jsonl``: many small ones,
made carelessly). The reviews themselves
are not in it. The kind of edit follows the contrast sets of Gardner et al. (2020).
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example
from bertsent.settings import PROJECT

FOLDER = PROJECT / "assets" / "revisions"
DENSE, SPARSE, HURRIED = FOLDER / "imdb.jsonl", FOLDER / "sparse.jsonl", FOLDER / "hurried.jsonl"
KEPT = (0.0, 0.0, 0.5)  # of the sentences that no edit touches, how many a shortened pair keeps
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?:<br />)+")


@dataclass(frozen=True)
class Revision:
    """What turns one review: ``edits`` are (start, end, new words), in characters of the original,
    in order and apart.
    """

    id: str
    mark: str  # the beginning of the original's SHA-256, so that no other text is edited
    edits: tuple[tuple[int, int, str], ...]

    def of(self, text: str) -> str | None:
        """The revised review; None where ``text`` is not the one that was edited."""
        if mark_of(text) != self.mark:
            return None
        return _edited(text, self.edits)

    def sides(self, text: str) -> tuple[str, str] | None:
        """Both sides whole; None where ``text`` is not the one that was edited."""
        edited = self.of(text)
        return None if edited is None else (text, edited)

    def shortened(self, text: str) -> tuple[str, str] | None:
        """Both sides without some of the sentences that no edit touches; None where ``text`` is not
        the one that was edited.

        What both sides share cannot be what tells them apart, so each keeps its label. Which
        sentences go depends on ``id`` alone.
        """
        if mark_of(text) != self.mark:
            return None
        chance = random.Random(self.id)
        share, before, after = chance.choice(KEPT), "", ""
        for start, end in pairwise(self._cuts(text)):
            edits = [
                edit for edit in self.edits if start <= edit[0] < end or edit[0] == end == len(text)
            ]
            if edits or chance.random() < share:
                before += text[start:end]
                after += _edited(
                    text[start:end],
                    [(first - start, last - start, words) for first, last, words in edits],
                )
        return before, after

    def _cuts(self, text: str) -> list[int]:
        """Where sentences begin, and the end; none inside an edit."""
        found = (0, *(gap.end() for gap in _SENTENCE_END.finditer(text)), len(text))
        return sorted(
            {cut for cut in found if not any(first < cut < last for first, last, _ in self.edits)}
        )


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    for start, end, words in reversed(edits):
        text = text[:start] + words + text[end:]
    return text


def mark_of(text: str) -> str:
    """By which a revision knows its original."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_revisions(path: Path) -> list[Revision]:
    """All that were written, in the order of the file."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [
        Revision(
            row["id"], row["mark"], tuple((start, end, words) for start, end, words in row["edits"])
        )
        for row in rows
    ]


def revised_pairs(
    imdb: pd.DataFrame, revisions: list[Revision], *, short: bool = False
) -> list[Example]:
    """Original and revised review, one after the other, for every revision whose original is in the
    table (``id``, ``text``, ``label``).

    Args:
        short: leave out of both some of what they share.
    """
    return [row for found in _pairs(imdb, revisions, short) for row in found]


def _pairs(
    imdb: pd.DataFrame, revisions: list[Revision], short: bool
) -> Iterator[tuple[Example, Example]]:
    originals = {
        ident: (text, int(label))
        for ident, text, label in zip(imdb["id"], imdb["text"], imdb["label"], strict=True)
    }
    kind = "passage" if short else "revision"
    for revision in revisions:
        text, label = originals.get(revision.id, ("", 0))
        sides = revision.shortened(text) if short else revision.sides(text)
        if sides is not None:
            first, second = sides
            name = f"{kind}-{revision.id}"
            pair = f"{kind} {revision.id}"
            yield (
                Example(name, first, label, kind, pair),
                Example(f"{name}-revised", second, 1 - label, kind, pair),
            )
