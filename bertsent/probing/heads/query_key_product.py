"""One head and one token in, the arithmetic behind its attention weights out: query, keys,
products, softmax.

Equation 1 of Vaswani et al. 2017: the weights of token i are softmax(qᵢ·kⱼ / √d) over all tokens j.
The query and the keys are W x + b of what goes into the layer, biases included, taken from the very
weights that answer; d is the width of one head.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import softmax

from bertsent.errors import BadInput
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.heads.attention_maps import check_head, head_name


@dataclass(frozen=True)
class QueryKey:
    """Token ``place`` looks with one head: its ``query`` (d,), the ``keys`` (T, d) of all tokens,
    float64, and the ``own`` weights (T,) that the model computed.
    """

    tokens: tuple[str, ...]
    head: tuple[int, int]
    place: int
    query: np.ndarray
    keys: np.ndarray
    own: np.ndarray

    def products(self, other: int) -> np.ndarray:
        """(d,): query times key of token ``other``, one by one; they sum to the dot product."""
        return self.query * self.keys[other]

    @property
    def scores(self) -> np.ndarray:
        """(T,): q·k of every token."""
        return self.keys @ self.query

    @property
    def scaled(self) -> np.ndarray:
        """(T,): q·k / √d."""
        return self.scores / np.sqrt(len(self.query))

    @property
    def weights(self) -> np.ndarray:
        """(T,): softmax of ``scaled``, which is the row of the attention map."""
        return softmax(self.scaled)

    def table(self) -> pd.DataFrame:
        """One row per token that can be looked at: score, scaled score, weight, the model's own."""
        return pd.DataFrame(
            {
                "position": range(1, len(self.tokens) + 1),
                "token": self.tokens,
                "q·k": self.scores,
                "q·k / √d": self.scaled,
                "softmax": self.weights,
                "the model’s own": self.own,
            }
        )

    def product_table(self, other: int) -> pd.DataFrame:
        """One row per number of the query: query, key of token ``other``, product."""
        return pd.DataFrame(
            {
                "number": range(1, len(self.query) + 1),
                "query": self.query,
                "key": self.keys[other],
                "product": self.products(other),
            }
        )


def query_key(found: ForwardPass, head: tuple[int, int], place: int, own: np.ndarray) -> QueryKey:
    """One head, (layer, head), taken apart for the token at ``place``, all from 0; ``own`` (T,) are
    the weights of that token in the model's attention map. No token of ``found`` is padding.

    Raises:
        BadInput: there is no such head or token.
    """
    tokens, layers = found.inputs.pieces, found.layers
    check_head(head, len(layers), found.weights.heads)
    BadInput.raise_if(
        not 0 <= place < len(tokens),
        f"There is no token {place + 1}.",
        f"The model reads {len(tokens)} tokens of this review.",
    )
    layer, number = layers[head[0]], head[1]
    return QueryKey(tokens, head, place, layer.queries[number][place], layer.keys[number], own)


def softmax_sentence(found: QueryKey, other: int) -> str:
    """The way from the products to the weight of token ``other``, in numbers."""
    score, scaled, weight = found.scores[other], found.scaled[other], found.weights[other]
    largest, d, apart = found.scaled.max(), len(found.query), abs(weight - found.own[other])
    same = (
        "That is the model’s own weight to five digits."
        if apart < 1e-5
        else f"The model’s own weight differs by {apart:.5f}: it computes in lower precision."
    )
    return (
        f"Head {head_name(found.head)}, “{found.tokens[found.place]}” looks at "
        f"“{found.tokens[other]}”: the {d} products add up to {score:.4f}; divided by √{d} that is "
        f"{scaled:.4f}; e^({scaled:.4f} − {largest:.4f}) = {np.exp(scaled - largest):.4f}, over "
        f"the sum of all tokens, {np.exp(found.scaled - largest).sum():.4f}, is {weight:.4f}. "
        f"{same}"
    )


def largest_product_sentence(found: QueryKey, other: int) -> str:
    """Which number of query and key adds most to the score."""
    products = found.products(other)
    place = int(np.abs(products).argmax())
    return (
        f"Number {place + 1} of {len(products)} counts most: {found.query[place]:+.2f} × "
        f"{found.keys[other][place]:+.2f} = {products[place]:+.2f}, of a sum of "
        f"{products.sum():+.2f}."
    )
