"""Token ids in, the last hidden state of [CLS] out: all that a [CLS] classifier reads.

In the last layer only [CLS] needs a query; keys and values still come from every token. Leaving the
other rows out saves about five sixths of a layer, forwards and backwards, and is exact: no row of a
layer's output depends on another row of its output.
"""

from typing import TYPE_CHECKING, TypeGuard, cast

import torch
from transformers.masking_utils import create_bidirectional_mask

from bertsent.models.fused_attention import FUSED, attend
from bertsent.models.pooling import Pooling, pool

if TYPE_CHECKING:
    from transformers import BertModel
    from transformers.models.bert.modeling_bert import BertLayer, BertSelfAttention


def can_skip(bert: torch.nn.Module) -> TypeGuard["BertModel"]:
    """True for encoders whose last layer is taken apart here: BERT with fused attention."""
    config = cast("BertModel", bert).config
    return config.model_type == "bert" and config._attn_implementation in ("sdpa", FUSED)


def first_token(
    bert: "BertModel",
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    token_type_ids: torch.Tensor | None = None,
) -> torch.Tensor:
    """The last hidden state of the first token, (B, H), of ids, mask and segments, all (B, T)."""
    hidden = bert.embeddings(input_ids=input_ids, token_type_ids=token_type_ids)
    found = create_bidirectional_mask(
        config=bert.config, inputs_embeds=hidden, attention_mask=attention_mask
    )
    mask = cast("torch.Tensor | None", found)  # sdpa takes no other kind
    *layers, last = cast("list[BertLayer]", list(bert.encoder.layer))
    for layer in layers:
        hidden = layer(hidden, mask)
    gathered = _attend(last.attention.self, hidden, mask)
    return last.feed_forward_chunk(last.attention.output(gathered, hidden[:, :1]))[:, 0]


def text_vectors(
    bert: torch.nn.Module,
    pooling: Pooling,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    token_type_ids: torch.Tensor | None = None,
) -> torch.Tensor:
    """One vector a text, (B, H), of ids, mask and, of two texts, segments, all (B, T)."""
    if pooling == "cls" and can_skip(bert):
        return first_token(bert, input_ids, attention_mask, token_type_ids)
    segments = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
    found = bert(input_ids=input_ids, attention_mask=attention_mask, **segments)
    return pool(found.last_hidden_state, attention_mask, pooling)


def _attend(
    attention: "BertSelfAttention", hidden: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    """What [CLS] gathers from all tokens, (B, 1, H)."""

    def heads(states: torch.Tensor) -> torch.Tensor:  # (B, T, H) to (B, heads, T, H / heads)
        return states.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)

    gathered = attend(
        heads(attention.query(hidden[:, :1])),
        heads(attention.key(hidden)),
        heads(attention.value(hidden)),
        None if mask is None else mask[:, :, :1],
        dropout=attention.dropout.p if attention.training else 0.0,
        scale=attention.scaling,
    )
    return gathered.transpose(1, 2).flatten(2)
