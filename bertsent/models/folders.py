"""A model folder in, a checked configuration out. Nothing is built before this page says that it is
sane.

A *thin* folder holds the trained layers alone; its ``config.json`` names the backbone whose input
vectors and tokenizer they
go with, and the hash of that backbone's weights. A folder may come from a stranger: its
``config.json`` can ask for a million
layers, its weights can be cut short or be pickles. Only safetensors are read, only known families,
only sane sizes.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from bertsent.errors import BadCheckpoint, NotAvailable

FAMILIES = ("bert", "distilbert")
BASE = "bertsent_base"  # in config.json of a thin folder: {"name": …, "sha256": …}
WEIGHTS, CONFIG = "model.safetensors", "config.json"
_SANE = {
    "layers": (1, 48),
    "width": (8, 2048),
    "heads": (1, 32),
    "vocabulary": (5, 300_000),
    "positions": (16, 8192),
    "inner": (8, 16_384),
}
_LABELS = (1, 1_000)  # the library makes a name for each
_LONGEST_CONFIG = 1_000_000  # characters
_NAMES = {
    "bert": (
        "num_hidden_layers",
        "hidden_size",
        "num_attention_heads",
        "vocab_size",
        "max_position_embeddings",
        "intermediate_size",
    ),
    "distilbert": (
        "n_layers",
        "dim",
        "n_heads",
        "vocab_size",
        "max_position_embeddings",
        "hidden_dim",
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
        config["model_type"],
        *(size for what, size in sizes.items() if what != "inner"),
        base,
        base_sha256,
    )


def local_folder(name: str) -> Path | None:
    """The folder whose path ``name`` is; None when it is not a path of any."""
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
        raise BadCheckpoint(
            f"{CONFIG} of {folder.name} is damaged.", "Export or download the model again."
        ) from None
    if not isinstance(config, dict):
        raise BadCheckpoint(
            f"{CONFIG} of {folder.name} is damaged.", "Export or download the model again."
        )
    return config


def _sizes(config: dict[str, object], name: str) -> dict[str, int]:
    family = config.get("model_type")
    if family not in FAMILIES:
        raise BadCheckpoint(
            f"{name} is of the kind “{str(family)[:40]}”.",
            f"These are known here: {', '.join(FAMILIES)}.",
        )
    sizes = dict(zip(_SANE, (config.get(key) for key in _NAMES[family]), strict=True))
    for what, value in {**sizes, "labels": config.get("num_labels", 2)}.items():
        low, high = _LABELS if what == "labels" else _SANE[what]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadCheckpoint(
                f"{name} asks for {what} = {str(value)[:20]}.", f"Possible is {low:,} to {high:,}."
            )
    if sizes["width"] % sizes["heads"]:
        raise BadCheckpoint(
            f"{name}: {sizes['heads']} heads do not divide a width of {sizes['width']}.",
            "Repair its config.json.",
        )
    return sizes


def _base(config: dict[str, object], name: str) -> tuple[str, str]:
    base = config.get(BASE, {})
    if base == {}:
        return "", ""
    named = (
        isinstance(base, dict)
        and base.get("name") == "builtin"
        and isinstance(base.get("sha256"), str)
    )
    if not named or config["model_type"] != "bert":
        raise BadCheckpoint(
            f"{name} goes with a backbone that is not known here.", "Export it as a whole model."
        )
    return base["name"], base["sha256"]


def _fewest_weights(sizes: dict[str, int], *, thin: bool) -> int:
    width = sizes["width"]
    vectors = 0 if thin else sizes["vocabulary"] + sizes["positions"]
    return width * (vectors + sizes["layers"] * (4 * width + 2 * sizes["inner"]))


def _check_weights(folder: Path, fewest: int) -> None:
    """Read the header of the weights: a truncated or foreign file, or one much too small, shows
    itself there.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / WEIGHTS
    if not path.is_file():
        remedy = "Save it as safetensors: pickled weights can run code and are not read."
        raise BadCheckpoint(f"{folder.name} has no {WEIGHTS}.", remedy)
    if (
        path.stat().st_size < fewest
    ):  # a byte each would not be enough; building it first would cost gigabytes
        raise BadCheckpoint(
            f"The weights of {folder.name} are smaller than its config.json says.",
            "Export or download the model again.",
        )
    try:
        with safe_open(path, framework="numpy") as weights:
            weights.keys()
    except (SafetensorError, OSError):
        raise BadCheckpoint(
            f"The weights of {folder.name} are damaged.", "Export or download the model again."
        ) from None
