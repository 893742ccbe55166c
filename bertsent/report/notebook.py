"""A visitor's notebook: the results that were pinned, kept on this machine for one browser.

A folder under ``BERTSENT_HOME/notebooks`` is called by the visitor's id, which is the SHA-256 of a
secret in the browser. It holds ``events.jsonl``, appended under a lock, and a file for each pin's
figures and numbers. Nothing in it says who the visitor is.
"""

import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from filelock import FileLock

from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable
from bertsent.event_log import AppendOnlyLog, LoggedEvent
from bertsent.files import write_atomically
from bertsent.report.pins import LONGEST_NOTE, Pin, PinContent
from bertsent.settings import home

MOST_PINS, MOST_BYTES = 50, 12_000_000  # of a notebook
MOST_NOTEBOOKS, DAYS = 500, 30  # of the lab; since the last change
SINGLE_USER = "single-user"  # whose id is empty
_LOG_BYTES = 1_000_000  # after which the events of the past are added up
_VISITOR = re.compile(r"[0-9a-f]{64}")
_PIN = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True)
class NotebookEvent(LoggedEvent):
    """A fact about one pin."""

    pin: Any


@dataclass(frozen=True, kw_only=True)
class PutIn(NotebookEvent):
    """A result was pinned."""

    pin: Pin

    def __post_init__(self) -> None:
        if not isinstance(self.pin, Pin):
            object.__setattr__(self, "pin", Pin(**self.pin))
        if not _PIN.fullmatch(self.pin.id):
            raise ValueError("no pin")


@dataclass(frozen=True, kw_only=True)
class Annotated(NotebookEvent):
    """Its visitor wrote something beside it."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Moved(NotebookEvent):
    """It stands at that place now, from 0."""

    place: int


@dataclass(frozen=True, kw_only=True)
class TakenOut(NotebookEvent):
    """It is no longer in the notebook."""


class NotebookLog(AppendOnlyLog[NotebookEvent]):
    """The file of a notebook's events."""

    kinds = {kind.kind: kind for kind in NotebookEvent.__subclasses__()}


class Notebook:
    """A notebook by its folder, which need not be there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = NotebookLog(folder / "events.jsonl")

    def pins(self) -> tuple[Pin, ...]:
        """What is in it, in its order. Costs one ``stat`` where nothing has changed."""
        try:
            state = self.log.path.stat()
        except OSError:
            return ()
        return _pins_of(self.log.path, state.st_mtime_ns, state.st_size, state.st_ino)

    def content(self, pin: str) -> PinContent | None:
        """The figures and numbers of a pin; None where they are gone or damaged."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return PinContent.unpacked(self._file(pin).read_text(encoding="utf-8"))
        return None

    def keep(self, pin: Pin, content: PinContent) -> None:
        """Add a pin at the end.

        Raises:
            BadInput: the figure is too large.
            Busy: the notebook is full, or the lab has too many of them.
            OSError: the disk is full or not writable.
        """
        packed = content.packed()
        delete_expired_notebooks()
        if not self.folder.is_dir():
            number = sum(1 for _ in notebooks_folder().glob("*"))
            Busy.raise_if(number >= MOST_NOTEBOOKS, "This lab keeps no more notebooks.")
            self.folder.mkdir(parents=True, exist_ok=True)
        with self._writing():
            self._check_room(len(packed.encode()))
            write_atomically(self._file(pin.id), packed)
            self.log.append(PutIn(pin=replace(pin, time=time.time())))

    def annotate(self, pin: str, text: str) -> None:
        """Write something beside a pin, or with an empty text take it back.

        Raises:
            BadInput: over 2,000 characters.
            NotAvailable: the pin is gone.
        """
        BadInput.raise_if(
            len(text) > LONGEST_NOTE, f"A note has at most {LONGEST_NOTE:,} characters."
        )
        self._state(Annotated(pin=pin, text=text.encode("utf-8", "replace").decode("utf-8")))

    def move(self, pin: str, place: int) -> None:
        """Put a pin at another place, counted from 0.

        Raises:
            NotAvailable: the pin is gone.
        """
        self._state(Moved(pin=pin, place=place))

    def take_out(self, pin: str) -> None:
        """Remove a pin with its figures; one that is gone already is fine."""
        with suppress(NotAvailable):
            self._state(TakenOut(pin=pin))
            self._file(pin).unlink(missing_ok=True)

    def delete(self) -> None:
        """Remove the notebook with all that is in it."""
        with suppress(FileNotFoundError):
            grave = self.folder.with_name(f".{uuid.uuid4().hex[:12]}")
            shutil.rmtree(self.folder.rename(grave))

    def _state(self, event: NotebookEvent) -> None:
        known = {pin.id for pin in self.pins()}
        NotAvailable.raise_if(event.pin not in known, "This pin is gone.", "Reload the page.")
        with self._writing():
            self.log.append(event)
            if self.log.path.stat().st_size > _LOG_BYTES:
                self._add_up()

    def _add_up(self) -> None:
        """Write the pins as they are now in the place of all that ever happened to them."""
        pins = self.pins()
        unfinished = NotebookLog(self.log.path.with_suffix(".part"))
        unfinished.path.unlink(missing_ok=True)
        for pin in pins:
            unfinished.append(PutIn(pin=pin))
        unfinished.path.touch()
        unfinished.path.replace(self.log.path)

    def _check_room(self, more: int) -> None:
        full = len(self.pins()) >= MOST_PINS
        Busy.raise_if(full, f"Your notebook has {MOST_PINS} pins, the most that it takes.", _REMEDY)
        used = sum(file.stat().st_size for file in self.folder.glob("*.json"))
        Busy.raise_if(
            used + more > MOST_BYTES,
            f"Your notebook has no room for it: it takes {MOST_BYTES / 1e6:.0f} MB.",
            _REMEDY,
        )

    def _file(self, pin: str) -> Path:
        if not _PIN.fullmatch(pin):
            raise ValueError("no pin")
        return self.folder / f"{pin}.json"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """While nobody else writes, in this process or another.

        Raises:
            NotAvailable: the notebook was deleted meanwhile.
        """
        try:
            with FileLock(self.folder / "lock", poll_interval=0.005):
                self.log.repair()
                yield
        except FileNotFoundError:
            raise NotAvailable("Your notebook was deleted.", "Pin the result again.") from None


