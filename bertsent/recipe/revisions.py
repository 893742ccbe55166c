"""Reviews of IMDb in, the same reviews edited so that their verdict is the other way out: minimal pairs of whole reviews.

``assets/revisions`` holds what was written for this project alone: where in a review words go, and the words that come in their place
(``sparse.jsonl``: fewer and smaller ones than ``imdb.jsonl``). The reviews themselves are not in it. The kind of edit follows the contrast
sets of Gardner et al. (2020).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bertsent.data.examples import Example
from bertsent.settings import PROJECT

FOLDER = PROJECT / "assets" / "revisions"
DENSE, SPARSE = FOLDER / "imdb.jsonl", FOLDER / "sparse.jsonl"


@dataclass(frozen=True)
class Revision:
    """What turns one review: ``edits`` are (start, end, new words), in characters of the original, in order and apart."""

    id: str
    mark: str  # the beginning of the original's SHA-256, so that no other text is edited
    edits: tuple[tuple[int, int, str], ...]

    def of(self, text: str) -> str | None:
        """The revised review; None where ``text`` is not the one that was edited."""
        if mark_of(text) != self.mark:
            return None
        for start, end, words in reversed(self.edits):
            text = text[:start] + words + text[end:]
        return text


def mark_of(text: str) -> str:
    """By which a revision knows its original."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_revisions(path: Path) -> list[Revision]:
    """All that were written, in the order of the file."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Revision(row["id"], row["mark"], tuple((start, end, words) for start, end, words in row["edits"])) for row in rows]


def revised_pairs(imdb: pd.DataFrame, revisions: list[Revision]) -> list[Example]:
    """Original and revised review, one after the other, for every revision whose original is in the table (``id``, ``text``, ``label``)."""
    return [row for found in _pairs(imdb, revisions) for row in found]


def _pairs(imdb: pd.DataFrame, revisions: list[Revision]) -> Iterator[tuple[Example, Example]]:
    originals = {ident: (text, int(label)) for ident, text, label in zip(imdb["id"], imdb["text"], imdb["label"], strict=True)}
    for revision in revisions:
        text, label = originals.get(revision.id, ("", 0))
        edited = revision.of(text)
        if edited is not None:
            pair = f"revision {revision.id}"
            first = Example(f"revision-{revision.id}", text, label, "revision", pair)
            yield first, Example(f"{first.id}-revised", edited, 1 - label, "revision", pair)
