"""The attention of one review before and after fine-tuning in, what training did to each head out.

How far a head moved is the Jensen-Shannon divergence (Lin 1991) of its rows before and after, in
nats, averaged over the rows: 0 when nothing changed, ln 2 when no token looks at anything it looked
at before.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.spatial.distance import jensenshannon

from bertsent.errors import BadInput
from bertsent.probing.heads.attention_maps import AttentionMaps, ranked_heads

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


def attention_of_both(
    before: "LoadedModel", after: "LoadedModel", text: str
) -> tuple[AttentionMaps, AttentionMaps]:
    """The attention of two models over the same tokens of a review, cut where the first of them
    stops reading.

    Raises:
        BadInput: they do not read the same tokens, or differ in layers or heads.
    """
    length = min(before.max_length, after.max_length)
    first, second = before.attend(text, max_length=length), after.attend(text, max_length=length)
    sizes = " and ".join(f"{maps.layers} × {maps.heads}" for maps in (first, second))
    BadInput.raise_if(
        first.weights.shape[:2] != second.weights.shape[:2],
        f"Models of {sizes} heads cannot be compared.",
        "Compare a model with the one it came from.",
    )
    BadInput.raise_if(
        first.tokens != second.tokens,
        "The two models do not read the same tokens.",
        "Compare models with the same vocabulary.",
    )
    return first, second


def attention_change(before: AttentionMaps, after: AttentionMaps) -> AttentionMaps:
    """``after`` minus ``before``, over the same tokens: (L, H, T, T), rows sum to 0."""
    return replace(after, weights=after.weights.astype(np.float64) - before.weights)


def jensen_shannon(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Divergence in nats of the rows of both, (..., T, T), averaged over the rows: (...)."""
    # the square root of the divergence, (..., T)
    distance = jensenshannon(before.astype(np.float64), after.astype(np.float64), axis=-1)
    return np.nan_to_num(distance**2).mean(-1)  # equal rows can round to a root of less than 0


def change_sentence(change: AttentionMaps, head: tuple[int, int]) -> str:
    """Where a head, (layer, head) from 0, looks more than before and where less."""
    tokens, moved = change.tokens, change.weights[head]
    if np.abs(moved).max() < 1e-6:
        return "It looks at exactly what it looked at before."
    gained, lost = (np.unravel_index(n, moved.shape) for n in (moved.argmax(), moved.argmin()))
    return (
        f"Most was added from “{tokens[gained[0]]}” to “{tokens[gained[1]]}” "
        f"({moved[gained]:+.2f}), most taken from “{tokens[lost[0]]}” to “{tokens[lost[1]]}” "
        f"({moved[lost]:+.2f})."
    )


def change_table(change: AttentionMaps, divergence: np.ndarray) -> pd.DataFrame:
    """One row per head, the one that moved farthest first; layer and head from 1."""
    heads = ranked_heads(divergence)
    return pd.DataFrame(
        {
            "rank": range(1, len(heads) + 1),
            "layer": [layer + 1 for layer, _ in heads],
            "head": [head + 1 for _, head in heads],
            "divergence in nats": [divergence[head] for head in heads],
            "largest changes": [change_sentence(change, head) for head in heads],
        }
    )