_REMEDY = "Take something out of it first."


def notebook_of(visitor: str) -> Notebook:
    """The notebook of a visitor by id; the empty id is the single user's.

    Raises:
        NotAllowed: that is nobody.
    """
    if visitor and not _VISITOR.fullmatch(visitor):
        raise NotAllowed("This browser is not known to the lab.", "Reload the page.")
    return Notebook(notebooks_folder() / (visitor or SINGLE_USER))


def notebooks_folder() -> Path:
    """Where the notebooks are kept."""
    return home() / "notebooks"


def delete_expired_notebooks() -> None:
    """Remove the notebooks that nobody changed for 30 days, and what a killed deletion left."""
    for folder in notebooks_folder().glob("*"):
        with suppress(OSError):
            newest = max(folder.stat().st_mtime, _changed(folder / "events.jsonl"))
            if folder.name.startswith(".") or time.time() - newest > DAYS * 24 * 3600:
                shutil.rmtree(folder)


def _changed(file: Path) -> float:
    return file.stat().st_mtime if file.exists() else 0.0


@lru_cache(maxsize=256)
def _pins_of(path: Path, _changed: int, _size: int, _file: int) -> tuple[Pin, ...]:
    pins: dict[str, Pin] = {}
    for event in NotebookLog(path).read()[0]:
        pins = _after(pins, event)
    return tuple(pins.values())


def _after(pins: dict[str, Pin], event: NotebookEvent) -> dict[str, Pin]:
    """The pins after one more event; one that does not fit changes nothing."""
    if isinstance(event, PutIn):
        return {**pins, event.pin.id: event.pin} if len(pins) < MOST_PINS else pins
    if not isinstance(event.pin, str) or event.pin not in pins:
        return pins
    known, rest = pins[event.pin], {k: p for k, p in pins.items() if k != event.pin}
    match event:
        case Annotated(text=str(text)):
            return {**pins, known.id: replace(known, note=text[:LONGEST_NOTE])}
        case Moved(place=int(place)):
            order = list(rest.items())
            order.insert(max(place, 0), (known.id, known))
            return dict(order)
        case TakenOut():
            return rest
    return pins
