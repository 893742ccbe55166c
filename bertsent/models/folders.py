"""A model folder in, its checked size out; no model is built before this module has accepted it.

A *thin* folder holds the trained layers alone; its ``config.json`` names the backbone whose input
embeddings and tokenizer they go with, and the hash of that backbone's weights. A folder may come
from a stranger: its ``config.json`` can ask for a million layers, its weights can be cut short or
be pickles. Only safetensors, known families and possible sizes are read.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.settings import ASSETS

FAMILIES = ("bert", "distilbert")
BASE = "bertsent_base"  # in config.json of a thin folder: {"name": …, "sha256": …}
WEIGHTS, CONFIG = "model.safetensors", "config.json"
SHIPPED_WORDS = ASSETS / "models" / "words"  # the heads of pretraining
AGAIN = "Export or download the model again."
_LONGEST_CONFIG = 1_000_000  # characters
_SIZES = {  # the possible values, and the names in config.json of BERT and DistilBERT
    "layers": (1, 48, "num_hidden_layers", "n_layers"),
    "width": (8, 2048, "hidden_size", "dim"),
    "heads": (1, 32, "num_attention_heads", "n_heads"),
    "vocabulary": (5, 300_000, "vocab_size", "vocab_size"),
    "positions": (16, 8192, "max_position_embeddings", "max_position_embeddings"),
    "inner": (8, 16_384, "intermediate_size", "hidden_dim"),
    "labels": (1, 1_000, "num_labels", "num_labels"),  # the library makes a name for each
}


@dataclass(frozen=True)
class EncoderSize:
    """The size of a transformer encoder."""

    family: str
    layers: int
    width: int
    heads: int
    vocabulary: int
    positions: int
    inner: int  # width of the feed-forward layers
    labels: int
    base: str = ""  # the backbone that a thin folder goes with
    base_sha256: str = ""


def inspect_folder(folder: Path) -> EncoderSize:
    """Check a model folder without building anything.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it has no supported model, or one with impossible sizes or damaged weights.
    """
    NotAvailable.raise_if(
        not folder.is_dir(), f"There is no model folder {folder.name}.", "Check the name."
    )
    config = read_config(folder)
    family = config.get("model_type")
    BadCheckpoint.raise_if(
        family not in FAMILIES,
        f"{CONFIG} of {folder.name} has the unsupported model_type “{str(family)[:40]}”.",
        f"Supported are {', '.join(FAMILIES)}.",
    )
    found = EncoderSize(str(family), **_sizes(config, folder.name), **_base(config, folder.name))
    vectors = 0 if found.base else found.vocabulary + found.positions
    fewest = found.width * (vectors + found.layers * (4 * found.width + 2 * found.inner))
    _check_weights(folder, fewest)
    return found


def local_folder(name: str) -> Path | None:
    """The folder at the path ``name``, if there is one. An empty name is not a path, although
    ``Path("")`` is the current folder.
    """
    if not name.strip():
        return None
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long, an unknown user, a NUL
        return None


def folder_title(name: str) -> str:
    """What a backbone is called on screen: of a path its last part, of a checkpoint of a run both
    its run and its step.
    """
    path = Path(name)
    if not path.is_absolute():
        return name
    return f"{path.parts[-3]}/{path.name}" if path.parent.name == "checkpoints" else path.name


def read_config(folder: Path) -> dict[str, object]:
    """The folder's ``config.json``.

    Raises:
        BadCheckpoint: it is missing or not a JSON object.
    """
    try:
        with (folder / CONFIG).open(encoding="utf-8") as file:
            config = json.loads(file.read(_LONGEST_CONFIG))
    except FileNotFoundError:
        raise BadCheckpoint(
            f"{folder.name} is not a model folder: it has no {CONFIG}.",
            "Choose a Hugging Face model folder.",
        ) from None
    except (OSError, ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise BadCheckpoint(f"{CONFIG} of {folder.name} is damaged.", AGAIN)
    return config


def _sizes(config: dict[str, object], name: str) -> dict[str, Any]:
    sizes: dict[str, int] = {}
    for what, (low, high, *keys) in _SIZES.items():
        key = keys[FAMILIES.index(str(config["model_type"]))]
        value = config.get(key, 2 if what == "labels" else None)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadCheckpoint(f"{CONFIG} of {name} has no whole number as {key}.", AGAIN)
        BadCheckpoint.raise_if(
            not low <= value <= high,
            f"{CONFIG} of {name} has {key} = {str(value)[:20]}.",
            f"It must be from {low:,} to {high:,}.",
        )
        sizes[what] = value
    BadCheckpoint.raise_if(
        sizes["width"] % sizes["heads"],
        f"{CONFIG} of {name}: {sizes['heads']} heads do not divide a width of {sizes['width']}.",
        AGAIN,
    )
    return sizes


def _base(config: dict[str, object], name: str) -> dict[str, Any]:
    base = config.get(BASE)
    if base in (None, {}):
        return {}
    known = isinstance(base, dict) and base.get("name") == "builtin"
    sha256 = base.get("sha256") if isinstance(base, dict) else None
    if not known or not isinstance(sha256, str) or config["model_type"] != "bert":
        raise BadCheckpoint(f"{name} needs an unknown backbone.", "Export it as a whole model.")
    return {"base": "builtin", "base_sha256": sha256}


def _check_weights(folder: Path, fewest: int) -> None:
    """Read the header of the weights, which shows a truncated, foreign or much too small file."""
    path, name = folder / WEIGHTS, folder.name
    BadCheckpoint.raise_if(
        not path.is_file(),
        f"{name} has no {WEIGHTS}.",
        "Save it as safetensors: pickled weights can run code and are not read.",
    )
    BadCheckpoint.raise_if(  # less than a byte each; building it first would cost gigabytes
        path.stat().st_size < fewest,
        f"The weights of {name} are smaller than its config.json says.",
        AGAIN,
    )
    try:
        with safe_open(path, framework="numpy") as weights:
            weights.keys()
    except (SafetensorError, OSError):
        raise BadCheckpoint(f"The weights of {name} are damaged.", AGAIN) from None
