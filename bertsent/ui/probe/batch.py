"""A whole file of reviews: answered in the background, as a table that can be sorted, filtered and
taken away.

What somebody brings stays in their session: the key of the work holds a secret of the session, so
nobody else can meet it.
"""

from typing import TYPE_CHECKING

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.data.tables import read_bytes
from bertsent.errors import BertsentError
from bertsent.probing.batch_answers import (
    MOST,
    BatchAnswers,
    answer_all,
    batch_sentence,
    check_count,
    pasted_reviews,
)
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.jobs import jobs, session_secret, wait_for
from bertsent.ui.shared.model_picker import loaded_model
from bertsent.ui.shared.review_bar import ask_about

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

PASTE, FILE = "Paste", "A file"
_COLUMNS = {
    "p_positive": st.column_config.NumberColumn("P(positive)", format="percent"),
    "cut": st.column_config.CheckboxColumn("cut", help="The model did not read the end of it."),
    "text": st.column_config.TextColumn("text", width="large"),
}


def show_batch(name: str) -> None:
    """Draw the batch view for the model of that registry name.

    Raises:
        BertsentError: the model does not answer.
    """
    reviews = _reviews()
    if reviews is None:
        return
    model = loaded_model(name)
    found = _answered(model, reviews)
    if found is not None:
        _shown(found, model)


def _reviews() -> Reviews | None:
    """What somebody brought in this session, the last good one where the newest cannot be used."""
    how = st.segmented_control(
        "Reviews",
        [PASTE, FILE],
        default=PASTE,
        required=True,
        key="batch_how",
        persist_state="session",
    )
    if how == PASTE:
        with st.form("batch_form", border=False):
            text = st.text_area(
                "One review a line", key="batch_text", height=160, help=f"Up to {MOST:,} reviews."
            )
            if st.form_submit_button("Answer all", type="primary", key="batch_ask"):
                _keep(lambda: pasted_reviews(text))
    else:
        file = st.file_uploader(
            "A file with a text column",
            type=["csv", "tsv", "jsonl", "parquet"],
            key="batch_file",
            help=f"A label and a phenomenon column are welcome and not needed. Up to {MOST:,} "
            "reviews and 50 MB.",
        )
        drop = st.checkbox("Leave out rows without a text", key="batch_incomplete")
        if file is not None and st.session_state.get("batch_file_id") != (file.file_id, drop):
            st.session_state["batch_file_id"] = (file.file_id, drop)
            _keep(
                lambda: check_count(
                    read_bytes(file.getvalue(), file.name, drop_incomplete=drop, need_labels=False)
                )
            )
    if error := st.session_state.get("batch_error"):
        show_error(error)
    reviews = st.session_state.get("batch_reviews")
    if reviews is None:
        st.caption(
            "The answers will be here. What you bring stays on this server, in your session, and "
            "is shown to nobody else."
        )
    elif error:
        st.caption(escape_markdown(f"Below is still what was brought before: {reviews.name}."))
    return reviews


def _keep(read) -> None:  # noqa: ANN001 - gives Reviews
    st.session_state.pop("batch_error", None)
    try:
        st.session_state["batch_reviews"] = read()
    except BertsentError as error:
        st.session_state["batch_error"] = error


def _answered(model: "LoadedModel", reviews: Reviews) -> BatchAnswers | None:
    """The answers, or their progress with a way out."""
    from bertsent.data.cache import cache_key

    key = f"batch-{cache_key(session_secret(), model.key, model.max_length, reviews.sha256)}"
    kept_key, kept = st.session_state.get("batch_found", (None, None))
    if kept_key == key:
        return kept

    def work(progress):  # noqa: ANN001, ANN202
        return answer_all(model, reviews, progress=progress)

    job = jobs().find(key)
    if job is None:
        job = jobs().start(key, work, "long")
    if job.state == "done":
        st.session_state["batch_found"] = key, job.result
        jobs().forget(key)
        return job.result
    if not job.over:
        wait_for(key, f"Answering {len(reviews):,} reviews")
        return None
    if job.state == "failed":
        show_error(BertsentError(job.error))
    else:
        st.caption("Cancelled. Nothing was kept.")
    if st.button("Answer them again", key="batch_again", type="primary"):
        jobs().start(key, work, "long")
        st.rerun()
    return None


def _shown(found: BatchAnswers, model: "LoadedModel") -> None:
    table = found.table
    st.caption(escape_markdown(batch_sentence(found, model)))
    if found.slices:
        rates = found.accuracies
        st.dataframe(
            rates,
            hide_index=True,
            key="batch_slices",
            column_config={
                name: st.column_config.NumberColumn(format="percent")
                for name in ("accuracy", "from", "to")
            },
        )
    rows = table
    if "right" in table and st.toggle(
        "Only wrong ones", key="batch_wrong", help="Those whose label is known and was not found."
    ):
        rows = table[table["right"].eq(False).fillna(False)]
    chosen = st.dataframe(
        rows,
        hide_index=True,
        key="batch_table",
        on_select="rerun",
        selection_mode="single-row",
        column_config=_COLUMNS,
        height=min(400, 40 + 35 * max(1, len(rows))),
    ).selection.rows
    if chosen and chosen[0] < len(rows):
        text = str(rows["text"].iloc[chosen[0]])
        st.text(text)
        ask_about(text, "batch_take")
    tables = {"Answers": table, **({"Accuracy": found.accuracies} if found.slices else {})}
    download_menu("batch", None, "batch", tables=tables)
    with st.popover("How is this computed?", type="tertiary"):
        st.markdown(
            "Texts are sorted by length and go through the model together, in full precision. A "
            "label is the side with the larger "
            "probability. The interval of an accuracy is Wilson's (1927) at 95 %. Cells of a "
            "download that a spreadsheet would run as "
            "formulas begin with an apostrophe."
        )
