"""Reviews as a table from which one is opened, and lists of them as printed in the paper."""

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.ui.map.map_view import open_review
from bertsent.ui.shared import choosing_table, escape_markdown

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}
_COLUMNS = {
    "cosine": st.column_config.NumberColumn(format="%.3f", width="small"),
    "P(positive)": st.column_config.NumberColumn(format="%.1f %%", width="small"),
    "truth": st.column_config.TextColumn(width="small"),
}


def review_table(rows: pd.DataFrame, key: str, characters: int) -> None:
    """Draw points of a map by their first characters; choosing a row opens its review beside the
    map.
    """
    table = pd.DataFrame({"truth": rows["label"].tolist()})
    table["review"] = [shorten(text, characters) for text in rows["text"]]
    if "cosine" in rows:
        table.insert(0, "cosine", rows["cosine"].tolist())
    elif rows["p_positive"].notna().all():
        table.insert(0, "P(positive)", (100 * rows["p_positive"]).tolist())
    choosing_table(
        table,
        key,
        rows["id"].tolist(),
        open_review,
        height=min(420, 40 + 35 * max(len(table), 1)),
        column_config=_COLUMNS,
    )


def review_list(title: str, rows: pd.DataFrame, key: str, empty: str) -> None:
    """Draw a list as printed in the paper, (score) and the beginning, with the whole review behind
    it; ``rows`` are those of ``bertsent.space.extreme_reviews``, ``empty`` stands where there are
    none.
    """
    st.markdown(f"**{title}**")
    if not len(rows):
        st.caption(empty)
    for row in rows.itertuples():
        changed = f"{row.before:.3f} → " if "before" in rows else ""
        with st.expander(f"({changed}{row.score:.3f}) {escape_markdown(row.text)}"):
            st.text(row.full_text)
            truth = f"{SIGNS.get(row.label, '')} {row.label}" if row.label else "no label"
            st.caption(f"Truth: {truth}")
            st.button(
                "Show on the map", key=f"map_{key}_{row.id}", on_click=open_review, args=(row.id,)
            )
