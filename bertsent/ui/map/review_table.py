"""Reviews as a table from which one is opened, and lists of them as printed in the paper."""

import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.ui.map.choices import open_review
from bertsent.ui.shared import choosing_table, escape_markdown

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}
_LINE = 70  # pixels of a row: three lines of a review
_LONG = 500  # characters; a longer review scrolls
_COLUMNS = {
    "cosine": st.column_config.NumberColumn(format="%.3f", width="small"),
    "P(positive)": st.column_config.NumberColumn(format="%.1f %%", width="small"),
    "truth": st.column_config.TextColumn(width="small"),
    "review": st.column_config.TextColumn(width="large"),
}


def review_table(rows: pd.DataFrame, key: str) -> None:
    """Draw points of a map as whole reviews; choosing a row opens its review beside the map."""
    table = pd.DataFrame({"truth": rows["label"].tolist()})
    table["review"] = rows["text"].tolist()
    if "cosine" in rows:
        table.insert(0, "cosine", rows["cosine"].tolist())
    elif rows["p_positive"].notna().all():
        table.insert(0, "P(positive)", (100 * rows["p_positive"]).tolist())
    choosing_table(
        table,
        key,
        rows["id"].tolist(),
        open_review,
        height=min(480, 40 + _LINE * max(len(table), 1)),
        row_height=_LINE,
        column_config=_COLUMNS,
    )


def review_lines(rows: pd.DataFrame, key: str, number: str = "") -> None:
    """Draw reviews as one line each beside the map; a click opens one.

    Args:
        number: the column of a number that stands in front.
    """
    with st.container(gap=None, key=f"map_{key}"):
        for row in rows.to_dict("records"):
            sign = SIGNS.get(row["label"] or row["prediction"], "●")
            value = f" {row[number]:.2f}" if number else ""
            st.button(
                escape_markdown(f"{sign}{value} {shorten(row['text'], 200)}"),
                key=f"map_{key}_{row['id']}",
                type="tertiary",
                on_click=open_review,
                args=(row["id"],),
                help=escape_markdown(shorten(row["text"], 400)),
            )


def review_list(title: str, rows: pd.DataFrame, key: str, empty: str) -> None:
    """Draw a list as printed in the paper, with (score), but each review whole; ``rows`` are those
    of ``bertsent.space.extreme_reviews``, ``empty`` stands where there are none.
    """
    st.markdown(f"**{title}**")
    if not len(rows):
        st.caption(empty)
    for row in rows.itertuples():
        changed = f"{row.before:.3f} → " if "before" in rows else ""
        with st.container(border=True, gap=None):
            long = len(row.full_text) > _LONG
            with st.container(height=160 if long else "content", border=False):
                st.text(row.full_text)
            truth = f"truth {SIGNS.get(row.label, '')} {row.label}" if row.label else "no label"
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(f"({changed}{row.score:.3f}) · {truth}")
                st.button(
                    "Show on the map",
                    key=f"map_{key}_{row.id}",
                    on_click=open_review,
                    args=(row.id,),
                    type="tertiary",
                )
