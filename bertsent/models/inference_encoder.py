"""A BERT encoder in, the same arithmetic with less around it out: for answering one short review
after another.

A typed review keeps the processor busy for few multiplications, and much of its time goes into
calling a hundred modules. Here
the query, key and value matrices of a layer stand in one block, and each layer is a dozen calls.
Only for answering: nothing is
dropped, nothing is learned, and weights that change later are not followed.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

from bertsent.models.first_token import can_skip

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Pair = tuple[torch.Tensor, torch.Tensor]  # weight and bias


@dataclass(frozen=True)
class _Layer:
    ask: Pair  # (3H, H): queries, keys and values below each other
    attended: Pair
    first_norm: Pair
    inner: Pair
    outer: Pair
    second_norm: Pair


class InferenceEncoder:
    """The first token's last hidden state of a BERT in evaluation mode, equal to the model's own up
    to the rounding of sums.
    """

    def __init__(self, bert: "PreTrainedModel") -> None:
        config = bert.config
        self.embeddings = bert.embeddings
        self.heads, self.width, self.eps = (
            config.num_attention_heads,
            config.hidden_size,
            config.layer_norm_eps,
        )
        self.layers = [_packed(layer) for layer in bert.encoder.layer]

    @torch.inference_mode()
    def first_token(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """(B, H) of ids and mask, both (B, T)."""
        seen = None if bool(attention_mask.all()) else attention_mask[:, None, None, :].bool()
        hidden = self.embeddings(input_ids=input_ids)
        for layer in self.layers[:-1]:
            query, key, value = self._split(linear(hidden, *layer.ask), 3)
            hidden = self._through(layer, hidden, query, key, value, seen)
        last, first = self.layers[-1], hidden[:, :1]
        weight, bias = last.ask
        (query,) = self._split(linear(first, weight[: self.width], bias[: self.width]), 1)
        key, value = self._split(linear(hidden, weight[self.width :], bias[self.width :]), 2)
        return self._through(last, first, query, key, value, seen)[:, 0]

    def _split(self, states: torch.Tensor, parts: int) -> tuple[torch.Tensor, ...]:
        """(B, T, parts × H) into so many (B, heads, T, H / heads)."""
        return states.unflatten(-1, (parts, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def _through(
        self, layer: _Layer, hidden: torch.Tensor, query, key, value, seen
    ) -> torch.Tensor:  # noqa: ANN001 - tensors
        gathered = (
            scaled_dot_product_attention(query, key, value, attn_mask=seen)
            .transpose(1, 2)
            .flatten(2)
        )
        hidden = layer_norm(
            linear(gathered, *layer.attended).add_(hidden),
            (self.width,),
            *layer.first_norm,
            self.eps,
        )
        more = linear(gelu(linear(hidden, *layer.inner)), *layer.outer)
        return layer_norm(more.add_(hidden), (self.width,), *layer.second_norm, self.eps)


def can_fuse(bert: "PreTrainedModel") -> bool:
    """True for the encoders that are written out here: BERT with fused attention, the exact GELU,
    and 1 / √d as scale.
    """
    return (
        can_skip(bert)
        and bert.config.hidden_act == "gelu"
        and not bert.config.is_decoder
        and not bert.training
    )


def _packed(layer: torch.nn.Module) -> _Layer:
    attention, output = layer.attention.self, layer.attention.output
    asked = (attention.query, attention.key, attention.value)
    weight, bias = (
        torch.cat([getattr(module, name).detach() for module in asked])
        for name in ("weight", "bias")
    )
    rest = (
        output.dense,
        output.LayerNorm,
        layer.intermediate.dense,
        layer.output.dense,
        layer.output.LayerNorm,
    )
    return _Layer(
        (weight, bias), *((module.weight.detach(), module.bias.detach()) for module in rest)
    )
