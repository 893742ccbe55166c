"""Attention weights as tables, for files that people download."""

import numpy as np
import pandas as pd


def matrix_table(tokens: tuple[str, ...], matrix: np.ndarray) -> pd.DataFrame:
    """One row a token that looks, one column a token it looks at, numbered because a word may come
    twice.
    """
    columns = {
        f"{position} {token}": matrix[:, position - 1]
        for position, token in enumerate(tokens, start=1)
    }
    return pd.DataFrame({"position": range(1, len(tokens) + 1), "token": tokens, **columns})


def all_heads_table(tokens: tuple[str, ...], weights: np.ndarray) -> pd.DataFrame:
    """One row a weight: layer, head, from and to, all counted from 1."""
    layer, head, row, column = (places.reshape(-1) for places in np.indices(weights.shape))
    names = np.array(tokens, dtype=object)
    columns = {
        "layer": layer + 1,
        "head": head + 1,
        "from position": row + 1,
        "from": names[row],
        "to position": column + 1,
    }
    return pd.DataFrame({**columns, "to": names[column], "value": weights.reshape(-1)})
