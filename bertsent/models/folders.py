"""A model folder in, a checked configuration out. Nothing is built before this page says that it is sane.

A folder may come from a stranger: its ``config.json`` can ask for a million layers, its weights can be cut short or be
pickles. Only safetensors are read, only known families, only sane sizes.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from bertsent.errors import BadCheckpoint, NotAvailable

FAMILIES = ("bert", "distilbert")
WEIGHTS, CONFIG = "model.safetensors", "config.json"
_SANE = {"layers": (1, 48), "width": (8, 2048), "heads": (1, 32), "vocabulary": (5, 300_000), "positions": (16, 8192), "inner": (8, 16_384)}
_NAMES = {
    "bert": ("num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size", "max_position_embeddings", "intermediate_size"),
    "distilbert": ("n_layers", "dim", "n_heads", "vocab_size", "max_position_embeddings", "hidden_dim"),
}


@dataclass(frozen=True)
class Shape:
    """The size of a transformer encoder."""

    family: str
    layers: int
    width: int
    heads: int
    vocabulary: int
    positions: int


def inspect_folder(folder: Path) -> Shape:
    """Read and judge a model folder without building anything.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it holds no model that is read here, or one with impossible sizes or damaged weights.
    """
    if not folder.is_dir():
        raise NotAvailable(f"There is no model folder {folder.name}.", "Check the name.")
    shape = _shape(read_config(folder), folder.name)
    _check_weights(folder)
    return shape


def read_config(folder: Path) -> dict[str, object]:
    """The folder's ``config.json``.

    Raises:
        BadCheckpoint: it is missing or no JSON object.
    """
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadCheckpoint(f"{folder.name} is no model folder: it has no {CONFIG}.", "Choose a Hugging Face model folder.") from None
    except (OSError, ValueError, RecursionError):
        raise BadCheckpoint(f"{CONFIG} of {folder.name} is damaged.", "Export or download the model again.") from None
    if not isinstance(config, dict):
        raise BadCheckpoint(f"{CONFIG} of {folder.name} is damaged.", "Export or download the model again.")
    return config


def _shape(config: dict[str, object], name: str) -> Shape:
    family = config.get("model_type")
    if family not in FAMILIES:
        raise BadCheckpoint(f"{name} is of the kind “{str(family)[:40]}”.", f"These are known here: {', '.join(FAMILIES)}.")
    sizes = dict(zip(_SANE, (config.get(key) for key in _NAMES[family]), strict=True))
    for what, (low, high) in _SANE.items():
        value = sizes[what]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadCheckpoint(f"{name} asks for {what} = {str(value)[:20]}.", f"Possible is {low:,} to {high:,}.")
    if sizes["width"] % sizes["heads"]:
        raise BadCheckpoint(f"{name}: {sizes['heads']} heads do not divide a width of {sizes['width']}.", "Repair its config.json.")
    return Shape(family, *(size for what, size in sizes.items() if what != "inner"))


def _check_weights(folder: Path) -> None:
    """Read the header of the weights: a truncated or foreign file shows itself there."""
    from safetensors import SafetensorError, safe_open

    path = folder / WEIGHTS
    if not path.is_file():
        remedy = "Save it as safetensors: pickled weights can run code and are not read."
        raise BadCheckpoint(f"{folder.name} has no {WEIGHTS}.", remedy)
    try:
        with safe_open(path, framework="numpy") as weights:
            weights.keys()
    except (SafetensorError, OSError):
        raise BadCheckpoint(f"The weights of {folder.name} are damaged.", "Export or download the model again.") from None
