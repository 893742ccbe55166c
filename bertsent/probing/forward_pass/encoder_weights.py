"""A model in, its weights as NumPy arrays out, by their place in the paper, whatever its family
calls them: BERT or DistilBERT.

On a processor the arrays share the memory of the model's own tensors, in single precision, and must
not be written to. NumPy brings them to double precision where they meet an input.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bertsent.errors import NotAvailable
from bertsent.models.pooling import Pooling
from bertsent.probing.forward_pass.activations import Activation, activation_function

if TYPE_CHECKING:
    import torch
    from torch import nn

    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class Linear:
    """x W^T + b: ``weight`` (out, in) as PyTorch keeps it, ``bias`` (out,)."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """(..., out) of float64 ``inputs`` (..., in)."""
        # brought to double precision first: in one go NumPy copies a transposed array slowly
        return inputs @ self.weight.astype(np.float64).T + self.bias


@dataclass(frozen=True)
class Norm:
    """LayerNorm (Ba et al. 2016): ``gain`` and ``shift`` (width,); ``epsilon`` keeps the division
    finite.
    """

    gain: np.ndarray
    shift: np.ndarray
    epsilon: float

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """(..., width), each vector brought to mean 0 and variance 1, times gain, plus shift."""
        return self.standardised(inputs) * self.gain + self.shift

    def standardised(self, inputs: np.ndarray) -> np.ndarray:
        """(..., width), before gain and shift."""
        centred = inputs - inputs.mean(-1, keepdims=True)
        return centred / self.scale(inputs)

    def scale(self, inputs: np.ndarray) -> np.ndarray:
        """(..., 1): √(variance + ε), what each vector is divided by."""
        return np.sqrt(inputs.var(-1, keepdims=True) + self.epsilon)


@dataclass(frozen=True)
class LayerWeights:
    """One encoder layer of width W with ``heads`` heads: ``query``, ``key``, ``value`` and
    ``output`` (W^O) are (W, W), ``inner`` and ``outer`` the feed-forward part.
    """

    heads: int
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    attention_norm: Norm
    inner: Linear
    outer: Linear
    output_norm: Norm
    activation: str

    @property
    def activate(self) -> Activation:
        """The function that ``activation`` names."""
        return activation_function(self.activation)


@dataclass(frozen=True)
class Pooler:
    """What a stock checkpoint puts between [CLS] and its classifier."""

    linear: Linear
    activation: str

    def __call__(self, pooled: np.ndarray) -> np.ndarray:
        """(W,) of the pooled vector (W,)."""
        return activation_function(self.activation)(self.linear(pooled))


@dataclass(frozen=True)
class EncoderWeights:
    """A whole classifier: ``tables`` of input vectors by what they are for (token, position and, in
    a BERT, segment), each (rows, W); ``norm`` of their sum; the layers; what makes one vector of
    many; the classifier (2, W).
    """

    tables: dict[str, np.ndarray]
    norm: Norm
    layers: tuple[LayerWeights, ...]
    pooling: Pooling
    pooler: Pooler | None
    classifier: Linear

    @property
    def heads(self) -> int:
        return self.layers[0].heads

    @property
    def width(self) -> int:
        return len(self.norm.gain)

    def with_classifier(self, classifier: Linear) -> "EncoderWeights":
        """The same under another classifier."""
        return replace(self, classifier=classifier)


def encoder_weights(model: "LoadedModel") -> EncoderWeights:
    """The weights that ``model`` answers with.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT, or has a pooler or an activation that is not
            worked out here.
    """
    from bertsent.probing.heads.attention_modules import (
        activation_name,
        embedding_tables,
        encoder_layers,
    )

    classifier, bert = model.model, model.model.bert
    layers, activation = encoder_layers(bert), activation_name(bert)
    activation_function(activation)  # refused here, not in the middle of the way
    return EncoderWeights(
        {name: numbers(table.weight) for name, table in embedding_tables(bert).items()},
        _norm(cast(Any, bert).embeddings.LayerNorm),
        tuple(_layer(layer, model.heads, activation) for layer in layers),
        classifier.pooling,
        _pooler(classifier.pooler),
        _linear(classifier.classifier),
    )


def numbers(tensor: "torch.Tensor") -> np.ndarray:
    """A tensor as an array, without a copy where that is possible."""
    found: np.ndarray = tensor.detach().cpu().float().numpy()
    return found


def _layer(layer: "nn.Module", heads: int, activation: str) -> LayerWeights:
    from bertsent.probing.heads import attention_modules as modules

    query, key = modules.query_and_key(layer)
    inner, outer = modules.feed_forward(layer)
    return LayerWeights(
        heads=heads,
        query=_linear(query),
        key=_linear(key),
        value=_linear(modules.value(layer)),
        output=_linear(modules.output_projection(layer)),
        attention_norm=_norm(modules.attention_norm(layer)),
        inner=_linear(inner),
        outer=_linear(outer),
        output_norm=_norm(modules.output_norm(layer)),
        activation=activation,
    )


def _pooler(pooler: object) -> Pooler | None:
    from torch import nn

    if pooler is None:
        return None
    parts = list(pooler) if isinstance(pooler, nn.Sequential) else []
    names = [type(part).__name__ for part in parts]
    NotAvailable.raise_if(
        names not in (["Linear", "Tanh"], ["Linear", "ReLU"]),
        "What this model puts before its classifier is not worked out here.",
        "Choose a model with a tanh pooler or without one.",
    )
    return Pooler(_linear(cast("nn.Linear", parts[0])), names[1].lower())


def _linear(linear: "nn.Linear") -> Linear:
    return Linear(numbers(linear.weight), numbers(linear.bias))


def _norm(norm: "nn.LayerNorm") -> Norm:
    return Norm(numbers(norm.weight), numbers(norm.bias), norm.eps)
