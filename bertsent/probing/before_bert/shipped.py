"""The networks from before BERT that ship: trained by the recipe, read from one small file."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bertsent.probing.before_bert.word_reader import READERS, WordReader
from bertsent.probing.small_models import (
    StoredModel,
    missing_models,
    read_small_models,
    write_small_models,
)
from bertsent.settings import ASSETS

SHIPPED_READERS = ASSETS / "models" / "before-bert"
READERS_FILE, READER_SCORES = "readers.safetensors", "scores.csv"


def write_readers(path: Path, readers: Mapping[str, WordReader]) -> None:
    """Keep readers of one vocabulary in one file, in half precision; the same readers give the same
    bytes.
    """
    arrays = {kind: reader.to_arrays() for kind, reader in readers.items()}
    write_small_models(path, arrays, one_vocabulary=True)


def read_readers(path: Path) -> dict[str, WordReader]:
    """The readers that ``write_readers`` kept, by kind.

    Raises:
        NotAvailable: the file is missing or damaged.
    """
    stored = read_small_models(path)
    try:
        return {kind: WordReader.from_arrays(kind, _single(stored[kind])) for kind in READERS}
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        raise missing_models(path) from error


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


def _single(stored: StoredModel) -> dict[str, Any]:
    """Its numbers in single precision."""
    return {
        name: value.astype(np.float32) if isinstance(value, np.ndarray) else value
        for name, value in stored.values.items()
    }
