"""A file of facts, a line of JSON each: appended, never edited, by one writer at a time and read by
many.
"""

import errno
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar


@dataclass(frozen=True, kw_only=True)
class LoggedEvent:
    """A fact, with the second since 1970 at which it was stated."""

    kind: ClassVar[str] = ""  # its name in the file: that of the class in lower case
    time: float = field(default_factory=time.time)

    def __init_subclass__(cls) -> None:
        cls.kind = cls.__name__.lower()


E = TypeVar("E", bound=LoggedEvent)


@dataclass(frozen=True)
class AppendOnlyLog(Generic[E]):
    """The file at ``path``; what kinds of events it knows is said by those who inherit."""

    path: Path
    kinds: ClassVar[Mapping[str, type[Any]]] = {}

    def append(self, event: E) -> None:
        """Write one event as one line, whole or not at all.

        Raises:
            OSError: the disk is full or not writable.
        """
        facts = {"event": event.kind, **asdict(event)}
        line = f"{json.dumps(facts, ensure_ascii=False, allow_nan=False)}\n".encode()
        with self.path.open("ab", buffering=0) as file:
            start = file.seek(0, os.SEEK_END)
            try:
                if file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                file.truncate(start)
                raise

    def read(self, offset: int = 0) -> tuple[list[E], int]:
        """Events from byte ``offset`` on, and the offset to read on from. A torn last line is left
        for the next time.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                data = file.read()
        except FileNotFoundError:
            return [], 0
        whole = data[: data.rfind(b"\n") + 1]
        events = (self._event(line) for line in whole.splitlines())
        return [event for event in events if event is not None], offset + len(whole)

    def repair(self) -> None:
        """Cut off a line that a crash left unfinished."""
        with suppress(FileNotFoundError), self.path.open("r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def is_torn(self) -> bool:
        """Whether a crash left the last line unfinished."""
        with suppress(OSError), self.path.open("rb") as file:  # an empty file has no last byte
            file.seek(-1, os.SEEK_END)
            return file.read() != b"\n"
        return False

    def _event(self, line: bytes) -> E | None:
        """One line as an event; None for what is damaged or from a newer version."""
        try:
            values = json.loads(line)
            return self.kinds[values.pop("event")](**values)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
