"""The attention of one review and two of its tokens in, one weight out: how much the one looks at
the other, in every head.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

USUAL = (
    ("great", "boring"),
    ("another", "boring"),
    ("not", "bad"),
)  # pairs that reviews of this lab turn on, looked for in this order


def weights_between(maps: "AttentionMaps", source: int, target: int) -> pd.DataFrame:
    """One row a head, layer by layer: layer and head from 1, the weight from token ``source`` to
    ``target`` (both from 0), and its rank.

    ``rank`` is the place of ``target`` among all that ``source`` looks at in that head, 1 the most;
    equal weights share the better
    place. IndexError: no such token.
    """
    layers, heads, _, _ = maps.weights.shape
    rows = maps.weights[:, :, source, :].reshape(layers * heads, -1)  # (L·H, T)
    weight = rows[:, target]
    columns = {
        "layer": np.repeat(np.arange(1, layers + 1), heads),
        "head": np.tile(np.arange(1, heads + 1), layers),
    }
    return pd.DataFrame({**columns, "weight": weight.astype(float), "rank": rank_in(rows, target)})


def rank_in(rows: np.ndarray, target: int) -> np.ndarray:
    """The place of column ``target`` in each row of (n, T), 1 the largest: (n,) int."""
    return 1 + (rows > rows[:, [target]]).sum(axis=1)


def usual_pair(tokens: Sequence[str], special: Sequence[bool], mean: np.ndarray) -> tuple[int, int]:
    """Which two tokens to begin with, from 0: a pair of ``USUAL`` where the review has one, else
    the two words most tied by ``mean``.

    ``mean`` is (T, T), such as the mean over all heads. With a single word it is that word and
    itself.
    """
    names = [token.casefold() for token in tokens]
    for first, second in USUAL:
        if first in names and second in names:
            return names.index(first), names.index(second)
    words = np.flatnonzero(~np.asarray(special, dtype=bool))
    if len(words) < 2:
        place = int(words[0]) if len(words) else 0
        return place, place
    among = np.where(np.eye(len(words), dtype=bool), -1.0, np.asarray(mean)[np.ix_(words, words)])
    source, target = np.unravel_index(int(among.argmax()), among.shape)
    return int(words[source]), int(words[target])
