"""A run's ``checkpoints/`` folder in, the checkpoints in it out. Loads no torch, so pages and lists can use it."""

from collections.abc import Iterator
from pathlib import Path

TRAINER, PLACE = "trainer.safetensors", "trainer.json"


def list_checkpoints(folder: Path) -> list[Path]:
    """All whole checkpoints of a run, oldest step first."""
    return sorted((f for f in folder.glob("step-*") if f.name[5:].isdecimal()), key=lambda f: int(f.name[5:]))


def resumable(folder: Path) -> Iterator[Path]:
    """Checkpoints that can be gone on from, newest first."""
    yield from (f for f in reversed(list_checkpoints(folder)) if (f / TRAINER).is_file() and (f / PLACE).is_file())
