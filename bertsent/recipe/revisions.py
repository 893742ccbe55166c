"""IMDb reviews in, minimal pairs of whole reviews out: each review and the same one edited so that
its verdict is reversed.

``assets/revisions`` has only what was written for this project: which words are replaced, and by
which (``sparse.jsonl``: fewer and smaller edits than ``imdb.jsonl``; ``hurried.jsonl``: many small
and careless ones). It does not have the reviews themselves. The kind of edit follows the contrast
sets of Gardner et al. (2020).
"""

import hashlib
import json
import random
import re
from collections.abc import Sequence
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
    """The edits that reverse one review: (start, end, new words), in characters of the original,
    in order and without overlap.
    """

    id: str
    mark: str  # the beginning of the original's SHA-256, so that no other text is edited
    edits: tuple[tuple[int, int, str], ...]

    def of(self, text: str) -> str | None:
        """The revised review; None when ``text`` is another review."""
        return _edited(text, self.edits) if mark_of(text) == self.mark else None

    def shortened(self, text: str) -> tuple[str, str] | None:
        """Both sides without some of the sentences that no edit touches; None when ``text`` is
        another review.

        What both sides share cannot be what tells them apart, so each keeps its label. Which
        sentences go depends on ``id`` alone.
        """
        if mark_of(text) != self.mark:
            return None
        chance, before, after = random.Random(self.id), "", ""
        share = chance.choice(KEPT)
        for start, end in pairwise(self._cuts(text)):
            edits = [
                edit for edit in self.edits if start <= edit[0] < end or edit[0] == end == len(text)
            ]
            if edits or chance.random() < share:
                moved = [(first - start, last - start, words) for first, last, words in edits]
                before += text[start:end]
                after += _edited(text[start:end], moved)
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
    """How a revision recognises its original."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_revisions(path: Path) -> list[Revision]:
    """The revisions of a file, in its order."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Revision(row["id"], row["mark"], tuple(map(tuple, row["edits"]))) for row in rows]


def revised_pairs(
    imdb: pd.DataFrame, revisions: list[Revision], *, short: bool = False
) -> list[Example]:
    """Original and revised review, one after the other, for every revision whose original is in the
    table (``id``, ``text``, ``label``).

    Args:
        short: leave out of both some of what they share.
    """
    originals = dict(zip(imdb["id"], zip(imdb["text"], imdb["label"], strict=True), strict=True))
    kind, rows = "passage" if short else "revision", []
    for revision in revisions:
        text, label = originals.get(revision.id, ("", 0))
        sides = revision.shortened(text) if short else (text, revision.of(text))
        if sides is None or sides[1] is None:
            continue
        name, pair = f"{kind}-{revision.id}", f"{kind} {revision.id}"
        rows += [
            Example(name, sides[0], int(label), kind, pair),
            Example(f"{name}-revised", sides[1], 1 - int(label), kind, pair),
        ]
    return rows
