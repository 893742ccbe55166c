"""Arrays and plain facts in, safetensors files out, and back: whole or not at all, no pickle."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.data.cache import write_to_cache

KEEP_BYTES = 500_000_000  # past this the files that were not used for longest go first
_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class StoredArrays:
    """What is kept of a classifier or a computation: arrays, and facts that JSON can hold."""

    arrays: dict[str, np.ndarray]
    facts: dict[str, Any] = field(default_factory=dict)


def array_path(folder: Path, kind: str, key: str) -> Path:
    """Where something of that key is kept."""
    return folder / f"{kind}-{key[:32]}{_SUFFIX}"


def save_arrays(path: Path, stored: StoredArrays) -> None:
    """Keep ``stored`` at ``path``. A full or read-only disk only means that the work is done again
    next time.
    """
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(array) for name, array in stored.arrays.items()}
    facts = json.dumps(stored.facts)
    data = save(arrays, metadata={"facts": facts, "sha256": _digest(arrays, facts)})
    write_to_cache(path, data, KEEP_BYTES)


def load_arrays(path: Path) -> StoredArrays | None:
    """What was kept at ``path``; None when nothing was, or when a single bit of it is not as it was
    written.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
        if about["sha256"] != _digest(arrays, about["facts"]):
            return None
        os.utime(path)
        return StoredArrays(arrays, json.loads(about["facts"]))
    except (OSError, SafetensorError, KeyError, ValueError, TypeError):
        return None


def _digest(arrays: dict[str, np.ndarray], facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
