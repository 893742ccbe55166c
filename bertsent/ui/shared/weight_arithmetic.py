"""One attention weight worked out, as every page draws it: the chain of numbers to it, and the same
over all tokens that can be looked at.
"""

import streamlit as st

from bertsent.probing.heads.query_key_product import QueryKey
from bertsent.ui.shared.tables import number_columns

TABLE = 320  # pixels of the table of all tokens at the most


def show_weight_chain(found: QueryKey, other: int) -> None:
    """Draw the way from the products to the weight of token ``other``, from 0, in four numbers."""
    size = len(found.query)
    with st.container(horizontal=True, gap="large"):
        st.metric("q · k", f"{found.scores[other]:.4f}")
        st.metric(f"/ √{size} = / {size**0.5:.4f}", f"{found.scaled[other]:.4f}")
        st.metric("softmax: the weight", f"{found.weights[other]:.4f}")
        st.metric("the model’s own weight", f"{found.own[other]:.4f}")


def show_weight_row(found: QueryKey, key: str) -> None:
    """Draw the same for all tokens, as a table of that ``key``."""
    table = found.table()
    st.dataframe(
        table,
        hide_index=True,
        height=min(TABLE, 38 + 35 * len(table)),
        key=key,
        column_config=number_columns(dict.fromkeys(table.columns[2:], "%.4f")),
    )
