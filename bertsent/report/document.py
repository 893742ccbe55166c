"""What a report consists of. All texts are plain: whoever shows them escapes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from bertsent.figures.embedded import Library, Spec

MOST_ROWS = 200  # of a table; the lab's own downloads have all of them


@dataclass(frozen=True)
class Drawing:
    """A figure that the reader can hover, by what draws it, and what it shows in words."""

    library: Library
    spec: Spec
    alt: str = ""


@dataclass(frozen=True)
class NumberTable:
    """The first rows of a table, and how many it has in all. Cells are what JSON knows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    of: int = 0
    opened: bool = False  # in sight at once, not behind its title

    @classmethod
    def of_frame(
        cls, title: str, frame: pd.DataFrame, *, most: int = MOST_ROWS, opened: bool = False
    ) -> "NumberTable":
        """The first ``most`` rows of a data frame; its index is kept where it says something."""
        named = frame.index.name is not None or frame.index.dtype == object
        plain = (frame.reset_index() if named else frame).head(most)
        cells = plain.astype(object).to_numpy().tolist()
        rows = tuple(tuple(map(_plain, row)) for row in cells)
        return cls(title, tuple(map(str, plain.columns)), rows, len(frame), opened)

    def frame(self) -> pd.DataFrame:
        """The rows that are kept."""
        return pd.DataFrame(list(self.rows), columns=list(self.columns))


@dataclass(frozen=True)
class Exhibit:
    """One thing that was seen: its finding, what it was seen with, its figures and its numbers."""

    heading: str
    words: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    drawings: tuple[Drawing, ...] = ()
    tables: tuple[NumberTable, ...] = ()
    link: str = ""  # of the lab, which opens it again; begins with a slash
    note: str = ""  # what somebody wrote beside it


@dataclass(frozen=True)
class Chapter:
    """Parts under a heading; without one where there is but one chapter."""

    heading: str
    exhibits: tuple[Exhibit, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """A whole report: chapters, what it was made with, and what to read."""

    title: str
    subtitle: str
    chapters: Sequence[Chapter]
    cards: Mapping[str, Mapping[str, str]]  # run cards, by what they are of
    references: Sequence[str]  # keys of ``references.PAPERS``
    server: str = ""  # the address of the lab to which links lead; empty for none

    def drawings(self) -> list[Drawing]:
        """All figures, in their order."""
        return [
            d for chapter in self.chapters for exhibit in chapter.exhibits for d in exhibit.drawings
        ]


def day_and_time(seconds: float) -> str:
    """A time as a report says it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y, %H:%M UTC")


def _plain(cell: Any) -> Any:  # of a data frame
    """The cell as JSON knows it; what is missing is None."""
    if isinstance(cell, (list, tuple)):
        return ", ".join(map(str, cell))
    if cell is None or pd.isna(cell):
        return None
    if hasattr(cell, "item"):
        cell = cell.item()
    return cell if isinstance(cell, (bool, int, float, str)) else str(cell)
