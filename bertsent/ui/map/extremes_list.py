"""Extreme reviews in, a list of them out: (score) and the beginning, the whole review behind it."""

import pandas as pd
import streamlit as st

from bertsent.ui.map.map_view import open_review
from bertsent.ui.shared.errors import escape_markdown

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}


def show_list(title: str, rows: pd.DataFrame, key: str, empty: str) -> None:
    """Draw a list as printed in the paper; ``rows`` are those of ``bertsent.space.extreme_reviews``,
    ``empty`` is said when there are none.
    """
    st.markdown(f"**{title}**")
    if not len(rows):
        st.caption(empty)
    for row in rows.itertuples():
        changed = f"{row.before:.3f} → " if "before" in rows else ""
        with st.expander(f"({changed}{row.score:.3f}) {escape_markdown(row.text)}"):
            st.text(row.full_text)
            st.caption(
                f"Truth: {SIGNS.get(row.label, '')} {row.label}".strip()
                if row.label
                else "Truth: no label"
            )
            st.button(
                "Show on the map", key=f"map_{key}_{row.id}", on_click=open_review, args=(row.id,)
            )
