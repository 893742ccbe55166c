"""The attention of one review in, what kind of head each one is out: how spread, how far, and where
it rests.

The measures of Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?": entropy
(section 3.3), heads that look at the
next or the previous token (3.1), and heads that rest on [SEP] or [CLS] when they have nothing to do
(3.2).
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

SHARES = ("to [CLS]", "to [SEP]", "to the next", "to the previous", "to itself")


def head_measures(maps: "AttentionMaps") -> pd.DataFrame:
    """One row a head: layer and head from 1, entropy in nats, distance in tokens, and shares of its
    attention.

    All are means over the tokens that look. ``to the next`` leaves out the last token, which has
    none after it, and ``to the
    previous`` the first. Shares that the tokens do not allow (no [SEP] among them, a single token)
    are NaN.
    """
    weights = maps.weights.astype(np.float64)  # (L, H, T, T)
    layers, heads, size, _ = weights.shape
    places = np.arange(size)
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    columns = {
        "layer": np.repeat(np.arange(1, layers + 1), heads),
        "head": np.tile(np.arange(1, heads + 1), layers),
        "entropy": np.abs((weights * logs).sum(-1).mean(-1)),
        "distance": (weights * np.abs(places[:, None] - places)).sum(-1).mean(-1),
        "to [CLS]": _to(maps, "[CLS]"),
        "to [SEP]": _to(maps, "[SEP]"),
        "to the next": _beside(weights, 1),
        "to the previous": _beside(weights, -1),
        "to itself": _beside(weights, 0),
    }
    return pd.DataFrame({name: np.asarray(values).reshape(-1) for name, values in columns.items()})


def _to(maps: "AttentionMaps", marker: str) -> np.ndarray:
    """(L, H): the mean share that goes to a marker."""
    found = [
        place
        for place, (token, special) in enumerate(zip(maps.tokens, maps.special, strict=True))
        if special and token == marker
    ]
    if not found:
        return np.full(maps.weights.shape[:2], np.nan)
    return maps.weights[..., found].astype(np.float64).sum(-1).mean(-1)


def _beside(weights: np.ndarray, step: int) -> np.ndarray:
    """(L, H): the mean weight of the token ``step`` places on, over the tokens that have one."""
    if weights.shape[-1] <= abs(step):
        return np.full(weights.shape[:2], np.nan)
    return np.diagonal(weights, offset=step, axis1=-2, axis2=-1).mean(-1)
