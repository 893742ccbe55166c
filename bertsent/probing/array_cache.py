"""Named arrays and plain facts in, one safetensors file out, and back: whole or not at all, no
pickle.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bertsent.data.cache import write_to_cache

KEEP_BYTES = 500_000_000  # above this the least recently used files go first


def array_path(folder: Path, kind: str, key: str) -> Path:
    """Where something of that key is kept."""
    return folder / f"{kind}-{key[:32]}.safetensors"


def save_arrays(path: Path, values: Mapping[str, Any]) -> int:
    """Keep arrays, and facts that JSON can hold, at ``path``, and return the size in bytes. A full
    or read-only disk only means that the work is done again next time.
    """
    from safetensors.numpy import save

    arrays = {k: np.ascontiguousarray(v) for k, v in values.items() if isinstance(v, np.ndarray)}
    facts = json.dumps({name: value for name, value in values.items() if name not in arrays})
    data = save(arrays, metadata={"facts": facts, "sha256": _digest(arrays, facts)})
    write_to_cache(path, data, KEEP_BYTES)
    return len(data)


def load_arrays(path: Path) -> dict[str, Any] | None:
    """What was kept at ``path``, tuples as lists; None when nothing was, or when a single bit of it
    is not as it was written.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
        if about["sha256"] != _digest(arrays, about["facts"]):
            return None
        os.utime(path)
        return arrays | json.loads(about["facts"])
    except (OSError, SafetensorError, KeyError, ValueError, TypeError):
        return None


def _digest(arrays: Mapping[str, np.ndarray], facts: str) -> str:
    digest = hashlib.sha256(facts.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
