"""Computed results in, files out that are whole or not there, in a folder of bounded size.

Named arrays and plain facts go into one safetensors file with a digest, and back: no pickle.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from bertsent.files import UNFINISHED, write_atomically

KEEP_BYTES, KEEP_ARRAYS = 10**9, 500_000_000  # of a folder; of one that ``save_arrays`` fills
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


def array_path(folder: Path, kind: str, key: str) -> Path:
    """Where something of that key is kept."""
    return folder / f"{kind}-{key[:32]}.safetensors"


def save_arrays(path: Path, values: Mapping[str, Any]) -> int:
    """Keep arrays, and facts that JSON can hold, at ``path``, and return the size in bytes. A full
    or read-only disk only means that the work is done again next time.
    """
    arrays = {k: np.ascontiguousarray(v) for k, v in values.items() if isinstance(v, np.ndarray)}
    facts = json.dumps({name: value for name, value in values.items() if name not in arrays})
    data = save(arrays, metadata={"facts": facts, "sha256": _digest(arrays, facts)})
    write_to_cache(path, data, KEEP_ARRAYS)
    return len(data)


def load_arrays(path: Path) -> dict[str, Any] | None:
    """What was kept at ``path``, tuples as lists; None when nothing was, or when a single bit of it
    is not as it was written.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            # not a mapping
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if about["sha256"] != _digest(arrays, about["facts"]):
            return None
        mark_used(path)
        return arrays | json.loads(about["facts"])
    except (OSError, SafetensorError, KeyError, ValueError, TypeError):
        return None


def cached_arrays(path: Path, make: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """What was kept at ``path``; where nothing was, what ``make`` gives, kept for the next time."""
    kept: Mapping[str, Any] | None = load_arrays(path)
    if kept is None:
        kept = make()
        save_arrays(path, kept)
    return kept


def _digest(arrays: Mapping[str, np.ndarray], facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
