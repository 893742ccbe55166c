"""One layer of a model and one review in, its multi-head attention out, step by step in NumPy:
query, key and value, weights, the heads side by side, the output projection, sum and normalisation.

Vaswani et al. 2017, section 3.2: headᵢ = softmax(QᵢKᵢᵀ / √d) Vᵢ and
MultiHead = Concat(head₁ … head_h) W^O; BERT adds the layer's input and normalises. Every number is
worked out in double precision from the weights that answer and compared with what the model itself
computes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from bertsent.errors import BadInput

if TYPE_CHECKING:
    import torch

    from bertsent.probing.loaded_model import LoadedModel

# of the original (Devlin et al. 2019, section 3), in the order of ``model_card``
BERT_BASE = (12, 12, 768, 64, 3072, 30_522, 512, 109_482_240)


@dataclass(frozen=True)
class AttentionSteps:
    """The attention of layer ``layer``, from 0, for T tokens, H heads of width d, ``inputs`` (T,
    H·d): queries, keys and values (H, T, d); ``projection`` (H·d, H·d) is W^O, with its bias; and
    what the model computed, ``own_weights`` (H, T, T) and ``own_output`` (T, H·d).
    """

    layer: int
    inputs: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    projection: np.ndarray
    bias: np.ndarray
    gain: np.ndarray
    shift: np.ndarray
    epsilon: float
    own_weights: np.ndarray
    own_output: np.ndarray

    @cached_property
    def scores(self) -> np.ndarray:
        """(H, T, T): QKᵀ / √d."""
        return self.queries @ self.keys.transpose(0, 2, 1) / np.sqrt(self.queries.shape[-1])

    @cached_property
    def weights(self) -> np.ndarray:
        """(H, T, T): softmax of each row of the scores."""
        return softmax(self.scores, axis=-1)

    @cached_property
    def gathered(self) -> np.ndarray:
        """(H, T, d): what each head gathers for each token, weights times values."""
        return self.weights @ self.values

    @cached_property
    def side_by_side(self) -> np.ndarray:
        """(T, H·d): the heads in one row a token, Concat(head₁ … head_h)."""
        return np.concatenate(list(self.gathered), axis=-1)

    @cached_property
    def attention(self) -> np.ndarray:
        """(T, H·d): the heads mixed by W^O, MultiHead(Q, K, V)."""
        return self.side_by_side @ self.projection.T + self.bias

    @cached_property
    def shares(self) -> np.ndarray:
        """(H, T): the length of what each head adds to each token after W^O. Without their bias
        these parts add up to ``attention``.
        """
        heads, _, width = self.gathered.shape
        parts = self.projection.reshape(-1, heads, width)
        return np.linalg.norm(np.einsum("htd,ohd->hto", self.gathered, parts), axis=-1)

    @cached_property
    def output(self) -> np.ndarray:
        """(T, H·d): LayerNorm(input + attention), the end of the layer's first half."""
        summed = self.inputs + self.attention
        centred = summed - summed.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + self.epsilon)
        return centred / scale * self.gain + self.shift

    @property
    def error(self) -> float:
        """The largest difference from what the model computed, in weights and output."""
        return max(
            float(np.abs(self.weights - self.own_weights).max()),
            float(np.abs(self.output - self.own_output).max()),
        )


def attention_steps(model: "LoadedModel", text: str, layer: int) -> AttentionSteps:
    """Take the attention of ``layer``, from 0, apart for one review.

    Raises:
        BadInput: there is no such layer.
        NotAvailable: the model is of a family whose heads cannot be reached.
    """
    import torch

    from bertsent.models.sentiment import shared_weight_copy
    from bertsent.probing.heads.attention_modules import (
        attention_norm,
        encoder_layers,
        input_embeddings,
        output_projection,
        query_and_key,
        value,
    )

    BadInput.raise_if(
        not 0 <= layer < model.layers,
        f"There is no layer {layer + 1}.",
        f"This model has {model.layers}.",
    )
    bert = shared_weight_copy(model.model.bert)
    ids = torch.tensor([model.tokens(text).ids], device=model.device)
    own = list[torch.Tensor]()
    with torch.inference_mode():
        layers = encoder_layers(bert)
        norm = attention_norm(layers[layer])
        norm.register_forward_hook(lambda _module, _given, given_back: own.append(given_back))
        hidden = input_embeddings(bert, ids)
        for block in layers[:layer]:
            hidden = block(hidden, None)
        layers[layer](hidden, None)
        linears = (*query_and_key(layers[layer]), value(layers[layer]))
        queries, keys, values = (_by_head(hidden[0], linear, model.heads) for linear in linears)
        projection = output_projection(layers[layer])
    return AttentionSteps(
        layer,
        inputs=_numbers(hidden[0]),
        queries=queries,
        keys=keys,
        values=values,
        projection=_numbers(projection.weight),
        bias=_numbers(projection.bias),
        gain=_numbers(norm.weight),
        shift=_numbers(norm.bias),
        epsilon=norm.eps,
        own_weights=model.attend(text).weights[layer],
        own_output=_numbers(own[0][0]),
    )


def embedding_parts(model: "LoadedModel", text: str, place: int) -> dict[str, np.ndarray]:
    """The vectors that are added up to the input of token ``place``, from 0, by what they are for,
    and ``sum``: the input of layer 1, which is normalised as well; each (width,).
    """
    import torch

    from bertsent.probing.heads.attention_modules import embedding_tables, input_embeddings

    bert, ids = model.model.bert, model.tokens(text).ids
    rows = {"token": ids[place], "position": place, "segment": 0}
    with torch.inference_mode():
        whole = input_embeddings(bert, torch.tensor([ids], device=model.device))
    parts = {
        name: _numbers(table.weight[rows[name]]) for name, table in embedding_tables(bert).items()
    }
    return {**parts, "sum": _numbers(whole[0, place])}


def model_card(model: "LoadedModel") -> pd.DataFrame:
    """What the encoder is made of, beside BERT-base."""
    from bertsent.probing.heads.attention_modules import embedding_tables

    bert: Any = model.model.bert
    tables = embedding_tables(bert)
    config = bert.config
    inner = getattr(config, "intermediate_size", getattr(config, "hidden_dim", None))
    between = getattr(config, "hidden_act", getattr(config, "activation", ""))
    numbers = {
        "layers, each attention and feed-forward": model.layers,
        "heads a layer, in parallel": model.heads,
        "numbers a token (width)": model.width,
        "numbers a token in one head (d)": model.width // model.heads,
        f"width of the feed-forward part ({str(between).upper()})": inner,
        "word pieces it knows": tables["token"].num_embeddings,
        "tokens it can read": tables["position"].num_embeddings,
        "parameters": sum(weights.numel() for weights in bert.parameters()),
    }
    return pd.DataFrame(
        {"part": list(numbers), "this model": list(numbers.values()), "BERT-base": BERT_BASE}
    )


def _numbers(found: "torch.Tensor") -> np.ndarray:
    numbers: np.ndarray = found.detach().double().cpu().numpy()
    return numbers


def _by_head(hidden: "torch.Tensor", linear: "torch.nn.Linear", heads: int) -> np.ndarray:
    """W x + b of every token, (heads, T, d)."""
    found = _numbers(hidden) @ _numbers(linear.weight).T + _numbers(linear.bias)
    return found.reshape(len(found), heads, -1).transpose(1, 0, 2)
