"""Computed results in, files out that are whole or not there, in a folder of bounded size."""

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path

from bertsent.files import UNFINISHED, write_atomically

KEEP_BYTES = 10**9
STALE_SECONDS = 3_600  # after this a half-written file belongs to a process that died
_KEPT = (".safetensors", ".parquet")


def cache_key(*parts: object) -> str:
    """One SHA-256 over everything that a result depends on."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def write_to_cache(path: Path, data: bytes, limit: int = KEEP_BYTES) -> None:
    """Put ``data`` at ``path`` whole or not at all, then drop the folder's oldest files past
    ``limit`` bytes.

    A full or read-only disk only means that the work is done again next time.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
        evict_oldest(path.parent, limit)


def mark_used(path: Path) -> None:
    """Mark a kept file as used now, so that it is among the last to be dropped."""
    with suppress(OSError):
        os.utime(path)


def evict_oldest(folder: Path, limit: int) -> None:
    """Keep the most recently used files of a folder, ``limit`` bytes in all and at least one; other
    files are left alone.
    """
    now = time.time()
    kept, total = [], 0
    for path in folder.iterdir():
        with suppress(OSError):  # somebody else may be dropping files as well
            about = path.stat()
            if path.suffix in _KEPT:
                kept.append((about.st_mtime_ns, about.st_size, path))
            elif path.suffix == UNFINISHED and now - about.st_mtime > STALE_SECONDS:
                path.unlink()
    for place, (_, size, path) in enumerate(sorted(kept, reverse=True)):
        total += size
        if place and total > limit:
            with suppress(OSError):
                path.unlink()
