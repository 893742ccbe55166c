"""Batch: a whole file of reviews, answered in the background, as a table that can be sorted,
filtered and downloaded.

What somebody brings stays in their session: the key of the work holds a secret of the session, so
nobody else can meet it.
"""

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.tables import read_bytes
from bertsent.probing.batch_answers import (
    MOST,
    BatchAnswers,
    answer_all,
    batch_sentence,
    check_count,
    pasted_reviews,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import (
    JobRequest,
    asking_table,
    choose,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    outcome,
    upload,
)
from bertsent.ui.shared.jobs import jobs, session_secret
from bertsent.ui.shared.uploads import keep, kept

PASTE, FILE = "Paste", "A file"
FILE_BOX = "batch_file"
COLUMNS = {
    "p_positive": st.column_config.NumberColumn("P(positive)", format="percent"),
    "unknown": st.column_config.NumberColumn("unknown", help="Tokens that the model does not know"),
    "cut": st.column_config.CheckboxColumn(
        "cut", help="The model did not read the end of the review."
    ),
    "cleaned": st.column_config.NumberColumn(
        "cleaned", help="HTML tags, HTML entities and control characters that were removed"
    ),
    "text": st.column_config.TextColumn("text", width="large"),
}
RATES = {
    name: st.column_config.NumberColumn(format="percent")
    for name in ("accuracy", "from", "to", "majority class")
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
    if found := _answers(model, reviews):
        _show_answers(found, model)


def _reviews() -> Reviews | None:
    """What somebody brought in this session, the last good one where the newest cannot be used."""
    if choose("Reviews", (PASTE, FILE), "batch_how", bind=None) == PASTE:
        with st.form("batch_form", border=False):
            text = st.text_area(
                "One review a line", key="batch_text", height=160, help=f"Up to {MOST:,} reviews."
            )
            if st.form_submit_button("Answer all", type="primary", key="batch_ask"):
                keep(FILE_BOX, "pasted reviews", lambda: pasted_reviews(text))
        reviews = kept(FILE_BOX)
    else:
        reviews = upload(
            "A file with a text column",
            _read,
            key=FILE_BOX,
            incomplete="a text",
            help=f"Columns “label” and “phenomenon” are optional. Up to {MOST:,} reviews and "
            "50 MB.",
        )
    if reviews is None:
        st.caption(
            "The answers appear here. Your reviews stay on this server, in your session; nobody "
            "else sees them."
        )
    return reviews


def _read(data: bytes, name: str, *, drop_incomplete: bool) -> Reviews:
    return check_count(read_bytes(data, name, drop_incomplete=drop_incomplete, need_labels=False))


def _answers(model: LoadedModel, reviews: Reviews) -> BatchAnswers | None:
    """The answers, or their progress; once made they stay in the session alone."""
    key = f"batch-{cache_key(session_secret(), model.key, model.max_length, reviews.sha256)}"
    found_key, found = st.session_state.get("batch_found", (None, None))
    if found_key == key:
        return found

    found = outcome(
        JobRequest(
            key,
            lambda progress: answer_all(model, reviews, progress=progress),
            f"Answering {len(reviews):,} reviews",
            "Answer them",
            lane="long",
            unasked=True,
        )
    )
    if found is not None:
        st.session_state["batch_found"] = key, found
        jobs().forget(key)
    return found


def _show_answers(found: BatchAnswers, model: LoadedModel) -> None:
    rows, rates = found.table, found.accuracies
    st.caption(escape_markdown(batch_sentence(found, model)))
    if found.slices:
        st.dataframe(rates, hide_index=True, key="batch_slices", column_config=RATES)
    if "right" in rows and st.toggle(
        "Only wrong ones",
        key="batch_wrong",
        help="Those with a known label that the answer does not match.",
    ):
        rows = rows[rows["right"].eq(False).fillna(False)]
    asking_table(
        rows, "batch_table", column_config=COLUMNS, height=min(400, 40 + 35 * max(1, len(rows)))
    )
    downloads_and_help(
        "batch",
        None,
        "batch",
        ("probe", "batch"),
        tables={"Answers": found.table, **({"Accuracy": rates} if found.slices else {})},
    )
