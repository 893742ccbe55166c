"""Small models that ship: arrays, words and facts of several in one file without pickles.

Numbers have half precision, words are one compressed array. The same models give the same bytes.
"""

import json
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from bertsent.errors import NotAvailable

WORDS = "words"


class StoredModel(NamedTuple):
    """What is kept of a model, and how many bytes of arrays it takes in the file."""

    values: dict[str, Any]
    size: int


def write_small_models(
    path: Path,
    models: Mapping[str, Mapping[str, Any]],
    *,
    precise: Collection[str] = (),
    one_vocabulary: bool = False,
) -> None:
    """Keep models in one file.

    Args:
        path: of the file; its folder is made.
        models: by name, what is to be kept of each: arrays, a list of ``words``, and what JSON can
            say.
        precise: names of models whose numbers need 32 bits.
        one_vocabulary: all have the same words, which are kept once.
    """
    arrays, facts = dict[str, np.ndarray](), dict[str, dict[str, Any]]()
    for name, kept in models.items():
        facts[name] = {}
        for key, value in kept.items():
            if key == WORDS:
                packed = zlib.compress("\n".join(value).encode(), 9)
                stored = WORDS if one_vocabulary else f"{name}/{WORDS}"
                arrays[stored] = np.frombuffer(packed, np.uint8)
            elif isinstance(value, np.ndarray):
                kind = np.float32 if name in precise else np.float16
                arrays[f"{name}/{key}"] = np.ascontiguousarray(value, kind)
            else:
                facts[name][key] = value
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(save(arrays, metadata={"facts": json.dumps(facts, sort_keys=True)}))


def read_small_models(path: Path) -> dict[str, StoredModel]:
    """What ``write_small_models`` kept, by name.

    Raises:
        NotAvailable: the file is missing or damaged.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            kept = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return {name: _stored(name, facts[name], kept) for name in facts}
    except (
        *(OSError, SafetensorError, zlib.error),
        *(KeyError, ValueError, TypeError, RuntimeError),
    ) as error:
        raise missing_models(path) from error


def missing_models(path: Path) -> NotAvailable:
    """The error that says so of a file."""
    return NotAvailable(
        f"The models in {path.name} are missing or damaged.",
        "Get assets/models of the repository again.",
    )


def _stored(name: str, facts: Mapping[str, Any], kept: Mapping[str, np.ndarray]) -> StoredModel:
    start = f"{name}/"
    own = {key.removeprefix(start): value for key, value in kept.items() if key.startswith(start)}
    size = sum(array.nbytes for array in own.values())
    words = own.pop(WORDS, kept.get(WORDS))
    values = {**own, **facts}
    if words is not None:
        values[WORDS] = zlib.decompress(words.tobytes()).decode().split("\n")
    return StoredModel(values, size)
