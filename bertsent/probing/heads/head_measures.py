"""The attention of one review in, what kind of head each one is out: how spread, how far, and where
it rests.

The measures of Clark, Khandelwal, Levy and Manning 2019, "What Does BERT Look At?": entropy
(section 3.3), heads that look at the next or the previous token (3.1), and heads that rest on [SEP]
or [CLS] when they have nothing to do (3.2).
"""

import numpy as np
import pandas as pd
from scipy.special import entr

from bertsent.probing.heads.attention_maps import AttentionMaps, head_name

SHARES = ("to [CLS]", "to [SEP]", "to the next", "to the previous", "to itself")
MEASURES = ("entropy", "distance", *SHARES)


def head_measures(maps: AttentionMaps) -> pd.DataFrame:
    """One row per head: layer and head from 1, entropy in nats, distance in tokens, and shares of
    its attention.

    All are means over the tokens that look. ``to the next`` leaves out the last token, which has
    none after it, and ``to the previous`` the first. Shares that the tokens do not allow (no [SEP]
    among them, a single token) are NaN.
    """
    weights = maps.weights.astype(np.float64)  # (L, H, T, T)
    layers, heads, size, _ = weights.shape
    places = np.arange(size)
    columns = {
        "layer": np.repeat(np.arange(1, layers + 1), heads),
        "head": np.tile(np.arange(1, heads + 1), layers),
        "entropy": entr(weights).sum(-1).mean(-1),
        "distance": (weights * np.abs(places[:, None] - places)).sum(-1).mean(-1),
        "to [CLS]": _to(maps, weights, "[CLS]"),
        "to [SEP]": _to(maps, weights, "[SEP]"),
        "to the next": _beside(weights, 1),
        "to the previous": _beside(weights, -1),
        "to itself": _beside(weights, 0),
    }
    return pd.DataFrame({name: np.asarray(values).reshape(-1) for name, values in columns.items()})


def measures_sentence(table: pd.DataFrame, tokens: int) -> str:
    """What the heads of this model do on the whole."""
    rest = (table["to [SEP]"] + table["to [CLS]"] > 0.5).sum()
    beside = ((table["to the next"] > 0.5) | (table["to the previous"] > 0.5)).sum()
    even = (table["entropy"] > 0.9 * np.log(max(tokens, 2))).sum()
    return (
        f"Of {len(table)} heads, {rest} give more than half to [CLS] and [SEP], {beside} to the "
        f"neighbouring token, and {even} look at everything almost evenly."
    )


def largest_measure_sentence(table: pd.DataFrame, measure: str) -> str:
    """Which head has most of a measure."""
    if not np.isfinite(table[measure]).any():
        return f"This review has no token pair for “{measure}”."
    row = table.loc[table[measure].idxmax()]
    value = f"{100 * row[measure]:.0f} %"
    if measure not in SHARES:
        value = f"{row[measure]:.2f} {'nats' if measure == 'entropy' else 'tokens'}"
    head = head_name((int(row["layer"]) - 1, int(row["head"]) - 1))
    return f"Most {measure}: head {head}, {value}."


def _to(maps: AttentionMaps, weights: np.ndarray, marker: str) -> np.ndarray:
    """(L, H): the mean share that goes to a marker."""
    found = np.array(maps.special) & (np.array(maps.tokens, dtype=object) == marker)
    return (
        weights[..., found].sum(-1).mean(-1) if found.any() else np.full(weights.shape[:2], np.nan)
    )


def _beside(weights: np.ndarray, step: int) -> np.ndarray:
    """(L, H): the mean weight of the token ``step`` places on, over the tokens that have one."""
    if weights.shape[-1] <= abs(step):
        return np.full(weights.shape[:2], np.nan)
    return np.diagonal(weights, offset=step, axis1=-2, axis2=-1).mean(-1)
