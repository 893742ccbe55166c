"""What can be read beside a finished map: one review in full with its nearest neighbours, and all
of them as a table.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.cleaning import shorten
from bertsent.data.examples import Example
from bertsent.settings import LIMITS
from bertsent.space.projection_map import METHODS, ProjectionMap
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task
from bertsent.ui.map.choices import open_review, open_review_id
from bertsent.ui.map.map_view import ShownMap
from bertsent.ui.map.review_table import SIGNS
from bertsent.ui.shared import choose_review, choosing_table, escape_markdown
from bertsent.ui.shared.frame import ATTENTION, PROBE
from bertsent.ui.shared.links import NO_QUERY
from bertsent.ui.shared.model_picker import chosen_model
from bertsent.ui.shared.task_tabs import open_in_probe

TABLE = "map_table"
_PLACES = (
    *"xyz",
    *(f"{when}_{how}_{axis}" for when in ("before", "after") for how in METHODS for axis in "xy"),
)
_COLUMNS = {
    "text": st.column_config.TextColumn(width="large"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.3f"),
    **{name: st.column_config.NumberColumn(format="%.3f") for name in ("confidence", *_PLACES)},
}
_NEAR = (
    "By the Euclidean distance between the full vectors, before projection. ▲ ▼ is the label, the "
    "number is the distance."
)


def chosen_review(shown: ShownMap) -> None:
    """The review that is open: all of it, the truth, the model's answer, and its nearest
    neighbours.
    """
    points = shown.map.points
    opened = open_review_id(points)
    if opened is None:
        return
    position = int(np.flatnonzero(points["id"] == opened)[0])
    row = points.iloc[position]
    answer = (
        f"{_signed(row['prediction'])} {100 * row['confidence']:.1f} %"
        if row["prediction"]
        else "No answer: this model was not fine-tuned for two labels"
    )
    st.markdown(f"**{escape_markdown(answer)}**")
    with st.container(height=200 if len(row["text"]) > 400 else "content"):
        st.text(row["text"])
    st.caption(escape_markdown(_facts(row)))
    _open_elsewhere(shown.reviews.examples[position], shown.reviews.task)
    st.markdown("**Nearest to it**", help=_NEAR)
    neighbours(shown.map, shown.map.embeddings.vectors[position], leave_out=opened)


def neighbours(
    projection: ProjectionMap, vector: np.ndarray, *, leave_out: str = "", key: str = "near"
) -> None:
    """The five reviews whose vectors are nearest; a click opens one."""
    near = projection.nearest(vector, 6)
    with st.container(gap=None, key=f"map_{key}"):
        for _, row in near[near["id"] != leave_out].head(5).iterrows():
            sign = SIGNS.get(row["label"] or row["prediction"], "●")
            st.button(
                escape_markdown(f"{sign} {row['distance']:.2f} {shorten(row['text'], 120)}"),
                key=f"map_{key}_{row['id']}",
                type="tertiary",
                on_click=open_review,
                args=(row["id"],),
                help=escape_markdown(f"{_facts(row)} · distance {row['distance']:.4f}"),
            )


def points_table(points: pd.DataFrame) -> None:
    """Every dot as a table that opens reviews without a mouse."""
    table = st.expander("All reviews as a table", key="map_all", on_change="rerun")
    if table.open:
        with table:
            st.caption("Choose a row to open its review beside the map.")
            choosing_table(
                points,
                TABLE,
                points["id"].tolist(),
                open_review,
                height=320,
                column_config=_COLUMNS,
            )


def _facts(row: pd.Series) -> str:
    truth = f"Truth: {_signed(row['label'])}" if row["label"] else "No label"
    if row["label"] and row["prediction"]:
        truth += f", the model is {'right' if row['label'] == row['prediction'] else 'wrong'}"
    answer = f" · P(positive) {100 * row['p_positive']:.1f} %" if row["prediction"] else ""
    return f"{truth}{answer} · cluster {row['cluster']} · id {row['id']}"


def _signed(label: str) -> str:
    return f"{SIGNS.get(label, '')} {label}".strip()


def _open_elsewhere(example: Example, task: Task) -> None:
    text = example.text
    meant = task.parts[task.place(example.part)] if isinstance(task, MixedTask) else task
    with st.container(horizontal=True, gap="small"):
        if meant != SENTIMENT and st.button("Open in Probe", key="map_task"):
            open_in_probe(meant, chosen_model(), text, example.second)
        pages = ((PROBE, "map_probe"), (ATTENTION, "map_attention"))
        for page, key in pages[meant != SENTIMENT :]:
            if st.button(f"Open in {page.title}", key=key, on_click=choose_review, args=(text,)):
                st.switch_page(page.file, query_params=NO_QUERY)
    if len(text) > LIMITS.review_chars:
        st.caption(
            f"Only the first {LIMITS.review_chars:,} of its {len(text):,} characters are opened."
        )
