"""Whose a run is: the SHA-256 of a secret that only the browser of its owner has, kept in the run's
folder. A run without an owner belongs to the host: those of the command line, and older ones.
"""

import re
from pathlib import Path

from bertsent.errors import BadInput

FILE = "owner"
_SHA256 = re.compile(r"[0-9a-f]{64}")


def keep_owner(folder: Path, owner: str) -> None:
    """Write whose the run in ``folder`` is; nothing where ``owner`` is empty.

    Raises:
        BadInput: that is no SHA-256.
        OSError: the disk is full or not writable.
    """
    if owner and not _SHA256.fullmatch(owner):
        raise BadInput("An owner is known by a SHA-256.")
    if owner:
        (folder / FILE).write_text(owner, encoding="ascii")


def owner_of(folder: Path) -> str:
    """The owner of the run in ``folder``; empty where it has none or the file is damaged."""
    try:
        found = (folder / FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return found if _SHA256.fullmatch(found) else ""
