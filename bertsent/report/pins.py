"""What is kept of a pinned result: the facts beside it, and its figures and numbers."""

import json
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from bertsent.errors import BadInput
from bertsent.report.document import Drawing, Exhibit, NumberTable, day_and_time

FIGURE_BYTES = 2_000_000  # of one pin's figures and numbers
LONGEST_NOTE, LONGEST = 2_000, 6_000  # characters of a note, and of any other text
_TEXTS = ("id", "page", "tab", "link", "finding", "review", "model", "answer", "note")


@dataclass(frozen=True)
class Pin:
    """A result that a visitor kept: where it was seen, what it said, and with what it was made."""

    page: str
    link: str  # opens it again; begins with a slash
    tab: str = ""
    finding: str = ""
    review: str = ""  # where the result is about one
    model: str = ""  # as people call it, with its step
    answer: str = ""
    p_positive: float | None = None  # of the review, by the model
    card: Mapping[str, str] = field(default_factory=dict)  # of the run or the model
    machine: Mapping[str, str] = field(default_factory=dict)  # versions and machine
    papers: tuple[str, ...] = ()
    note: str = ""
    time: float = 0.0
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    def __post_init__(self) -> None:
        """Take what JSON makes of it, and nothing else.

        Raises:
            TypeError: a value is of another kind, as in a file that was damaged or forged.
        """
        texts = [getattr(self, name) for name in _TEXTS]
        pairs = [*self.card.items(), *self.machine.items()]
        texts += [text for pair in pairs for text in pair] + list(self.papers)
        if not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            raise TypeError("a text of a pin")
        numbers = [self.time, 0.0 if self.p_positive is None else self.p_positive]
        if not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
            raise TypeError("a number of a pin")
        object.__setattr__(self, "papers", tuple(self.papers))

    @property
    def place(self) -> str:
        """The page and the tab where it was seen."""
        return f"{self.page}: {self.tab}" if self.tab else self.page


@dataclass(frozen=True)
class PinContent:
    """The figures and the tables of a pin."""

    drawings: tuple[Drawing, ...] = ()
    tables: tuple[NumberTable, ...] = ()

    def packed(self) -> str:
        """As JSON.

        Raises:
            BadInput: it is larger than a notebook takes.
        """
        text = json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), default=str)
        size = len(text.encode("utf-8", "replace"))
        BadInput.raise_if(
            size > FIGURE_BYTES,
            f"This figure takes {size / 1e6:.1f} MB; a notebook takes figures of up to "
            f"{FIGURE_BYTES / 1e6:.0f} MB.",
            "Download it instead, or show fewer reviews.",
        )
        return text

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """The content again.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: that is no content.
        """
        values = json.loads(text)
        drawings = tuple(Drawing(**each) for each in values["drawings"])
        if not all(d.library in ("plotly", "vega") and isinstance(d.spec, dict) for d in drawings):
            raise ValueError("no figure")
        return cls(drawings, tuple(_table(each) for each in values["tables"]))


def pin_exhibit(pin: Pin, content: PinContent | None) -> Exhibit:
    """The pin as a report shows it; ``content`` is None where its file is gone or damaged."""
    words = [pin.finding]
    if content is None:
        words.append("The figure of this pin is damaged and cannot be shown.")
        content = PinContent()
    p = "" if pin.p_positive is None else f"{pin.p_positive:.6f}"
    tables = content.tables
    if not content.drawings:
        tables = tuple(replace(table, opened=True) for table in tables)
    facts = {
        "Review": pin.review,
        "Answer": pin.answer,
        "P(positive)": p,
        "Model": pin.model,
        "Time": day_and_time(pin.time),
    }
    return Exhibit(pin.place, tuple(words), facts, content.drawings, tables, pin.link, pin.note)


def pin_cards(pins: Sequence[Pin]) -> dict[str, dict[str, str]]:
    """The cards of everything that the pins were made with, each once: models and runs, then the
    lab.
    """
    cards: dict[str, dict[str, str]] = {}
    for pin in pins:
        if pin.card:
            cards.setdefault(pin.model or pin.card.get("Run", "Model"), dict(pin.card))
    machines = [dict(pin.machine) for pin in pins if pin.machine]
    different = [each for i, each in enumerate(machines) if each not in machines[:i]]
    for place, found in enumerate(different):
        cards["This lab" if place == 0 else f"This lab, later ({place + 1})"] = found
    return cards


def _table(values: Mapping[str, Any]) -> NumberTable:
    rows = tuple(tuple(row) for row in values["rows"])
    columns = tuple(map(str, values["columns"]))
    if not all(len(row) == len(columns) for row in rows):
        raise ValueError("no table")
    return NumberTable(str(values["title"]), columns, rows, int(values["of"]))
