"""Select to read: the reviews inside a lasso or a box, as a table, in numbers, in words that tell them from the rest."""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.space.reading.keywords import keywords
from bertsent.ui.downloads import safe_csv
from bertsent.ui.frame import plain
from bertsent.ui.many.atlas import Shown, lassoed, select

TABLE = "selection_table"


def show_selection(name: str, shown: Shown) -> None:
    """What was selected on the map, or how to select something."""
    points = shown.atlas.points
    rows = points[points["id"].isin(lassoed())]
    if not len(rows):
        st.caption("Draw a box or a lasso on the flat map (the two right-hand tools above it) and the reviews inside are listed here.")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _table(rows)
    with right:
        st.table(pd.Series(counts(rows), name=f"{len(rows):,} of {len(points):,} reviews"))
        st.caption(plain(_telling(points, rows)))
    st.download_button(
        "Selected as CSV", lambda: safe_csv(rows), "bertsent-selected.csv", "text/csv", key="selection_csv", on_click="ignore"
    )


def counts(rows: pd.DataFrame) -> dict[str, str]:
    """Labels, predictions, how many are right, and the mean confidence of some points."""
    found = {f"label {label.lower() or 'unknown'}": f"{n:,}" for label, n in rows["label"].value_counts().items()}
    if rows["p_positive"].notna().all():
        found |= {f"predicted {label.lower()}": f"{n:,}" for label, n in rows["prediction"].value_counts().items()}
        judged = rows[rows["label"] != ""]
        if len(judged):
            found["right"] = f"{(judged['label'] == judged['prediction']).sum():,} of {len(judged):,}"
        found["mean confidence"] = f"{100 * rows['confidence'].mean():.1f} %"
    return found


def _table(rows: pd.DataFrame) -> None:
    known = {"P(positive)": (100 * rows["p_positive"]).tolist()} if rows["p_positive"].notna().all() else {}
    table = pd.DataFrame({**known, "truth": rows["label"].tolist(), "review": [shorten(text, 160) for text in rows["text"]]})
    st.session_state["selection_rows"] = rows["id"].tolist()
    st.dataframe(
        table, hide_index=True, key=TABLE, on_select=_picked, selection_mode="single-row", height=min(420, 40 + 35 * len(table)),
        column_config={
            "P(positive)": st.column_config.NumberColumn(format="%.1f %%", width="small"),
            "truth": st.column_config.TextColumn(width="small"),
        },
    )  # fmt: skip


def _picked() -> None:
    rows, ids = st.session_state[TABLE].selection.rows, st.session_state.get("selection_rows", [])
    if rows and rows[0] < len(ids):
        select(ids[rows[0]])


def _telling(points: pd.DataFrame, rows: pd.DataFrame) -> str:
    """The words that are commoner inside than outside."""
    inside = points["id"].isin(rows["id"]).to_numpy().astype(np.int64)
    if inside.all():
        return "All reviews are selected, so no word tells them from the rest."
    table = keywords(points["text"].tolist(), inside)
    words = table[(table["cluster"] == 1) & (table["z"] > 0)].head(10)["word"].tolist()
    return f"Words that tell them from the rest (log-odds): {', '.join(words)}." if words else "No word tells them from the rest."
