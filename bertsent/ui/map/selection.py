"""Select to read: the reviews inside a lasso or a box, as a table, in numbers, in words that tell
them from the rest.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import shorten
from bertsent.space.keywords import keywords
from bertsent.ui.map.map_view import ShownMap, clear_selection, open_review, selected_ids
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.jobs import UNASKED_TOKENS, JobRequest, outcome

TABLE = "selection_table"
FEW, WORDS = (
    1_000,
    10,
)  # reviews whose words are counted while the page is drawn; words that are named
BANDS = ((0.5, 0.75), (0.75, 0.9), (0.9, 0.99), (0.99, 1.01))
_BEGINNING = 160


def show_selection(name: str, shown: ShownMap) -> None:
    """What was selected on the map, or how to select something."""
    points = shown.atlas.points
    inside = points["id"].isin(selected_ids())
    rows = points[inside]
    if not len(rows):
        flat = "" if "z" not in points else " Choose 2-D above for that."
        st.caption(
            "Drag around dots on the map, by lasso or box (the tools above it), and their reviews "
            f"are listed here.{flat}"
        )
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{len(rows):,} reviews chosen** of {len(points):,}"
            if len(rows) > 1
            else f"**One review chosen** of {len(points):,}"
        )
        st.button("Choose none", key="selection_none", on_click=clear_selection, type="tertiary")
        st.download_button(
            "Selected as CSV",
            lambda: safe_csv(rows),
            "bertsent-selected.csv",
            "text/csv",
            key="selection_csv",
            on_click="ignore",
        )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _table(rows)
    with right:
        st.table(pd.Series(counts(rows), name=f"{len(rows):,} of {len(points):,} reviews"))
        _telling(shown, inside.to_numpy())


def counts(rows: pd.DataFrame) -> dict[str, str]:
    """Labels, predictions, how many are right, and how confident the model is of some points."""
    found = {
        f"label {label.lower() or 'unknown'}": f"{n:,}"
        for label, n in rows["label"].value_counts().items()
    }
    if rows["p_positive"].notna().all():
        found |= {
            f"predicted {label.lower()}": f"{n:,}"
            for label, n in rows["prediction"].value_counts().items()
        }
        judged = rows[rows["label"] != ""]
        if len(judged):
            found["right"] = (
                f"{(judged['label'] == judged['prediction']).sum():,} of {len(judged):,}"
            )
        for low, high in BANDS:
            n = int(((rows["confidence"] >= low) & (rows["confidence"] < high)).sum())
            found[f"confidence {100 * low:.0f} to {100 * min(high, 1):.0f} %"] = f"{n:,}"
        found["mean confidence"] = f"{100 * rows['confidence'].mean():.1f} %"
    return found


def keywords_sentence(table: pd.DataFrame) -> str:
    """The words that are commoner inside (group 1) than outside, and the other way round; ``table``
    is that of ``keywords``.
    """
    words = {
        group: table[(table["cluster"] == group) & (table["z"] > 0)].head(WORDS)["word"].tolist()
        for group in (1, 0)
    }
    if not words[1]:
        return "No word tells them from the rest."
    rare = f" Rarer in them: {', '.join(words[0])}." if words[0] else ""
    return f"Words that tell them from the rest (log-odds): {', '.join(words[1])}.{rare}"


def _table(rows: pd.DataFrame) -> None:
    known = (
        {"P(positive)": (100 * rows["p_positive"]).tolist()}
        if rows["p_positive"].notna().all()
        else {}
    )
    table = pd.DataFrame(
        {
            **known,
            "truth": rows["label"].tolist(),
            "review": [shorten(text, _BEGINNING) for text in rows["text"]],
        }
    )
    st.session_state["selection_rows"] = rows["id"].tolist()
    st.dataframe(
        table,
        hide_index=True,
        key=TABLE,
        on_select=_picked,
        selection_mode="single-row",
        height=min(420, 40 + 35 * len(table)),
        column_config={
            "P(positive)": st.column_config.NumberColumn(format="%.1f %%", width="small"),
            "truth": st.column_config.TextColumn(width="small"),
        },
    )
    st.caption("Choose a row to read the whole review beside the map.")


def _picked() -> None:
    rows, ids = st.session_state[TABLE].selection.rows, st.session_state.get("selection_rows", [])
    if rows and rows[0] < len(ids):
        open_review(ids[rows[0]])


def _telling(shown: ShownMap, inside: np.ndarray) -> None:
    """Counted once a selection; in the background where there are many reviews."""
    if inside.all():
        st.caption("All reviews are selected, so no word tells them from the rest.")
        return
    texts = shown.atlas.points["text"]
    ids = inside.astype(np.int64)
    key = f"telling-{cache_key(shown.key, np.packbits(inside).tobytes().hex())}"
    quick = len(texts) <= FEW
    said = outcome(
        JobRequest(
            key,
            lambda _: keywords_sentence(keywords(texts.tolist(), ids)),
            "Counting words",
            "Count words",
            0 if quick else UNASKED_TOKENS,
        )
    )
    if said is not None:
        st.caption(escape_markdown(said))
