"""What goes into one encoder layer in, every number on the way to what comes out of it, in NumPy.

Vaswani et al. 2017, section 3.2: headᵢ = softmax(QᵢKᵢᵀ / √d) Vᵢ and
MultiHead = Concat(head₁ … head_h) W^O; section 3.3: FFN(x) = act(x W₁ + b₁) W₂ + b₂, in BERT with
GELU. Each of the two is added to what it read, and the sum is normalised.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from bertsent.probing.forward_pass.encoder_weights import LayerWeights, Linear


@dataclass(frozen=True)
class LayerPass:
    """T tokens through one layer of H heads of width d: ``inputs`` (T, H·d) float64; ``mask`` (T,)
    of bool is false where nothing may be looked at. Each number is worked out when it is asked for,
    and kept.
    """

    inputs: np.ndarray
    weights: LayerWeights
    mask: np.ndarray

    @cached_property
    def queries(self) -> np.ndarray:
        """(H, T, d): x W^Q + b of every head."""
        return self._by_head(self.weights.query)

    @cached_property
    def keys(self) -> np.ndarray:
        """(H, T, d): x W^K + b of every head."""
        return self._by_head(self.weights.key)

    @cached_property
    def values(self) -> np.ndarray:
        """(H, T, d): x W^V + b of every head."""
        return self._by_head(self.weights.value)

    @cached_property
    def scores(self) -> np.ndarray:
        """(H, T, T): QKᵀ / √d, before the mask."""
        return self.queries @ self.keys.transpose(0, 2, 1) / np.sqrt(self.queries.shape[-1])

    @cached_property
    def attention_weights(self) -> np.ndarray:
        """(H, T, T): softmax of each row of the scores, 0 at what the mask hides."""
        return softmax(np.where(self.mask, self.scores, -np.inf), axis=-1)

    @cached_property
    def gathered(self) -> np.ndarray:
        """(H, T, d): what each head gathers for each token, weights times values."""
        return self.attention_weights @ self.values

    @cached_property
    def side_by_side(self) -> np.ndarray:
        """(T, H·d): the heads in one row a token, Concat(head₁ … head_h)."""
        return np.concatenate(list(self.gathered), axis=-1)

    @cached_property
    def attention(self) -> np.ndarray:
        """(T, H·d): the heads mixed by W^O, MultiHead(Q, K, V)."""
        return self.weights.output(self.side_by_side)

    @cached_property
    def summed(self) -> np.ndarray:
        """(T, H·d): the input plus what attention adds to it."""
        return self.inputs + self.attention

    @cached_property
    def attended(self) -> np.ndarray:
        """(T, H·d): that sum normalised, the end of the layer's first half."""
        return self.weights.attention_norm(self.summed)

    @cached_property
    def inner(self) -> np.ndarray:
        """(T, inner width): the feed-forward part before its activation."""
        return self.weights.inner(self.attended)

    @cached_property
    def activated(self) -> np.ndarray:
        """(T, inner width): after its activation."""
        return self.weights.activate(self.inner)

    @cached_property
    def fed_forward(self) -> np.ndarray:
        """(T, H·d): what the feed-forward part adds."""
        return self.weights.outer(self.activated)

    @cached_property
    def output_summed(self) -> np.ndarray:
        """(T, H·d): the end of the first half plus what the feed-forward part adds."""
        return self.attended + self.fed_forward

    @cached_property
    def output(self) -> np.ndarray:
        """(T, H·d): that sum normalised, what the next layer reads."""
        return self.weights.output_norm(self.output_summed)

    @cached_property
    def shares(self) -> np.ndarray:
        """(H, T): the length of what each head adds to each token after W^O. Without their bias
        these parts add up to ``attention``.
        """
        heads, _, width = self.gathered.shape
        parts = self.weights.output.weight.reshape(-1, heads, width)
        return np.linalg.norm(np.einsum("htd,ohd->hto", self.gathered, parts), axis=-1)

    def _by_head(self, linear: Linear) -> np.ndarray:
        found = linear(self.inputs)
        return found.reshape(len(found), self.weights.heads, -1).transpose(1, 0, 2)
