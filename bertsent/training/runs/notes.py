"""A run's folder in, what a person wrote about the run out: a title and a note, beside the id that
never changes.
"""

import json
import unicodedata
from dataclasses import asdict, dataclass
from pathlib import Path

from bertsent.errors import BadInput, NotAvailable
from bertsent.files import write_atomically

FILE = "note.json"
TITLE, TEXT = 80, 2_000  # characters
_BYTES = 64 * 1024  # no note of that length takes more, however it is encoded
_BIDI_CONTROLS = set("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())  # turn text beside them around


@dataclass(frozen=True)
class Note:
    """A title in one line and a note of any number of lines; both may be empty."""

    title: str = ""
    text: str = ""


def read_note(folder: Path) -> Note:
    """The note of the run in ``folder``; an empty one where there is none, or where the file is
    damaged or foreign.
    """
    try:
        with (folder / FILE).open("rb") as file:
            values = json.loads(file.read(_BYTES))
        return Note(_line(values["title"])[:TITLE], _lines(values["text"])[:TEXT])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Note()


def write_note(folder: Path, title: str, text: str) -> Note:
    """Keep a title and a note, whole or not at all; two empty ones take the file away. Gives back
    what was kept.

    Raises:
        BadInput: more than 80 or 2,000 characters.
        NotAvailable: the run is gone, or the disk is full or not writable.
    """
    note = Note(_line(title), _lines(text))
    for name, value, limit in (("title", note.title, TITLE), ("note", note.text, TEXT)):
        if len(value) > limit:
            raise BadInput(
                f"The {name} has {len(value):,} characters; the limit is {limit:,}.", "Shorten it."
            )
    try:
        if note == Note():
            (folder / FILE).unlink(missing_ok=True)
        else:
            write_atomically(folder / FILE, json.dumps(asdict(note), ensure_ascii=False))
    except OSError as error:
        raise NotAvailable(
            f"The note of {folder.name} cannot be kept ({error.strerror}).",
            "See whether the run is still there.",
        ) from None
    return note


def run_label(folder: Path) -> str:
    """The run's title with its id, or the id alone."""
    title = read_note(folder).title
    return f"{title} ({folder.name})" if title else folder.name


def _line(text: str) -> str:
    return " ".join(_lines(text).split())


def _lines(text: str) -> str:
    """The text without control characters (line breaks stay), marks that reverse the direction of
    text, and halves of surrogate pairs.
    """
    whole = text.replace("\r\n", "\n").encode("utf-8", "replace").decode("utf-8")
    return "".join(
        c
        for c in whole
        if c == "\n"
        or (unicodedata.category(c) != "Cc" and unicodedata.bidirectional(c) not in _BIDI_CONTROLS)
    ).strip()
