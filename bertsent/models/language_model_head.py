"""What BERT is pretrained with: hidden states in, logits of the vocabulary for a masked word out,
and of two labels for “does the second sentence follow?” (Devlin et al. 2019, section 3.1).

The built-in encoder came without these heads; those that are trained here go into a folder of
their own: their weights in half precision, named as in transformers' ``BertForPreTraining``, and a
*delta*, by which the last layers of the encoder were changed for this purpose. It is of no use
without its backbone. The decoder is tied: it is the encoder's own table of input vectors.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.files import atomic_path
from bertsent.models.backbone import load_backbone, weights_hash
from bertsent.models.folders import AGAIN, BASE, CONFIG, WEIGHTS, read_config

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

MOST_BYTES = 8_000_000  # of a folder's weights
DELTA = "delta."  # before the names of what is added to the encoder's parameters
_ARCHITECTURE = "BertForPreTraining"
_STORED = {  # our names, and those of the library
    "words.dense": "cls.predictions.transform.dense",
    "words.norm": "cls.predictions.transform.LayerNorm",
    "words.bias": "cls.predictions.bias",
    "following.dense": "bert.pooler.dense",
    "following.classifier": "cls.seq_relationship",
}


class MaskedWordHead(nn.Module):
    """Hidden states (…, H) in, logits of every word piece (…, V) out: dense, GELU, LayerNorm, then
    the dot product with each input vector, plus a bias for each piece.
    """

    def __init__(self, config: "PreTrainedConfig") -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        eps = getattr(config, "layer_norm_eps", 1e-12)  # DistilBERT's is fixed
        self.norm = nn.LayerNorm(config.hidden_size, eps=eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """Logits under the input vectors (V, H)."""
        transformed = self.norm(nn.functional.gelu(self.dense(hidden)))
        return nn.functional.linear(transformed, vectors, self.bias)


class NextSentenceHead(nn.Module):
    """The vector of [CLS] (B, H) in, two logits (B, 2) out: 0 it follows, 1 it is a random one."""

    def __init__(self, config: "PreTrainedConfig") -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.classifier = nn.Linear(config.hidden_size, 2)

    def forward(self, first: torch.Tensor) -> torch.Tensor:
        """Logits after the tanh that BERT calls its pooler."""
        return self.classifier(self.dense(first).tanh())


class LanguageModel(nn.Module):
    """An encoder with both heads of pretraining."""

    def __init__(self, bert: "PreTrainedModel") -> None:
        super().__init__()
        self.bert = bert
        self.words = MaskedWordHead(bert.config)
        self.following = NextSentenceHead(bert.config)

    def hidden(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The last hidden states (B, T, H)."""
        found = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        )
        return found.last_hidden_state

    def word_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """What stands at these hidden states (…, H): logits (…, V). To give only the places that
        are asked for saves most of the time.
        """
        return self.words(hidden, self.input_vectors)

    def next_logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """Whether the second text follows the first, of (B, T, H): logits (B, 2)."""
        return self.following(hidden[:, 0])

    @property
    def input_vectors(self) -> torch.Tensor:
        """The table (V, H) that both ends share."""
        return cast(nn.Embedding, self.bert.get_input_embeddings()).weight


def save_language_model(
    folder: Path, model: LanguageModel, extra: Mapping[str, bytes] | None = None
) -> None:
    """Write the heads over the built-in encoder, and by what its layers were changed.

    Args:
        folder: where it belongs; an older one there is replaced.
        model: its input vectors are those of the backbone.
        extra: further files by name.

    Raises:
        BadInput: the input vectors were trained, or too many layers.
        OSError: the disk is full or not writable.
    """
    backbone = load_backbone("builtin")
    tensors = _heads(model) | _delta(model.bert, backbone.model)
    halves = {name: value.detach().cpu().half().contiguous() for name, value in tensors.items()}
    weights = save(halves, metadata={"format": "pt"})
    BadInput.raise_if(
        len(weights) > MOST_BYTES,
        f"The weights take {len(weights) / 1e6:.1f} MB; {MOST_BYTES / 1e6:.0f} MB are allowed.",
        "Train fewer of the last layers.",
    )
    base = {"name": "builtin", "sha256": backbone.sha256}
    config = {**model.bert.config.to_dict(), "architectures": [_ARCHITECTURE], BASE: base}
    for private in ("_name_or_path", "transformers_version", "_attn_implementation_internal"):
        config.pop(private, None)
    config["weights_sha256"] = hashlib.sha256(weights).hexdigest()
    files = {CONFIG: (json.dumps(config, indent=2) + "\n").encode(), WEIGHTS: weights}
    with atomic_path(folder, replace_folder=True) as unfinished:
        unfinished.mkdir(parents=True)
        for name, content in {**files, **(extra or {})}.items():
            (unfinished / name).write_bytes(content)


