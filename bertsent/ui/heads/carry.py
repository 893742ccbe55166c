"""One button for each way to take a figure of heatmaps and its numbers away; each file is made when
its button is pressed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.ui.shared.downloads import picture_buttons, safe_csv

if TYPE_CHECKING:
    import plotly.graph_objects as go


def carry(
    name: str,
    table: Callable[[], pd.DataFrame],
    figure: Callable[[], "go.Figure"],
    *,
    file: str = "",
) -> None:
    """A box of downloads: the numbers that ``table`` gives, and what ``figure`` gives in three
    forms.

    ``name`` is the key of the box; the files are called ``file``, or else the same.
    """
    from bertsent.figures.sheets import sheet

    file = file or name
    with st.popover("Download", key=f"{name}_download"):
        st.download_button(
            "Numbers as CSV",
            lambda: safe_csv(table()),
            f"{file}.csv",
            "text/csv",
            key=f"{name}_csv",
            on_click="ignore",
        )
        picture_buttons(file, lambda form: sheet(figure(), form), key=f"{name}_")


def matrix_table(tokens: tuple[str, ...], matrix) -> pd.DataFrame:  # noqa: ANN001 - a (T, T) array
    """One row a token that looks, one column a token it looks at, numbered because a word may come
    twice.
    """
    columns = {
        f"{position} {token}": matrix[:, position - 1]
        for position, token in enumerate(tokens, start=1)
    }
    return pd.DataFrame({"position": range(1, len(tokens) + 1), "token": tokens, **columns})


def all_heads_table(tokens: tuple[str, ...], weights) -> pd.DataFrame:  # noqa: ANN001 - an (L, H, T, T) array
    """One row a weight: layer, head, from and to, all counted from 1."""
    import numpy as np

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
