"""A model folder in, its checked size out; no model is built before this module has accepted it.

A *thin* folder holds the trained layers alone; its ``config.json`` names the backbone whose input
embeddings and tokenizer they go with, and the hash of that backbone's weights. A folder may come
from a stranger: its ``config.json`` can ask for a million layers, its weights can be cut short or
be pickles. Only safetensors, known families and possible sizes are read.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from bertsent.errors import BadCheckpoint, NotAvailable

FAMILIES = ("bert", "distilbert")
BASE = "bertsent_base"  # in config.json of a thin folder: {"name": …, "sha256": …}
WEIGHTS, CONFIG = "model.safetensors", "config.json"
AGAIN = "Export or download the model again."
_SANE = {
    "layers": (1, 48),
    "width": (8, 2048),
    "heads": (1, 32),
    "vocabulary": (5, 300_000),
    "positions": (16, 8192),
    "inner": (8, 16_384),
    "labels": (1, 1_000),  # the library makes a name for each
}
_LONGEST_CONFIG = 1_000_000  # characters
_NAMES = {
    "bert": (
        "num_hidden_layers",
        "hidden_size",
        "num_attention_heads",
        "vocab_size",
        "max_position_embeddings",
        "intermediate_size",
        "num_labels",
    ),
    "distilbert": (
        "n_layers",
        "dim",
        "n_heads",
        "vocab_size",
        "max_position_embeddings",
        "hidden_dim",
        "num_labels",
    ),
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
    base: str = ""  # the backbone that a thin folder goes with
    base_sha256: str = ""


def inspect_folder(folder: Path) -> EncoderSize:
    """Read and judge a model folder without building anything.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it holds no model that is read here, or one with impossible sizes or damaged
            weights.
    """
    if not folder.is_dir():
        raise NotAvailable(f"There is no model folder {folder.name}.", "Check the name.")
    config = read_config(folder)
    sizes = _sizes(config, folder.name)
    base, base_sha256 = _base(config, folder.name)
    _check_weights(folder, _fewest_weights(sizes, thin=bool(base)))
    return EncoderSize(
        family=str(config["model_type"]),
        layers=sizes["layers"],
        width=sizes["width"],
        heads=sizes["heads"],
        vocabulary=sizes["vocabulary"],
        positions=sizes["positions"],
        base=base,
        base_sha256=base_sha256,
    )


def local_folder(name: str) -> Path | None:
    """The folder whose path ``name`` is; None when it is not a path of any. No name is no path,
    although ``Path("")`` is the current folder.
    """
    if not name.strip():
        return None
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long for a name, the home of nobody, a NUL
        return None


def read_config(folder: Path) -> dict[str, object]:
    """The folder's ``config.json``.

    Raises:
        BadCheckpoint: it is missing or no JSON object.
    """
    try:
        with (folder / CONFIG).open(encoding="utf-8") as file:
            config = json.loads(file.read(_LONGEST_CONFIG))
    except FileNotFoundError:
        raise BadCheckpoint(
            f"{folder.name} is no model folder: it has no {CONFIG}.",
            "Choose a Hugging Face model folder.",
        ) from None
    except (OSError, ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise BadCheckpoint(f"{CONFIG} of {folder.name} is damaged.", AGAIN)
    return config


def _sizes(config: dict[str, object], name: str) -> dict[str, int]:
    family = config.get("model_type")
    if not isinstance(family, str) or family not in FAMILIES:
        known = f"These are known here: {', '.join(FAMILIES)}."
        if isinstance(family, str):
            raise BadCheckpoint(f"{name} is of the kind “{family[:40]}”.", known)
        raise BadCheckpoint(f"{CONFIG} of {name} does not say what kind of model it is.", known)
    sizes: dict[str, int] = {}
    for what, key in zip(_SANE, _NAMES[family], strict=True):
        value, (low, high) = config.get(key, 2 if what == "labels" else None), _SANE[what]
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadCheckpoint(f"{CONFIG} of {name} gives no whole number as {key}.", AGAIN)
        if not low <= value <= high:
            raise BadCheckpoint(
                f"{name} asks for {what} = {str(value)[:20]}.", f"Possible is {low:,} to {high:,}."
            )
        sizes[what] = value
    if sizes["width"] % sizes["heads"]:
        raise BadCheckpoint(
            f"{name}: {sizes['heads']} heads do not divide a width of {sizes['width']}.",
            "Repair its config.json.",
        )
    return sizes


def _base(config: dict[str, object], name: str) -> tuple[str, str]:
    base = config.get(BASE)
    if base in (None, {}):
        return "", ""
    sha256 = base.get("sha256") if isinstance(base, dict) else None
    known = isinstance(base, dict) and base.get("name") == "builtin"
    if not known or not isinstance(sha256, str) or config["model_type"] != "bert":
        raise BadCheckpoint(
            f"{name} goes with a backbone that is not known here.", "Export it as a whole model."
        )
    return "builtin", sha256


def _fewest_weights(sizes: dict[str, int], *, thin: bool) -> int:
    width = sizes["width"]
    vectors = 0 if thin else sizes["vocabulary"] + sizes["positions"]
    return width * (vectors + sizes["layers"] * (4 * width + 2 * sizes["inner"]))


def _check_weights(folder: Path, fewest: int) -> None:
    """Read the header of the weights, which shows a truncated, foreign or much too small file."""
    from safetensors import SafetensorError, safe_open

    path = folder / WEIGHTS
    if not path.is_file():
        remedy = "Save it as safetensors: pickled weights can run code and are not read."
        raise BadCheckpoint(f"{folder.name} has no {WEIGHTS}.", remedy)
    if path.stat().st_size < fewest:  # not a byte each; building it first would cost gigabytes
        raise BadCheckpoint(
            f"The weights of {folder.name} are smaller than its config.json says.",
            AGAIN,
        )
    try:
        with safe_open(path, framework="numpy") as weights:
            weights.keys()
    except (SafetensorError, OSError):
        raise BadCheckpoint(f"The weights of {folder.name} are damaged.", AGAIN) from None
