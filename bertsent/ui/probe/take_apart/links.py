"""From the parts to other pages."""

import streamlit as st

from bertsent.ui.shared.frame import ATTENTION


def attention_link() -> None:
    """To Query × key of Attention, where the same head and words are chosen."""
    st.page_link(
        ATTENTION.file,
        label="In Attention",
        icon=":material/arrow_forward:",
        icon_position="right",
        help="Query × key with the same head and words, and all other heads beside it.",
        query_params={"look": "Query × key"},
    )
