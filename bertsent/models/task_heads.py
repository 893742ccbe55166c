"""One encoder and a linear head for each of several tasks: a folder of them in, a ``BertForTask``
for each task out, all over the same encoder in memory.

The folder is thin (see ``folders``): the trained layers in half precision, named as in a thin
checkpoint, and ``heads.<task>.weight`` and ``heads.<task>.bias``. The input vectors and the
tokenizer are those of the backbone.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import safe_open
from safetensors.torch import save

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.files import atomic_path
from bertsent.models.backbone import load_backbone, load_encoder, load_tokenizer, weights_hash
from bertsent.models.folders import AGAIN, BASE, CONFIG, WEIGHTS, inspect_folder
from bertsent.models.heads_card import CARD, HeadsCard, read_heads_card
from bertsent.models.pooling import POOLINGS
from bertsent.models.task_model import BertForTask
from bertsent.text.tokens import ReviewTokenizer, check_length

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Head = tuple[torch.Tensor, torch.Tensor]  # weight (outputs, width) and bias (outputs,)


@dataclass(frozen=True)
class TaskHeads:
    """The loaded folder: its card, and a model for each task; they share one encoder."""

    card: HeadsCard
    tokenizer: ReviewTokenizer
    models: Mapping[str, BertForTask]


def save_heads(
    folder: Path,
    bert: "PreTrainedModel",
    heads: Mapping[str, Head],
    card: HeadsCard,
) -> None:
    """Write an encoder whose embeddings were frozen, and the heads over it.

    Args:
        folder: where it belongs; an older one there is replaced.
        bert: the encoder over ``card.backbone``.
        heads: the head of each task of the card.
        card: its ``sha256`` is filled in here.

    Raises:
        BadInput: the input embeddings are not those of the backbone, or a head does not fit.
        OSError: the disk is full or not writable.
    """
    backbone = load_backbone(card.backbone)
    own, frozen = bert.state_dict(), backbone.model.state_dict()
    layers = {name: value for name, value in own.items() if name.startswith("encoder.")}
    BadInput.raise_if(
        any(not torch.equal(own[name], frozen[name]) for name in frozen.keys() - layers.keys()),
        "The input embeddings of this model have been trained.",
        "Train it with frozen embeddings.",
    )
    tensors = {f"bert.{name}": value.half() for name, value in layers.items()}
    for name, task in card.heads.items():
        (weight, bias), shape = heads[name], (task.outputs, bert.config.hidden_size)
        BadInput.raise_if(
            weight.shape != shape or bias.shape != shape[:1],
            f"The head of “{name}” does not fit its task.",
        )
        tensors |= {f"heads.{name}.weight": weight.float(), f"heads.{name}.bias": bias.float()}
    weights = save(
        {name: value.detach().cpu().contiguous() for name, value in tensors.items()},
        metadata={"format": "pt"},
    )
    card = replace(card, sha256=hashlib.sha256(weights).hexdigest())
    files = {CARD: card.to_json(), CONFIG: _config(bert, card, backbone.sha256), WEIGHTS: weights}
    with atomic_path(folder, replace_folder=True) as unfinished:
        unfinished.mkdir(parents=True)
        for name, content in files.items():
            (unfinished / name).write_bytes(content)


def load_heads(folder: Path) -> TaskHeads:
    """The models of a folder; the same ones for everybody as long as its weights stay.

    Raises:
        NotAvailable: there is no such folder.
        BadCheckpoint: it is damaged.
    """
    inspect_folder(folder)
    return _load(folder, weights_hash(folder / WEIGHTS))


@lru_cache(maxsize=1)
def _load(folder: Path, sha256: str) -> TaskHeads:
    shape, card = inspect_folder(folder), read_heads_card(folder)
    BadCheckpoint.raise_if(
        card.sha256 != sha256, f"The weights of {folder.name} changed after they were saved.", AGAIN
    )
    BadCheckpoint.raise_if(
        card.pooling not in POOLINGS or card.max_length > shape.positions,
        f"{CARD} of {folder.name} does not fit its config.json.",
        AGAIN,
    )
    check_length(card.max_length)
    bert = load_encoder(folder, shape)
    with safe_open(folder / WEIGHTS, framework="pt") as weights:
        models = {name: _model(folder, bert, card, name, weights) for name in card.heads}
    return TaskHeads(card, load_tokenizer(folder, shape), models)


def _model(
    folder: Path, bert: "PreTrainedModel", card: HeadsCard, name: str, weights: Any
) -> BertForTask:
    pooling: Any = card.pooling  # one of POOLINGS
    model = BertForTask(bert, pooling, task=card.heads[name])
    with torch.no_grad():
        for part, own in model.classifier.named_parameters():
            stored, wanted = f"heads.{name}.{part}", own.shape
            there = stored in weights.keys()  # noqa: SIM118 - it is no dictionary
            found = weights.get_tensor(stored) if there else torch.empty(0)
            BadCheckpoint.raise_if(
                found.shape != wanted or not bool(found.isfinite().all()),
                f"The head “{name[:40]}” of {folder.name} is missing or damaged.",
                AGAIN,
            )
            own.copy_(found)
    return model.eval()


def _config(bert: "PreTrainedModel", card: HeadsCard, sha256: str) -> bytes:
    """``config.json`` of the encoder, with the backbone that it goes with."""
    import json

    config = {**bert.config.to_dict(), BASE: {"name": card.backbone, "sha256": sha256}}
    for private in ("_name_or_path", "transformers_version", "_attn_implementation_internal"):
        config.pop(private, None)
    return (json.dumps(config, indent=2) + "\n").encode()
