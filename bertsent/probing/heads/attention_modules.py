"""An encoder in, the parts of its attention out, whatever its family calls them: BERT and
DistilBERT.
"""

from typing import TYPE_CHECKING

from bertsent.errors import NotAvailable

if TYPE_CHECKING:
    from torch import nn


def encoder_layers(bert: "nn.Module") -> list["nn.Module"]:
    """The layers of an encoder, the first first; each takes hidden states (B, T, width) and gives
    the next.

    Raises:
        NotAvailable: it is no BERT and no DistilBERT.
    """
    kind = bert.config.model_type
    if kind == "bert":
        return list(bert.encoder.layer)
    if kind == "distilbert":
        return list(bert.transformer.layer)
    raise NotAvailable(
        f"The heads of a {kind} model cannot be taken apart here.", "Choose a BERT or a DistilBERT."
    )


def output_projection(block: "nn.Module") -> "nn.Module":
    """The linear layer that mixes the heads of a layer (W^O of Vaswani et al. 2017): its input is
    the heads side by side.
    """
    return (
        block.attention.output.dense
        if hasattr(block.attention, "output")
        else block.attention.out_lin
    )


def query_and_key(block: "nn.Module") -> tuple["nn.Module", "nn.Module"]:
    """The linear layers, biases and all, that make the queries and the keys of all heads of a layer
    side by side.
    """
    if hasattr(block.attention, "self"):
        return block.attention.self.query, block.attention.self.key
    return block.attention.q_lin, block.attention.k_lin
