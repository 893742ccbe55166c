"""An encoder in, the modules of its attention out, whatever its family calls them: BERT or
DistilBERT.
"""

from typing import TYPE_CHECKING, Any, cast

from bertsent.errors import NotAvailable

if TYPE_CHECKING:
    import torch
    from torch import nn


def encoder_layers(bert: "nn.Module") -> list["nn.Module"]:
    """The layers of an encoder, the first first; each takes hidden states (B, T, width) and gives
    the next.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT.
    """
    model = cast(Any, bert)
    kind = model.config.model_type
    NotAvailable.raise_if(
        kind not in ("bert", "distilbert"),
        f"The heads of a {kind} model cannot be reached here.",
        "Choose a BERT or a DistilBERT.",
    )
    return list(model.encoder.layer if kind == "bert" else model.transformer.layer)


def input_embeddings(bert: "nn.Module", ids: "torch.Tensor") -> "torch.Tensor":
    """What goes into the first layer, (B, T, width), of token ids (B, T)."""
    return cast(Any, bert).embeddings(input_ids=ids)


def output_projection(layer: "nn.Module") -> "nn.Linear":
    """The linear layer that mixes the heads of a layer (W^O of Vaswani et al. 2017): its input is
    the heads side by side.
    """
    attention = cast(Any, layer).attention
    return attention.output.dense if hasattr(attention, "output") else attention.out_lin


def query_and_key(layer: "nn.Module") -> tuple["nn.Linear", "nn.Linear"]:
    """The linear layers, biases and all, that make the queries and the keys of all heads of a layer
    side by side.
    """
    attention = cast(Any, layer).attention
    if hasattr(attention, "self"):
        return attention.self.query, attention.self.key
    return attention.q_lin, attention.k_lin


def value(layer: "nn.Module") -> "nn.Linear":
    """The linear layer that makes the values of all heads of a layer side by side."""
    attention = cast(Any, layer).attention
    return attention.self.value if hasattr(attention, "self") else attention.v_lin


def attention_norm(layer: "nn.Module") -> "nn.LayerNorm":
    """The normalisation after the attention of a layer: it takes input plus attention, and what it
    gives is what the feed-forward part reads.
    """
    attention = cast(Any, layer).attention
    if hasattr(attention, "output"):
        return attention.output.LayerNorm
    return cast(Any, layer).sa_layer_norm


def embedding_tables(bert: "nn.Module") -> dict[str, "nn.Embedding"]:
    """The tables of input vectors by what they are for; a DistilBERT has none for segments."""
    embeddings = cast(Any, bert).embeddings
    tables = {"token": embeddings.word_embeddings, "position": embeddings.position_embeddings}
    if hasattr(embeddings, "token_type_embeddings"):
        tables["segment"] = embeddings.token_type_embeddings
    return tables


def feed_forward(layer: "nn.Module") -> tuple["nn.Linear", "nn.Linear"]:
    """The two linear layers of the feed-forward part of a layer; the activation stands between."""
    block = cast(Any, layer)
    if hasattr(block, "intermediate"):
        return block.intermediate.dense, block.output.dense
    return block.ffn.lin1, block.ffn.lin2


def output_norm(layer: "nn.Module") -> "nn.LayerNorm":
    """The normalisation at the end of a layer, after the feed-forward part."""
    block = cast(Any, layer)
    return block.output.LayerNorm if hasattr(block, "intermediate") else block.output_layer_norm


def activation_name(bert: "nn.Module") -> str:
    """What the feed-forward parts of an encoder put between their linear layers."""
    config = cast(Any, bert).config
    return str(getattr(config, "hidden_act", getattr(config, "activation", "")))
