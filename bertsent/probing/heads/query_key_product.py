"""One head and one token in, the arithmetic behind its attention weights out: query, keys,
products, softmax.

Equation 1 of Vaswani et al. 2017: the weights of token i are softmax(qᵢ·kⱼ / √d) over all tokens j.
The query and the keys are
W x + b of what goes into the layer, biases included, taken from the very weights that answer; d is
the width of one head.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class QueryKey:
    """Token ``place`` looks: its ``query`` (d,), the ``keys`` (T, d) of all tokens, all float64."""

    tokens: tuple[str, ...]
    place: int
    query: np.ndarray
    keys: np.ndarray

    @property
    def root(self) -> float:
        """√d."""
        return float(np.sqrt(len(self.query)))

    def products(self, other: int) -> np.ndarray:
        """(d,): query times key of token ``other``, number by number; their sum is the dot
        product.
        """
        return self.query * self.keys[other]

    @property
    def scores(self) -> np.ndarray:
        """(T,): q·k of every token."""
        return self.keys @ self.query

    @property
    def scaled(self) -> np.ndarray:
        """(T,): q·k / √d."""
        return self.scores / self.root

    @property
    def weights(self) -> np.ndarray:
        """(T,): softmax of ``scaled``, which is the row of the attention map."""
        raised = np.exp(self.scaled - self.scaled.max())
        return raised / raised.sum()


def query_key(learner: "LoadedModel", text: str, layer: int, head: int, place: int) -> QueryKey:
    """Take one head apart for the token at ``place``; all three count from 0.

    Raises:
        BadInput: there is no such head or token.
        NotAvailable: the model is of a family whose heads cannot be reached.
    """
    import torch

    from bertsent.probing.heads.attention_modules import encoder_layers, query_and_key

    tokens = learner.tokens(text)
    if not (0 <= layer < learner.layers and 0 <= head < learner.heads):
        raise BadInput(
            f"There is no head {layer + 1}·{head + 1}.",
            f"{learner.name} has {learner.layers} layers of {learner.heads} heads.",
        )
    if not 0 <= place < len(tokens):
        raise BadInput(
            f"There is no token {place + 1}.",
            f"The model reads {len(tokens)} tokens of this review.",
        )
    ids = torch.tensor([tokens.ids], device=learner.device)
    with torch.inference_mode():
        hidden, layers = (
            learner.model.bert.embeddings(input_ids=ids),
            encoder_layers(learner.model.bert),
        )
        for block in layers[:layer]:
            hidden = block(hidden, None)
        queries, keys = (
            _by_head(hidden[0].double(), part, learner.heads)[head]
            for part in query_and_key(layers[layer])
        )
    return QueryKey(tokens.pieces, place, queries[place], keys)


def _by_head(hidden, linear, heads: int) -> np.ndarray:  # noqa: ANN001 - a tensor and a torch module
    """W x + b of every token in double precision, (heads, T, d)."""
    found = hidden @ linear.weight.double().T + linear.bias.double()
    return found.unflatten(-1, (heads, -1)).transpose(0, 1).cpu().numpy()
