"""An ``Example`` is one review, ``Reviews`` a named set of them for one task, ``Splits`` the
training and validation reviews of a run.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from bertsent.data.cleaning import clean_and_count, clean_text
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task

NEGATIVE, POSITIVE = 0, 1
LABELS = SENTIMENT.labels  # position = id; the names every model folder carries
UNDECIDED = "UNDECIDED"  # instead of a label, when the model knows no word of the review


@dataclass(frozen=True)
class Example:
    """One review, its text clean (``clean_text``). ``label`` is 0 negative, 1 positive, None
    unknown, or the number of another task's label; ``pair`` ties the two sides of a minimal pair.

    Tasks that read two texts have the other one in ``second``: for aspects it is the aspect. Those
    that answer with numbers have ``scores``: one for each label of several, or the one of a rating.
    """

    id: str
    text: str
    label: int | None = None
    phenomenon: str = ""
    pair: str = ""
    split: str = ""  # train, validation or test, if the set says so
    # one of the handcrafted sarcastic / contrastive rows (Chiu 2025, section 3)
    contrastive: bool = False
    second: str = ""
    scores: tuple[float, ...] = ()
    part: str = ""  # the name of the task that the row is for, where several are learned at once
    removed: dict[str, int] = field(init=False, repr=False, compare=False)  # by clean_text

    def __post_init__(self) -> None:
        text, removed = clean_and_count(self.text)
        object.__setattr__(self, "text", text)
        if self.second:
            object.__setattr__(self, "second", clean_text(self.second))
        object.__setattr__(self, "removed", removed)


COLUMNS = tuple(each.name for each in fields(Example) if each.init)
# columns that a set of single texts with labels does without
FURTHER = ("second", "scores", "part")


@dataclass(frozen=True)
class Origin:
    """Where reviews came from, so that the same ones can be found again: ``builtin``, an
    ``upload``, a ``file`` that the host offers, or the ``hub``; "" when it is unknown.
    """

    kind: Literal["", "builtin", "upload", "file", "hub"] = ""
    name: str = ""  # of the file, or the Hub id
    sha256: str = ""  # of the bytes that were read


@dataclass(frozen=True)
class Reviews:
    """A named, ordered, unchangeable set of reviews, labelled for one task. A part of it keeps its
    ``origin``.
    """

    name: str
    examples: tuple[Example, ...]
    origin: Origin = field(default=Origin(), compare=False)
    task: Task = SENTIMENT

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    @property
    def texts(self) -> list[str]:
        return [example.text for example in self.examples]

    @property
    def labels(self) -> list[int | None]:
        return [example.label for example in self.examples]

    @property
    def targets(self) -> list[Any]:
        """What is true of each text, as ``Task.targets`` takes it; None where it is unknown."""
        return [self.task.target_of(example) for example in self.examples]

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """What a model reads of each: the first text and the second, "" where there is none. An
        aspect comes before the text that it is in.
        """
        aspect_first = self.task.reads == "aspect"
        return [(e.second, e.text) if aspect_first else (e.text, e.second) for e in self.examples]

    @cached_property
    def sha256(self) -> str:
        """A hash of ids, texts and labels in order: equal hashes mean equal work for a model."""
        digest = hashlib.sha256()
        for e in self.examples:
            further = [e.second, e.scores] if e.second or e.scores else []
            of = [e.part] if e.part else []
            digest.update(json.dumps([e.id, e.text, e.label, *further, *of]).encode())
        return digest.hexdigest()

    def where(self, keep: Iterable[bool]) -> "Reviews":
        return replace(
            self, examples=tuple(e for e, kept in zip(self.examples, keep, strict=True) if kept)
        )

    def take(self, positions: Sequence[int]) -> "Reviews":
        return replace(self, examples=tuple(self.examples[i] for i in positions))

    def of_part(self, part: Task) -> "Reviews":
        """Of reviews for several tasks at once, those for one of them."""
        own = tuple(example for example in self.examples if example.part == part.name)
        return replace(self, name=f"{self.name} ({part.title})", examples=own, task=part)

    def frame(self) -> pd.DataFrame:
        """One row per review, with the columns ``COLUMNS``; without those of other tasks where all
        are empty.
        """
        empty = [name for name in FURTHER if not any(getattr(e, name) for e in self.examples)]
        table = pd.DataFrame([asdict(example) for example in self.examples], columns=list(COLUMNS))
        return table.drop(columns=empty)


@dataclass(frozen=True)
class Splits:
    """The training and validation reviews of a run; they share no review and no minimal pair."""

    train: Reviews
    validation: Reviews

    @property
    def sha256(self) -> str:
        return hashlib.sha256((self.train.sha256 + self.validation.sha256).encode()).hexdigest()

    def save(self, path: Path) -> None:
        """Write both halves to one Parquet file, so that a run can always be repeated from its own
        folder.
        """
        halves = {"train": self.train, "validation": self.validation}
        table = pd.concat(part.frame().assign(half=half) for half, part in halves.items())
        table.astype({"label": "Int64"}).to_parquet(path, compression="zstd", index=False)

    @classmethod
    def load(cls, path: Path, name: str, *, clean: bool = True, task: Task = SENTIMENT) -> "Splits":
        """Read what ``save`` wrote; with ``clean=False`` the texts stay as they were written."""
        table = pd.read_parquet(path)
        return cls(
            *(
                from_frame(name, table[table["half"] == half], clean=clean, task=task)
                for half in ("train", "validation")
            )
        )


def from_frame(
    name: str, frame: pd.DataFrame, *, clean: bool = True, task: Task = SENTIMENT
) -> Reviews:
    """Rebuild ``Reviews`` from a frame that ``Reviews.frame`` or ``Splits.save`` made; with
    ``clean=False`` the texts stay as they are.
    """
    rows = frame[[column for column in COLUMNS if column in frame]].to_dict("records")
    examples = tuple(Example(**row | _typed(row)) for row in rows)
    if not clean:
        for example, row in zip(examples, rows, strict=True):
            object.__setattr__(example, "text", row["text"])
    return Reviews(name, examples, task=task)


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    """The label and the scores of a row of a table as an example has them."""
    scores = tuple(map(float, row["scores"])) if "scores" in row else ()
    return {"label": None if pd.isna(row["label"]) else int(row["label"]), "scores": scores}
