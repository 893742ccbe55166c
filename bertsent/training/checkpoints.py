"""A run's ``checkpoints/`` folder in, the checkpoints in it out. Loads no torch, so pages and lists
can use it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TRAINER, PROGRESS = "trainer.safetensors", "trainer.json"


def list_checkpoints(folder: Path) -> list[Path]:
    """All whole checkpoints of a run, oldest step first."""
    return sorted((f for f in folder.glob("step-*") if f.name[5:].isdecimal()), key=step_of)


def step_of(checkpoint: Path) -> int:
    """The optimizer step in the name of a checkpoint."""
    return int(checkpoint.name.removeprefix("step-"))


def kept_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints that stay, oldest step first, and the newest, whether it stays or not. The
    others are deleted two saves later.
    """
    found = list_checkpoints(folder)
    # a folder without progress holds weights alone, which are kept
    progress = (read_progress(each) or {"keep": each.is_dir()} for each in found)
    return [e for e, p in zip(found, progress, strict=True) if e == found[-1] or p.get("keep")]


def resumable_checkpoints(folder: Path) -> Iterator[Path]:
    """Checkpoints that a run can be resumed from, newest first."""
    yield from (
        f
        for f in reversed(list_checkpoints(folder))
        if (f / TRAINER).is_file() and (f / PROGRESS).is_file()
    )


def read_progress(checkpoint: Path) -> dict[str, Any]:
    """What ``trainer.json`` says; nothing where it is missing or damaged."""
    try:
        values = json.loads((checkpoint / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def is_evaluated(folder: Path) -> bool:
    """True when the weights that a run would be resumed from were evaluated, or there are none."""
    newest = next(map(read_progress, resumable_checkpoints(folder)), None)
    return newest is None or newest.get("evaluated", -1) == newest.get("step")
