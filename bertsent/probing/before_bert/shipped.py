"""The networks from before BERT that ship: trained by the recipe, read from one small file."""

import hashlib
import json
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from bertsent.errors import NotAvailable
from bertsent.probing.before_bert.word_reader import READERS, WordReader
from bertsent.settings import ASSETS

SHIPPED_READERS = ASSETS / "models" / "before-bert"
READERS_FILE, READER_SCORES = "readers.safetensors", "scores.csv"
_WORDS = "words"


def write_readers(path: Path, readers: Mapping[str, WordReader]) -> None:
    """Keep readers of one vocabulary in one file, in half precision; the same readers give the same
    bytes.
    """
    arrays, facts = dict[str, np.ndarray](), dict[str, dict[str, Any]]()
    for kind, reader in readers.items():
        facts[kind] = {}
        for name, value in reader.to_arrays().items():
            if isinstance(value, np.ndarray):
                arrays[f"{kind}/{name}"] = np.ascontiguousarray(value, np.float16)
            elif name == _WORDS:
                packed = zlib.compress("\n".join(value).encode(), 9)
                arrays[_WORDS] = np.frombuffer(packed, np.uint8)
            else:
                facts[kind][name] = value
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(save(arrays, metadata={"facts": json.dumps(facts, sort_keys=True)}))


def read_readers(path: Path) -> dict[str, WordReader]:
    """The readers that ``write_readers`` kept, by kind.

    Raises:
        NotAvailable: the file is missing or damaged.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            kept = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        words = zlib.decompress(kept.pop(_WORDS).tobytes()).decode().split("\n")
        return {
            kind: WordReader.from_arrays(kind, _arrays(kept, kind) | facts[kind] | {_WORDS: words})
            for kind in READERS
        }
    except (OSError, SafetensorError, zlib.error, KeyError, ValueError, RuntimeError) as error:
        raise NotAvailable(
            f"The networks from before BERT in {path.name} are missing or damaged.",
            "Get assets/models/before-bert of the repository again.",
        ) from error


def shipped_readers() -> dict[str, WordReader]:
    """The readers that ship, by kind, loaded once.

    Raises:
        NotAvailable: the file is missing or damaged.
    """
    return _load(SHIPPED_READERS / READERS_FILE)


@lru_cache(maxsize=1)
def readers_hash() -> str:
    """What tells the weights that ship from others; empty where there are none."""
    path = SHIPPED_READERS / READERS_FILE
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@lru_cache(maxsize=1)
def reader_scores() -> pd.DataFrame | None:
    """Columns kind, set, n, right, low, high: how often each was right when it was made; None where
    that is not here.
    """
    path = SHIPPED_READERS / READER_SCORES
    return pd.read_csv(path) if path.is_file() else None


@lru_cache(maxsize=2)
def _load(path: Path) -> dict[str, WordReader]:
    return read_readers(path)


def _arrays(kept: Mapping[str, np.ndarray], kind: str) -> dict[str, Any]:
    start = f"{kind}/"
    return {
        name.removeprefix(start): value.astype(np.float32)
        for name, value in kept.items()
        if name.startswith(start)
    }
