"""Select to read: the reviews inside a lasso or a box, as a table, in numbers, and in the words
that are significantly more frequent in them.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.space.keywords import keywords, selection_sentence
from bertsent.ui.map.map_view import ShownMap, clear_selection, selected_ids
from bertsent.ui.map.review_table import review_table
from bertsent.ui.shared import INLINE_TOKENS, JobRequest, download_menu, escape_markdown, outcome
from bertsent.ui.shared.jobs import UNASKED_TOKENS

TABLE = "selection_table"
FEW = 1_000  # reviews whose words are counted while the page is drawn
BANDS = ((0.5, 0.75), (0.75, 0.9), (0.9, 0.99), (0.99, 1.01))


def show_selection(name: str, shown: ShownMap) -> None:
    """What was selected on the map, or how to select something."""
    points = shown.map.points
    inside = points["id"].isin(selected_ids())
    rows = points[inside]
    if not len(rows):
        flat = "" if "z" not in points else " Choose 2-D above for that."
        st.caption(
            "Drag around dots on the map, by lasso or box (the tools above it), and their reviews "
            f"are listed here.{flat}"
        )
        return
    count = f"{len(rows):,} reviews" if len(rows) > 1 else "One review"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{count} selected** of {len(points):,}")
        st.button("Choose none", key="selection_none", on_click=clear_selection, type="tertiary")
        download_menu("selection_csv", None, "bertsent-selected", tables={"Selected": rows})
    left, right = st.columns([3, 2], gap="medium")
    with left:
        review_table(rows, TABLE, 160)
        st.caption("Choose a row to read the whole review beside the map.")
    with right:
        st.table(pd.Series(counts(rows), name=f"{len(rows):,} of {len(points):,} reviews"))
        _keywords(shown, inside.to_numpy())


def counts(rows: pd.DataFrame) -> dict[str, str]:
    """Labels, predictions, how many are right, and how confident the model is of some points."""
    found = {
        f"label {str(label).lower() or 'unknown'}": f"{n:,}"
        for label, n in rows["label"].value_counts().items()
    }
    if rows["p_positive"].isna().any():
        return found
    found |= {
        f"predicted {str(label).lower()}": f"{n:,}"
        for label, n in rows["prediction"].value_counts().items()
    }
    evaluated = rows[rows["label"] != ""]
    if len(evaluated):
        found["right"] = (
            f"{(evaluated['label'] == evaluated['prediction']).sum():,} of {len(evaluated):,}"
        )
        majority = evaluated["label"].value_counts().max()
        found["right by the majority class"] = f"{majority:,} of {len(evaluated):,}"
    for low, high in BANDS:
        n = int(((rows["confidence"] >= low) & (rows["confidence"] < high)).sum())
        found[f"confidence {100 * low:.0f} to {100 * min(high, 1):.0f} %"] = f"{n:,}"
    return found | {"mean confidence": f"{100 * rows['confidence'].mean():.1f} %"}


def _keywords(shown: ShownMap, inside: np.ndarray) -> None:
    """Counted once for each selection; in the background where there are many reviews."""
    if inside.all():
        st.caption("All reviews are selected, so no word distinguishes them from the rest.")
        return
    texts, ids = shown.reviews.texts, inside.astype(np.int64)
    sentence = outcome(
        JobRequest(
            f"selection-{cache_key(shown.key, np.packbits(inside).tobytes().hex())}",
            lambda _: selection_sentence(keywords(texts, ids)),
            "Counting words",
            "Count words",
            INLINE_TOKENS if len(texts) <= FEW else UNASKED_TOKENS,
        )
    )
    if sentence is not None:
        st.caption(escape_markdown(sentence))
