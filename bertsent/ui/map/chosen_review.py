"""What can be read from a finished map beside the picture: one review in full, the extremes, the
clusters, and a table to take away.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS
from bertsent.settings import LIMITS
from bertsent.space.projection_map import METHODS, ProjectionMap
from bertsent.ui.map.map_view import ShownMap, open_review, open_review_id
from bertsent.ui.shared.downloads import safe_csv
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.frame import ATTENTION, PROBE

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼"}
TABLE = "map_table"
_HOW = r"""
- **Vector of a review**: what the last layer gives for the [CLS] token, or its average or maximum over all tokens but padding.
- **PCA**: with $X = U S V^T$ the centred vectors, the map is $X V_2$, along the two (or three) directions of greatest variance;
  axis $i$ keeps $s_i^2 / \sum_j s_j^2$ of it. Exact, with fixed signs (Pearson 1901).
- **t-SNE**: in 50 principal components reviews get $p_{ij}$ at perplexity 30, their dots $q_{ij} \propto (1 + \|y_i - y_j\|^2)^{-1}$,
  and $\sum p_{ij} \log (p_{ij} / q_{ij})$ is made small, from PCA, with seed 42 (van der Maaten and Hinton 2008; openTSNE).
  Neighbours mean something; the distance between groups and their size mean little.
- **Clusters**: K-Means on the vectors themselves, not on the map: $\min \sum \|x - \mu_{c(x)}\|^2$, the best of ten starts with
  seed 42 (Lloyd 1982). Number 0 is the largest.
- **P(positive)**: $e^{z_+} / (e^{z_-} + e^{z_+})$ of the two logits. The confidence is the larger of both probabilities.
"""
_PLACES = (
    *"xyz",
    *(
        f"{when}_{method}_{axis}"
        for when in ("before", "after")
        for method in METHODS
        for axis in "xy"
    ),
)
_COLUMNS = {
    "text": st.column_config.TextColumn(width="large"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.3f"),
    **{name: st.column_config.NumberColumn(format="%.3f") for name in ("confidence", *_PLACES)},
}
_NEAR = (
    "By the Euclidean distance of their vectors, before anything is projected: ▲ ▼ is the "
    "label, the number is the distance."
)
_SAMPLES, _BEGINNING = 10, 118  # reviews a cluster and characters of each, as printed in the paper


def caption(shown: ShownMap) -> None:
    """One line under the map: how it was made, and how far the model agrees with the labels."""
    points = shown.atlas.points
    judged = points[points["label"].isin(LABELS) & points["prediction"].isin(LABELS)]
    right = int((judged["label"] == judged["prediction"]).sum())
    agreed = (
        f" {shown.learner} agrees with the label of {right:,} of {len(judged):,} "
        f"({_percent(right, len(judged))})."
        if len(judged)
        else ""
    )
    st.caption(escape_markdown(shown.atlas.note + agreed))


def chosen_review(shown: ShownMap) -> None:
    """The review that was clicked: all of it, what is true, what the model says, and its nearest
    neighbours.
    """
    points = shown.atlas.points
    chosen = open_review_id(points)
    if chosen is None:
        st.caption(
            "Click a dot to read its review here, with the model's answer and the five reviews "
            "nearest to it."
        )
        return
    position = int(np.flatnonzero(points["id"] == chosen)[0])
    row = points.iloc[position]
    st.markdown(f"**{escape_markdown(_answer(row))}**")
    with st.container(height=200 if len(row["text"]) > 600 else "content", border=True):
        st.text(row["text"])
    st.caption(escape_markdown(_facts(row)))
    _open_in_probe(shown.reviews.examples[position].text.strip())
    st.markdown("**Nearest to it**", help=_NEAR)
    neighbours(shown.atlas, shown.atlas.embeddings.vectors[position], leave_out=chosen)


def neighbours(
    atlas: ProjectionMap, vector: np.ndarray, *, leave_out: str = "", key: str = "near"
) -> None:
    """The five reviews whose vectors are nearest; a click opens one."""
    near = atlas.nearest(vector, 6)
    st.html(
        f"<style>.st-key-map_{key} button {{justify-content: flex-start}} .st-key-map_{key} button "
        "p {text-align: left}</style>"
    )
    with st.container(gap=None, key=f"map_{key}"):
        for row in near[near["id"] != leave_out].head(5).itertuples():
            sign = SIGNS.get(row.label or row.prediction, "●")
            st.button(
                escape_markdown(f"{sign} {row.distance:.2f} {shorten(row.text, 66)}"),
                key=f"map_{key}_{row.id}",
                type="tertiary",
                on_click=open_review,
                args=(row.id,),
                help=escape_markdown(
                    f"{_facts(pd.Series(row._asdict()))} · distance {row.distance:.4f}"
                ),
            )


def points_table(points: pd.DataFrame, file: str = "bertsent-map.csv") -> None:
    """Every dot as a table that opens reviews without a mouse, and as a CSV file."""
    table = st.expander("All reviews as a table", key="map_all", on_change="rerun")
    if table.open:
        with table:
            st.caption("Choose a row to open its review beside the map.")
            st.dataframe(
                points,
                hide_index=True,
                height=320,
                key=TABLE,
                on_select=_picked,
                selection_mode="single-row",
                column_config=_COLUMNS,
            )
            st.session_state["map_rows"] = points["id"].tolist()
    st.download_button(
        "Points as CSV",
        lambda: safe_csv(points),
        file,
        "text/csv",
        key="map_csv",
        on_click="ignore",
    )


def how_computed(first: str = "") -> None:
    """The formulas behind the page, with their sources; ``first`` is what comes before them."""
    with st.expander("How is this computed?"):
        st.markdown(first + _HOW)


def _answer(row: pd.Series) -> str:
    """What the model says, with a sign beside the colour."""
    if not row["prediction"]:
        return "No answer: this model was not fine-tuned"
    return f"{_signed(row['prediction'])} {100 * row['confidence']:.1f} %"


def _facts(row: pd.Series) -> str:
    truth = f"Truth: {_signed(row['label'])}" if row["label"] else "No label"
    judged = bool(row["label"] and row["prediction"])
    verdict = (
        ""
        if not judged
        else ", the model is right"
        if row["label"] == row["prediction"]
        else ", the model is wrong"
    )
    chance = f" · P(positive) {100 * row['p_positive']:.1f} %" if row["prediction"] else ""
    return f"{truth}{verdict}{chance} · cluster {row['cluster']} · id {row['id']}"


def _signed(label: str) -> str:
    return f"{SIGNS.get(label, '')} {label}".strip()


def _open_in_probe(text: str) -> None:
    cut = text[: LIMITS.review_chars]
    with st.container(horizontal=True, gap="small"):
        if st.button("Open in Probe", key="map_probe", on_click=_carry, args=(cut,)):
            st.switch_page(PROBE.file)
        if st.button("Open in Attention", key="map_attention", on_click=_carry, args=(cut,)):
            st.switch_page(ATTENTION.file)
    if len(text) > len(cut):
        st.caption(
            f"Probe takes {LIMITS.review_chars:,} characters: the first ones of the {len(text):,} "
            "are opened."
        )


def _carry(text: str) -> None:
    st.session_state["text"] = text


def _picked() -> None:
    """A row of the table was chosen."""
    rows, ids = st.session_state[TABLE].selection.rows, st.session_state.get("map_rows", [])
    if rows and rows[0] < len(ids):
        open_review(ids[rows[0]])


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
