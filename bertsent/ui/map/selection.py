"""What a lasso or a box holds, beside the map: how many, their labels and answers, the words that
set them apart, the first of them, and all of them to read.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import LABELS
from bertsent.space.keywords import keywords, selection_sentence
from bertsent.statistics import majority_class_accuracy
from bertsent.ui.map.choices import clear_selection, selected_ids
from bertsent.ui.map.learned_from import learned_sentence
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import SIGNS, review_lines
from bertsent.ui.shared import INLINE_TOKENS, JobRequest, download_menu, escape_markdown, outcome
from bertsent.ui.shared.jobs import UNASKED_TOKENS

FEW = 1_000  # reviews whose words are counted while the page is drawn
FIRST = 8  # that are listed beside the map
BANDS = ((0.5, 0.75), (0.75, 0.9), (0.9, 0.99), (0.99, 1.01))


def selected_rows(points: pd.DataFrame) -> np.ndarray:
    """(n,) which points were selected."""
    return points["id"].isin(selected_ids()).to_numpy()


def show_selection(name: str, shown: ShownMap) -> None:
    """What was selected on the map."""
    inside = selected_rows(shown.map.points)
    rows = shown.map.points[inside]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{count_of(rows)}** of {len(inside):,}")
        st.button("Choose none", key="selection_none", on_click=clear_selection, type="tertiary")
    st.markdown("  \n".join(summary(rows)))
    _keywords(shown, inside)
    if rows["prediction"].isin(LABELS).any():
        st.caption(learned_sentence(name, shown.reviews))
    review_lines(rows.head(FIRST), "chosen")
    with st.container(horizontal=True, gap="small"):
        if st.button(f"Read all {len(rows):,}" if len(rows) > 1 else "Read it", key="read_all"):
            _read_all(rows)
        download_menu("selection_csv", None, "bertsent-selected", tables={"Selected": rows})


def count_of(rows: pd.DataFrame) -> str:
    return f"{len(rows):,} reviews" if len(rows) > 1 else "One review"


def summary(rows: pd.DataFrame) -> list[str]:
    """Labels, answers and how many of them are right, a line each."""
    lines = [line for line in (_shares(rows["label"], "truth"), _right(rows)) if line]
    if rows["p_positive"].notna().any():
        lines.insert(1 if lines else 0, _shares(rows["prediction"], "answer"))
        lines.append(f"mean confidence {100 * rows['confidence'].mean():.1f} %")
    return lines or ["no label and no answer"]


def _shares(names: pd.Series, what: str) -> str:
    counts = names.value_counts()
    named = [*(label for label in SIGNS if label in counts), *counts.index.difference([*SIGNS, ""])]
    found = [f"{SIGNS.get(label, '●')} {counts[label]:,} {label.lower()}" for label in named]
    return f"{what}: {' · '.join(found)}" if found else ""


def _right(rows: pd.DataFrame) -> str:
    evaluated = rows[rows["label"].isin(LABELS) & rows["prediction"].isin(LABELS)]
    if not len(evaluated):
        return ""
    right = int((evaluated["label"] == evaluated["prediction"]).sum())
    majority = majority_class_accuracy([LABELS.index(label) for label in evaluated["label"]])
    return (
        f"{right:,} of {len(evaluated):,} answered rightly ({100 * right / len(evaluated):.1f} %; "
        f"the majority class: {100 * majority:.1f} %)"
    )


@st.dialog("Selected reviews", width="large")
def _read_all(rows: pd.DataFrame) -> None:
    st.markdown(" · ".join([f"**{count_of(rows)}**", *summary(rows)]))
    table = rows[["label", "prediction", "p_positive", "text"]].assign(
        p_positive=100 * rows["p_positive"]
    )
    columns = {
        "label": st.column_config.TextColumn("truth", width="small"),
        "prediction": st.column_config.TextColumn("answer", width="small"),
        "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%"),
        "text": st.column_config.TextColumn("review", width="large"),
    }
    st.dataframe(table, hide_index=True, column_config=columns, row_height=70, height=480)
    st.caption("Click a cell twice to read all of a long review.")


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