def has_language_model(folder: Path) -> bool:
    """True for a folder that ``load_language_model`` reads."""
    try:
        config = read_config(folder)
    except BadCheckpoint:
        return False
    return config.get("architectures") == [_ARCHITECTURE] and bool(config.get(BASE))


def load_language_model(folder: Path) -> LanguageModel:
    """The built-in encoder, changed by the delta of the folder, under its heads; the same model for
    everybody as long as the weights stay.

    Raises:
        BadCheckpoint: the folder is damaged or belongs to another backbone.
    """
    path = folder / WEIGHTS
    BadCheckpoint.raise_if(
        not has_language_model(folder) or not path.is_file(),
        f"{folder.name} has no language-model head.",
        AGAIN,
    )
    return _load(folder, weights_hash(path))


def language_model_over(folder: Path, bert: "PreTrainedModel") -> LanguageModel:
    """The heads of the folder over an encoder that began as the built-in one, such as that of a
    checkpoint: the delta of the folder is added to its layers as they are now, and the decoder is
    its own table of input vectors. Over the encoder as it came this is ``load_language_model``.

    Args:
        folder: as ``load_language_model`` reads it.
        bert: its weights are changed.

    Raises:
        BadCheckpoint: the folder is damaged.
        BadInput: the encoder has another size.
    """
    own, other = load_language_model(folder).bert.state_dict(), bert.state_dict()
    same = own.keys() == other.keys() and all(own[n].shape == other[n].shape for n in own)
    BadInput.raise_if(
        not same,
        "The encoder does not have the size of the built-in one, whose heads these are.",
        "Choose a run on the built-in encoder.",
    )
    model = LanguageModel(bert)
    _put_in(model, load_file(folder / WEIGHTS))
    return model.eval().requires_grad_(False)


@lru_cache(maxsize=1)
def _load(folder: Path, sha256: str) -> LanguageModel:
    config, backbone = read_config(folder), load_backbone("builtin")
    fits = config.get("weights_sha256") == sha256
    fits = fits and config.get(BASE) == {"name": "builtin", "sha256": backbone.sha256}
    BadCheckpoint.raise_if(
        not fits, f"The weights of {folder.name} do not fit its {CONFIG} or the backbone.", AGAIN
    )
    model = LanguageModel(backbone.model)
    try:
        _put_in(model, load_file(folder / WEIGHTS))
    except (SafetensorError, KeyError, RuntimeError, OSError) as error:
        raise BadCheckpoint(f"The weights of {folder.name} are damaged.", AGAIN) from error
    return model.eval().requires_grad_(False)


@torch.no_grad()
def _put_in(model: LanguageModel, stored: Mapping[str, torch.Tensor]) -> None:
    heads = {name: value for name, value in model.named_parameters() if _library_name(name)}
    for name, value in heads.items():
        value.copy_(stored[_library_name(name)])
    for name, change in stored.items():
        if name.startswith(DELTA):
            parameter = model.bert.get_parameter(name.removeprefix(DELTA))
            parameter.add_(change.float().reshape(parameter.shape))


def _library_name(name: str) -> str:
    """What the library calls a parameter of the heads; empty for those of the encoder."""
    for own, stored in _STORED.items():
        if name == own or name.startswith(f"{own}."):
            return stored + name.removeprefix(own)
    return ""


def _heads(model: LanguageModel) -> dict[str, torch.Tensor]:
    named = ((_library_name(name), value) for name, value in model.named_parameters())
    return {name: value for name, value in named if name}


def _delta(bert: nn.Module, backbone: nn.Module) -> dict[str, torch.Tensor]:
    own, before = bert.state_dict(), backbone.state_dict()
    changed = {name for name in before if not torch.equal(own[name].cpu(), before[name])}
    BadInput.raise_if(
        any(not name.startswith("encoder.") for name in changed),
        "The input vectors of this model have been trained.",
        "Train it with frozen input vectors.",
    )
    return {f"{DELTA}{name}": own[name].cpu() - before[name] for name in sorted(changed)}
