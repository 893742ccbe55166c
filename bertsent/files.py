"""Files and folders that appear whole or not at all: they are written under a hidden name beside
their place and renamed as the last step, so no reader meets half of one.
"""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".part"  # how the hidden names end


@contextmanager
def atomic_path(target: Path, *, replace_folder: bool = False) -> Iterator[Path]:
    """Give a free path beside ``target``. The file or folder at that path replaces ``target`` when
    the block ends; after an error it is removed and ``target`` stays as it was.

    Args:
        target: where the file or folder belongs.
        replace_folder: replace a folder that has something in it.

    Raises:
        OSError: the disk is full or not writable, or such a folder exists and may not be replaced.
    """
    unfinished = target.with_name(f".{target.name}-{uuid.uuid4().hex[:8]}{UNFINISHED}")
    old = unfinished.with_name(f"{unfinished.name}-old")
    try:
        yield unfinished
        if replace_folder and target.exists():
            os.replace(target, old)
        os.replace(unfinished, target)
    finally:
        _remove(unfinished)
        _remove(old)


def write_atomically(target: Path, content: str | bytes) -> None:
    """Write a small file whole or not at all; text is written as UTF-8.

    Raises:
        OSError: the disk is full or not writable; ``target`` is as it was.
    """
    with atomic_path(target) as unfinished:
        unfinished.write_bytes(content if isinstance(content, bytes) else content.encode())


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
