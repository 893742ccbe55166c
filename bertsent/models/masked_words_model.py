"""Tokens in, the words behind masks out: an encoder under the head that BERT is pretrained with,
whose decoder is the encoder's own table of input vectors.

A folder of such a model *is* a stock ``BertForMaskedLM`` (or ``DistilBertForMaskedLM``). Where a
run begins, its head is one that has been trained already, if there is such a one: for the built-in
encoder the one that ships, with the delta of the last layers that it was trained with, for others
the one that lies beside their weights.
"""

import copy
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from bertsent.errors import BadInput, NotAvailable
from bertsent.models.folders import SHIPPED_WORDS, WEIGHTS
from bertsent.models.head_origins import OWN, RANDOM, SHIPPED
from bertsent.models.language_model_head import (
    MaskedWordHead,
    has_language_model,
    load_language_model,
)
from bertsent.models.task_model import BertForTask
from bertsent.tasks.masked_words import MASKED_WORDS

if TYPE_CHECKING:
    from transformers import PreTrainedModel

STOCK = {"bert": "BertForMaskedLM", "distilbert": "DistilBertForMaskedLM"}
_STORED = {  # our names, and those of the library
    "bert": {
        "dense.weight": "cls.predictions.transform.dense.weight",
        "dense.bias": "cls.predictions.transform.dense.bias",
        "norm.weight": "cls.predictions.transform.LayerNorm.weight",
        "norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "bias": "cls.predictions.bias",
    },
    "distilbert": {
        "dense.weight": "vocab_transform.weight",
        "dense.bias": "vocab_transform.bias",
        "norm.weight": "vocab_layer_norm.weight",
        "norm.bias": "vocab_layer_norm.bias",
        "bias": "vocab_projector.bias",
    },
}
_FORMER = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}  # of 2018


class BertForMaskedWords(BertForTask):
    """An encoder with the head that tells hidden words.

    Raises:
        BadInput: the encoder was pretrained with a head of another kind.
    """

    def __init__(self, bert: "PreTrainedModel") -> None:
        nn.Module.__init__(self)
        config = bert.config
        activation = getattr(config, "hidden_act", getattr(config, "activation", "gelu"))
        BadInput.raise_if(
            activation != "gelu",
            f"The head of this encoder would need the activation “{str(activation)[:30]}”.",
            "Choose another encoder: bertsent has the usual one, GELU.",
        )
        self.task, self.bert, self.pooling, self.pooler = MASKED_WORDS, bert, "cls", None
        self.dropout = nn.Dropout(0.0)
        self.classifier = MaskedWordHead(config)  # type: ignore[assignment] # no linear one

    @property
    def head(self) -> MaskedWordHead:
        """Dense, layer norm and a bias for each word piece."""
        return cast(MaskedWordHead, self.classifier)

    @property
    def input_vectors(self) -> torch.Tensor:
        """The table (V, H) that both ends share."""
        return cast(nn.Embedding, self.bert.get_input_embeddings()).weight

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Logits (n, V) of the places where the third tensor (B, T) is True, row by row; without it
        of all, (B, T, V).
        """
        found = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        hidden = found if token_type_ids is None else found[token_type_ids]
        return self.head(hidden, self.input_vectors)

    def classify(self, hidden: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Nothing: such a model says nothing of a whole text.

        Raises:
            NotAvailable: always.
        """
        raise NotAvailable("This model fills in words.", "Fine-tune it first.")


def masked_words_model(name: str, folder: Path, bert: "PreTrainedModel") -> BertForMaskedWords:
    """The encoder under the best head there is; its ``begins`` says where that comes from.

    Args:
        name: of the backbone.
        folder: its weights.
        bert: the encoder of that folder. A random head takes torch's random state.

    Raises:
        BadCheckpoint: the head that ships is damaged.
        BadInput: the encoder was pretrained with a head of another kind.
    """
    if name == "builtin" and has_language_model(SHIPPED_WORDS):
        whole = load_language_model(SHIPPED_WORDS)
        model = BertForMaskedWords(copy.deepcopy(whole.bert).requires_grad_(True))
        model.head.load_state_dict(whole.words.state_dict())
        model.begins = SHIPPED
        return model
    model = BertForMaskedWords(bert)
    if own := stored_head(folder, bert.config.model_type):
        shapes = {name: value.shape for name, value in model.head.state_dict().items()}
        if {name: value.shape for name, value in own.items()} == shapes:
            model.head.load_state_dict(own)
            model.begins = OWN
            return model
    nn.init.normal_(model.head.dense.weight, std=0.02)  # as the library draws it
    nn.init.zeros_(model.head.dense.bias)
    model.begins = RANDOM
    return model


def stored_head(folder: Path, family: str) -> dict[str, torch.Tensor]:
    """The head that lies beside the weights of an encoder; {} where there is none."""
    try:
        with safe_open(folder / WEIGHTS, framework="pt") as weights:
            names = set(weights.keys())
            found = {own: _named(stored, names) for own, stored in _STORED[family].items()}
            if not all(found.values()):
                return {}
            return {own: weights.get_tensor(name).float() for own, name in found.items()}
    except (SafetensorError, OSError):
        return {}


def _named(stored: str, names: set[str]) -> str:
    """What a tensor is called in a file; "" where it has none of its names."""
    former = stored
    for new, old in _FORMER.items():
        former = former.replace(new, old)
    return next((name for name in (stored, former) if name in names), "")


def model_tensors(model: BertForMaskedWords) -> dict[str, torch.Tensor]:
    """Encoder and head as the library names them; the decoder is tied and not among them."""
    family, encoder = model.bert.config.model_type, model.bert.state_dict()
    tensors = {f"{family}.{name}": value.detach().float() for name, value in encoder.items()}
    head = model.head.state_dict()
    return tensors | {stored: head[own].float() for own, stored in _STORED[family].items()}
