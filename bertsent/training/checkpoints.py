"""A run's ``checkpoints/`` folder in, the checkpoints in it out. Loads no torch, so pages and lists
can use it.
"""

import json
from collections.abc import Iterator
from pathlib import Path

TRAINER, PLACE = "trainer.safetensors", "trainer.json"


def list_checkpoints(folder: Path) -> list[Path]:
    """All whole checkpoints of a run, oldest step first."""
    return sorted(
        (f for f in folder.glob("step-*") if f.name[5:].isdecimal()), key=lambda f: int(f.name[5:])
    )


def kept_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints that stay, oldest step first, and the newest, whether it stays or not. Others
    are gone two saves later.
    """
    found = list_checkpoints(folder)
    return [each for each in found if each == found[-1] or _stays(each)]


def _stays(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / PLACE).read_text(encoding="utf-8")).get("keep"))
    except (OSError, ValueError, AttributeError):
        return folder.is_dir()  # what is needed no more to go on has lost its place, or is gone


def resumable_checkpoints(folder: Path) -> Iterator[Path]:
    """Checkpoints that can be gone on from, newest first."""
    yield from (
        f
        for f in reversed(list_checkpoints(folder))
        if (f / TRAINER).is_file() and (f / PLACE).is_file()
    )
