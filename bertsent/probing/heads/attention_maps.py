"""The attention weights of one review: all layers and heads, and the part of them that is shown.

Weights are softmax(QKᵀ/√d) (Vaswani et al. 2017, section 3.2.1): row t says how much token t takes
from every token, and sums to 1. Where tokens are left out, every row is renormalised to sum to 1
over the tokens that stay; such numbers are shares among those, no longer the model's weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.errors import BadInput

if TYPE_CHECKING:
    from bertsent.probing.attribution.units import Unit

WEIGHT, SHARE = "attention weight", "renormalised share"


@dataclass(frozen=True)
class TokenSelection:
    """What of a review is shown: whole words or pieces, markers or not, ``size`` tokens from
    ``start`` on (from 0; None: to the end).
    """

    by_words: bool = False
    hidden: bool = False
    start: int = 0
    size: int | None = None


@dataclass(frozen=True)
class AttentionMaps:
    """``weights`` (L, H, T, T) float32 over ``tokens``; ``special`` marks [CLS] and [SEP];
    ``renormalised`` says that tokens were left out and the rows scaled.
    """

    tokens: tuple[str, ...]
    special: tuple[bool, ...]
    weights: np.ndarray
    renormalised: bool = False

    @property
    def layers(self) -> int:
        return self.weights.shape[0]

    @property
    def heads(self) -> int:
        return self.weights.shape[1]

    @property
    def quantity(self) -> str:
        """What the numbers are: ``WEIGHT`` or ``SHARE``."""
        return SHARE if self.renormalised else WEIGHT

    def head_mean(self, layer: int | None = None) -> np.ndarray:
        """Mean over the heads of ``layer``, or over all heads of all layers: (T, T), rows sum to 1.
        IndexError: no such layer.
        """
        return (self.weights if layer is None else self.weights[[layer]]).mean(axis=(0, 1))

    def select(self, selection: TokenSelection, units: Sequence["Unit"] = ()) -> "AttentionMaps":
        """The part that ``selection`` names; ``units`` are the whole words of the same tokens, for
        ``by_words``. At least one token stays of a stretch.

        Raises:
            BadInput: nothing is left without the markers.
        """
        maps = self.in_words(units) if selection.by_words and units else self
        if selection.hidden:
            maps = maps.without_special()
        start = max(0, min(selection.start, len(maps.tokens) - 1))
        return maps.keep(range(len(maps.tokens))[start:][: selection.size])

    def without_special(self) -> "AttentionMaps":
        """The same without [CLS] and [SEP].

        Raises:
            BadInput: nothing is left.
        """
        BadInput.raise_if(
            all(self.special), "There is no word between [CLS] and [SEP].", "Type a longer review."
        )
        return self.keep([place for place, marker in enumerate(self.special) if not marker])

    def keep(self, places: Sequence[int]) -> "AttentionMaps":
        """Only the tokens at these places, from 0, rows renormalised; a row that has nothing left
        becomes even.
        """
        if len(places) == len(self.tokens):
            return self
        kept = np.asarray(places)
        weights = self.weights[:, :, kept][:, :, :, kept].astype(np.float64)
        sums = weights.sum(-1, keepdims=True)
        even = np.full_like(weights, 1 / len(kept))
        return AttentionMaps(
            tuple(self.tokens[i] for i in kept),
            tuple(self.special[i] for i in kept),
            np.divide(weights, sums, out=even, where=sums > 1e-12).astype(np.float32),
            renormalised=True,
        )

    def in_words(self, units: Sequence["Unit"]) -> "AttentionMaps":
        """Word pieces as whole words: what goes to a word is the sum over its pieces, what it sends
        the mean over them (Clark et al. 2019). Rows still sum to 1; [CLS] and [SEP] stay.
        """
        inside = {token for unit in units for token in unit.tokens}
        outside = (place for place in range(len(self.tokens)) if place not in inside)
        groups = sorted(
            [
                *((unit.tokens, unit.text) for unit in units),
                *(((place,), self.tokens[place]) for place in outside),
            ]
        )
        member = np.array(
            [np.isin(range(len(self.tokens)), places) for places, _ in groups], np.float64
        )
        mean = member / member.sum(1, keepdims=True)
        return replace(
            self,
            tokens=tuple(text for _, text in groups),
            special=tuple(self.special[places[0]] for places, _ in groups),
            weights=(mean @ self.weights.astype(np.float64) @ member.T).astype(np.float32),
        )

    def rollout(self) -> "AttentionMaps":
        """Attention rollout (Abnar and Zuidema 2020) of all layers as a map of one layer of one
        head.
        """
        return replace(self, weights=attention_rollout(self.weights).astype(np.float32)[None, None])

    def table(self) -> pd.DataFrame:
        """One row per number: layer, head, from and to, all counted from 1."""
        layer, head, row, column = (place.reshape(-1) for place in np.indices(self.weights.shape))
        tokens = np.array(self.tokens, dtype=object)
        return pd.DataFrame(
            {
                "layer": layer + 1,
                "head": head + 1,
                "from position": row + 1,
                "from": tokens[row],
                "to position": column + 1,
                "to": tokens[column],
                "value": self.weights.reshape(-1),
            }
        )


def attention_rollout(weights: np.ndarray) -> np.ndarray:
    """Weights (L, H, T, T) rolled out from the first layer to the last: (T, T) float64, rows sum to
    1.

    Attention rollout adds the residual connection to the mean of each layer's heads, ½A + ½I, and
    multiplies the layers: row t says where the information at token t came from, if nothing but
    attention mixed the tokens.
    """
    rolled = residual = np.eye(weights.shape[-1])
    for layer in weights:
        mixed = layer.mean(axis=0, dtype=np.float64) + residual
        rolled = (mixed / mixed.sum(-1, keepdims=True)) @ rolled
    return rolled


def check_head(head: tuple[int, int], layers: int, heads: int) -> None:
    """Raises BadInput where a model of that size has no head (layer, head), from 0."""
    BadInput.raise_if(
        not (0 <= head[0] < layers and 0 <= head[1] < heads),
        f"There is no head {head_name(head)}.",
        f"This model has {layers} layers of {heads} heads.",
    )


def head_name(head: tuple[int, int]) -> str:
    """A head, (layer, head) from 0, as people read it: "6·10"."""
    return f"{head[0] + 1}·{head[1] + 1}"


def ranked_heads(values: np.ndarray) -> list[tuple[int, int]]:
    """Layer and head, from 0, of values (L, H), the largest first; of equal ones the earlier."""
    order = np.argsort(-values, axis=None, kind="stable")
    return [divmod(place, values.shape[1]) for place in order.tolist()]


def between_words(matrix: np.ndarray, special: Sequence[bool]) -> np.ndarray:
    """``matrix`` (…, T, T) with −1 wherever it is not between two different words."""
    words = ~np.asarray(special, dtype=bool)
    pairs = words[:, None] & words[None, :] & ~np.eye(len(words), dtype=bool)
    return np.where(pairs, matrix, -1.0)


def largest_pair(matrix: np.ndarray, special: Sequence[bool]) -> tuple[int, int] | None:
    """From which word to which other one ``matrix`` (T, T) is largest; None with fewer than two
    words.
    """
    between = between_words(matrix, special)
    row, column = divmod(int(between.argmax()), len(between))
    return None if between[row, column] < 0 else (row, column)
