"""The rooms of this lab: folders under ``BERTSENT_HOME/rooms``, each called as its code."""

import re
import secrets
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path
from threading import Lock

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Opened
from bertsent.classroom.room_password import hashed
from bertsent.errors import BadInput, Busy, NotAvailable
from bertsent.settings import home

MOST_ROOMS = 20
HOURS, LONGEST_HOURS = 24.0, 24.0 * 30  # until a room is deleted
LONGEST_TITLE = 80  # characters
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read for another
_CODE = re.compile(f"[{_LETTERS}]{{5}}")
_known: dict[Path, Room] = {}
_lock = Lock()


def open_room(title: str = "", hours: float = HOURS, password: str = "") -> Room:
    """Open a room; its code is drawn at random.

    Args:
        title: what the class sees above; at most 80 characters.
        hours: until it is deleted with all that is in it.
        password: who knows the code alone does not come in; empty for none.

    Raises:
        BadInput: such hours or such a title cannot be.
        Busy: too many rooms.
        OSError: the disk is full or not writable.
    """
    BadInput.raise_if(not 0 < hours <= LONGEST_HOURS, "A room is kept for up to 30 days.")
    title = " ".join(title.split())
    BadInput.raise_if(len(title) > LONGEST_TITLE, f"A title has at most {LONGEST_TITLE} letters.")
    delete_expired_rooms()
    Busy.raise_if(len(all_rooms()) >= MOST_ROOMS, "Too many rooms.", "Delete one of them first.")
    now = time.time()
    opened = Opened(time=now, title=title, expires=now + 3600 * hours, password=hashed(password))
    while True:
        folder = rooms_folder() / "".join(secrets.choice(_LETTERS) for _ in range(5))
        with suppress(FileExistsError):
            folder.mkdir(parents=True)
            break
    room = Room(folder)
    room.log.append(opened)
    return find_room(room.code)


def find_room(code: str) -> Room:
    """The room of that code, however it was typed.

    Raises:
        NotAvailable: there is none, or it has expired.
    """
    code = "".join(code[:40].split()).replace("-", "").upper()
    folder = rooms_folder() / code
    if not _CODE.fullmatch(code) or not (folder / "events.jsonl").is_file():
        raise NotAvailable("There is no room with this code.", "Ask your teacher for the code.")
    with _lock:
        room = _known.setdefault(folder, Room(folder))
    NotAvailable.raise_if(room.look().expires <= time.time(), "This room is closed.")
    return room


def all_rooms() -> list[Room]:
    """The rooms that are kept, the newest first; closed ones too."""
    found = []
    for folder in rooms_folder().glob("?????"):
        with suppress(NotAvailable):
            found.append(find_room(folder.name))
    return sorted(found, key=lambda room: -room.look().opened)


def open_rooms() -> list[Room]:
    """The rooms that are not closed, the newest first. Costs one ``stat`` where there never was
    any.
    """
    if not rooms_folder().is_dir():
        return []
    return [room for room in all_rooms() if not room.look().closed]


def delete_room(room: Room) -> None:
    """Remove a room with all that was ever said in it; one that is gone already is fine."""
    with _lock:
        _known.pop(room.folder, None)
    with suppress(FileNotFoundError):
        grave = room.folder.rename(room.folder.with_name(f".{room.code}-{uuid.uuid4().hex[:8]}"))
        shutil.rmtree(grave)


def delete_expired_rooms() -> None:
    """Remove the rooms whose time is over, and what a killed deletion left."""
    for folder in rooms_folder().glob("*"):
        if folder.name.startswith(".") or _never_opened(folder):
            shutil.rmtree(folder, ignore_errors=True)
        elif _CODE.fullmatch(folder.name):
            room = Room(folder)
            with suppress(NotAvailable):
                if room.look().expires <= time.time():
                    delete_room(room)


def _never_opened(folder: Path) -> bool:
    """Whether a crash came before the first event."""
    with suppress(OSError):
        old = folder.stat().st_mtime < time.time() - 3600
        return old and not (folder / "events.jsonl").exists()
    return False


def rooms_folder() -> Path:
    """Where the rooms are kept."""
    return home() / "rooms"
