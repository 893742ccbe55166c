"""Attention weights in, how much the answer takes from every token out: head by head, and rolled
out through the layers.

Attention rollout (Abnar and Zuidema 2020) adds the residual connection to every layer's head mean,
½A + ½I, and multiplies the
layers: row t says where what arrives at token t came from, if nothing but attention mixed the
    tokens.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bertsent.models.pooling import Pooling
    from bertsent.probing.heads.attention_maps import AttentionMaps


@dataclass(frozen=True)
class TokenAttention:
    """How much the pooled vector takes of every token: ``heads`` (L, H, T) head by head,
    ``rollout`` (T,); each sums to 1.
    """

    heads: np.ndarray
    rollout: np.ndarray

    def of(self, layer: int | None = None, head: int | None = None) -> np.ndarray:
        """(T,) of one head, of the mean of a layer's heads, or of the mean of all. IndexError: no
        such layer or head.
        """
        chosen = self.heads if layer is None else self.heads[[layer]]
        chosen = chosen if head is None else chosen[:, [head]]
        return chosen.mean(axis=(0, 1))


def attention_rollout(weights: np.ndarray) -> np.ndarray:
    """Weights (L, H, T, T), rows summing to 1, rolled out from the first layer to the last: (T, T)
    float64, rows sum to 1.
    """
    size = weights.shape[-1]
    rolled = np.eye(size)
    for layer in weights:
        mixed = 0.5 * layer.mean(axis=0, dtype=np.float64) + 0.5 * np.eye(size)
        rolled = (mixed / mixed.sum(-1, keepdims=True)) @ rolled
    return rolled


def token_attention(maps: "AttentionMaps", pooling: "Pooling") -> TokenAttention:
    """What the head reads of every token: the row of [CLS] with [CLS] pooling, else the mean of all
    rows.
    """
    rolled = attention_rollout(maps.weights)
    if pooling == "cls":
        return TokenAttention(maps.weights[:, :, 0].astype(np.float64), rolled[0])
    return TokenAttention(maps.weights.mean(axis=2, dtype=np.float64), rolled.mean(axis=0))
