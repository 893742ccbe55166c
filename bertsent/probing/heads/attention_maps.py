"""The attention weights of one text: all layers and heads, tokens named, ready to be narrowed down.

Weights are softmax(QKᵀ/√d) (Vaswani et al. 2017, section 3.2.1): row t says how much token t takes
from every token, and sums to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bertsent.errors import BadInput


@dataclass(frozen=True)
class AttentionMaps:
    """``weights`` (L, H, T, T) float32 over ``tokens``; ``special`` marks [CLS] and [SEP]."""

    tokens: tuple[str, ...]
    special: tuple[bool, ...]
    weights: np.ndarray

    @property
    def layers(self) -> int:
        return self.weights.shape[0]

    @property
    def heads(self) -> int:
        return self.weights.shape[1]

    def without_special(self) -> "AttentionMaps":
        """The same without [CLS] and [SEP], every row scaled to sum to 1 again; a row that gave
        them everything becomes even.
        """
        keep = np.flatnonzero(~np.array(self.special))
        if not len(keep):
            raise BadInput("There is no word between [CLS] and [SEP].", "Type a longer review.")
        return self.keep(keep)

    def head_mean(self, layer: int | None = None) -> np.ndarray:
        """Mean over the heads of ``layer``, or over all heads of all layers: (T, T), rows sum to 1.
        IndexError: no such layer.
        """
        chosen = self.weights if layer is None else self.weights[[layer]]
        return chosen.mean(axis=(0, 1))

    def first(self, tokens: int) -> "AttentionMaps":
        """Only the first so many tokens, rows scaled to sum to 1 again, for views that cannot show
        a long review.
        """
        return self.keep(range(min(tokens, len(self.tokens))))

    def keep(self, places: Sequence[int]) -> "AttentionMaps":
        """Only the tokens at these places, from 0, rows scaled to sum to 1 again; a row that has
        nothing left becomes even.
        """
        kept = np.asarray(places)
        weights = _to_one(self.weights[:, :, kept][:, :, :, kept])
        return replace(
            self,
            tokens=tuple(self.tokens[i] for i in kept),
            special=tuple(self.special[i] for i in kept),
            weights=weights,
        )


def _to_one(weights: np.ndarray) -> np.ndarray:
    """Scale every row to sum to 1; a row that has nothing left becomes even."""
    kept = weights.astype(np.float64)
    sums = kept.sum(-1, keepdims=True)
    even = np.full_like(kept, 1 / kept.shape[-1])
    return np.divide(kept, sums, out=even, where=sums > 1e-12).astype(np.float32)
