"""The attention of one review before and after fine-tuning in, what training did to each head out.

How far a head moved is the Jensen-Shannon divergence (Lin 1991) of its rows before and after, in
nats, averaged over the rows:
0 when nothing changed, ln 2 when no token looks at anything it looked at before.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.errors import BadInput

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class AttentionChange:
    """``change`` (L, H, T, T) is after minus before, its rows sum to 0; ``jensen_shannon`` (L, H) lies
    between 0 and ln 2.
    """

    tokens: tuple[str, ...]
    special: tuple[bool, ...]
    change: np.ndarray
    jensen_shannon: np.ndarray

    @property
    def ranked(self) -> tuple[tuple[int, int], ...]:
        """Layer and head, from 0, the most changed first."""
        order = np.argsort(-self.divergence, axis=None, kind="stable")
        return tuple(
            (int(n), int(h))
            for n, h in zip(*np.unravel_index(order, self.divergence.shape), strict=True)
        )


def attention_of_both(
    before: "LoadedModel", after: "LoadedModel", text: str
) -> tuple["AttentionMaps", "AttentionMaps"]:
    """The attention of two models over the same tokens of a review, cut where the first of them
    stops reading.

    Raises:
        BadInput: they do not read the same tokens, or differ in layers or heads.
    """
    length = min(before.max_length, after.max_length)
    first, second = before.attend(text, max_length=length), after.attend(text, max_length=length)
    _must_match(first, second)
    return first, second


def attention_change(before: "AttentionMaps", after: "AttentionMaps") -> AttentionChange:
    """What changed from ``before`` to ``after``.

    Raises:
        BadInput: they are not over the same tokens, or differ in layers or heads.
    """
    _must_match(before, after)
    change = after.weights.astype(np.float64) - before.weights
    return AttentionChange(
        after.tokens, after.special, change, jensen_shannon(before.weights, after.weights)
    )


def jensen_shannon(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence in nats of the rows of (..., T, T) and (..., T, T), averaged over
    the rows: (...).
    """
    p, q = _rows(before), _rows(after)
    middle = (p + q) / 2
    apart = (_relative(p, middle) + _relative(q, middle)) / 2  # (..., T)
    return np.clip(apart, 0.0, np.log(2)).mean(-1)


def _rows(weights: np.ndarray) -> np.ndarray:
    exact = np.asarray(weights, np.float64)
    return exact / exact.sum(-1, keepdims=True)


def _relative(p: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Σ p ln(p / m) of each row; what is 0 counts nothing."""
    ratio = np.divide(p, middle, out=np.ones_like(p), where=p > 0)
    return (p * np.log(ratio)).sum(-1)


def _must_match(before: "AttentionMaps", after: "AttentionMaps") -> None:
    if before.weights.shape[:2] != after.weights.shape[:2]:
        shapes = (f"{maps.layers} × {maps.heads}" for maps in (before, after))
        raise BadInput(
            f"Models of {' and '.join(shapes)} heads cannot be compared.",
            "Compare a model with the one it came from.",
        )
    if before.tokens != after.tokens:
        raise BadInput(
            "The two models do not read the same tokens.",
            "Compare models with the same vocabulary.",
        )
