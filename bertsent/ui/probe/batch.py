"""Batch: a whole file of reviews, answered in the background, as a table that can be sorted,
filtered and downloaded.

What somebody brings stays in their session: the key of the work holds a secret of the session, so
nobody else can meet it.
"""

from typing import Any

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.tables import read_bytes
from bertsent.figures.answer_histogram import answer_histogram
from bertsent.probing.batch_answers import (
    MOST,
    BatchAnswers,
    answer_all,
    batch_sentence,
    check_count,
    contents_sentence,
    pasted_reviews,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.tasks.mixed import MixedTask
from bertsent.training.runs.report import evaluation_report
from bertsent.ui.probe.batch_tasks import show_task_batch
from bertsent.ui.probe.private_outcome import private_outcome
from bertsent.ui.probe.task_models import offers_another_tab
from bertsent.ui.shared import (
    INLINE_TOKENS,
    JobRequest,
    altair_chart,
    asking_table,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    result,
    upload,
)
from bertsent.ui.shared.confusion import confusion_view
from bertsent.ui.shared.jobs import session_secret
from bertsent.ui.shared.uploads import Kept, keep

PREVIEW = 8  # rows of a file that are shown before it is answered
CHARACTERS = 4  # of an English text make about one token
FIRST = ("text", "p_positive", "prediction")
FILE_BOX = "batch_file"
COLUMNS = {
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%"),
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
    name: st.column_config.NumberColumn(format="%.1f %%")
    for name in ("accuracy", "from", "to", "majority class")
}


def show_batch(name: str) -> None:
    """Draw the batch view for the model of that registry name.

    Raises:
        BertsentError: the model does not answer.
    """
    model = loaded_model(name)
    if "answer" in model.gives and "sentiment" not in model.gives:
        if isinstance(model.task, MixedTask):
            offers_another_tab(name)
        else:
            show_task_batch(name, model)
        return
    if not _brought():
        with result("batch"):
            _boxes()
            st.caption(
                "The answers appear here. Your reviews stay on this server, in your session; "
                "nobody else sees them."
            )
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        with st.popover("Other reviews", key="batch_other"):
            reviews: Reviews = _boxes()
        st.caption(escape_markdown(contents_sentence(reviews)), width="stretch")
    with result("batch"):
        found = _answers(model, reviews)
        if found is None:
            _show_first_rows(reviews)
            return
        _show_answers(found, model)
    if found.slices:
        _show_accuracy(found, reviews, name)
    downloads_and_help(
        "batch",
        lambda: [answer_histogram(found.table)],
        "batch",
        ("probe", "batch"),
        tables={"Answers": found.table, **({"Accuracy": found.accuracies} if found.slices else {})},
    )


def _brought() -> bool:
    """Whether there are reviews of this session that could be read."""
    return st.session_state.get(f"{FILE_BOX}_kept", Kept()).content is not None


def _boxes() -> Any:  # Reviews, None while there are none
    """Both ways to bring reviews; gives back the last good ones of this session."""

    def paste() -> None:
        text = st.session_state["batch_text"] or ""
        keep(FILE_BOX, "pasted reviews", lambda: pasted_reviews(text))

    left, right = st.columns(2, gap="large")
    with left, st.form("batch_form", border=False):
        st.text_area(
            "Paste reviews, one a line",
            key="batch_text",
            height=170,
            placeholder="Great, another boring movie\nThis is not a bad film",
            help=f"Up to {MOST:,} reviews.",
        )
        st.form_submit_button("Answer all", type="primary", key="batch_ask", on_click=paste)
    with right:
        return upload(
            "Or a file with a text column",
            _read,
            key=FILE_BOX,
            incomplete="a text",
            help=f"Columns “label” and “phenomenon” are optional; with labels the answers are "
            f"judged. Up to {MOST:,} reviews and 50 MB.",
        )


def _read(data: bytes, name: str, *, drop_incomplete: bool) -> Reviews:
    return check_count(read_bytes(data, name, drop_incomplete=drop_incomplete, need_labels=False))


def _answers(model: LoadedModel, reviews: Reviews) -> BatchAnswers | None:
    """The answers, or their progress; once made they stay in the session alone."""
    key = f"batch-{cache_key(session_secret(), model.key, model.max_length, reviews.sha256)}"
    found: BatchAnswers | None = private_outcome(
        "batch_found",
        JobRequest(
            key,
            lambda progress: answer_all(model, reviews, progress=progress),
            f"Answering {len(reviews):,} reviews",
            f"Answer {len(reviews):,} reviews",
            INLINE_TOKENS + sum(map(len, reviews.texts)) // CHARACTERS,
            lane="long",
        ),
    )
    return found


def _show_first_rows(reviews: Reviews) -> None:
    """What was read of the file, until the answers are there."""
    table = reviews.frame().head(PREVIEW)
    held = {"label": table["label"].notna().any(), "phenomenon": table["phenomenon"].any()}
    columns = ["text", *(name for name, there in held.items() if there)]
    st.dataframe(table[columns], hide_index=True, key="batch_preview", column_config=COLUMNS)
    if len(reviews) > PREVIEW:
        st.caption(f"The first {PREVIEW} of {len(reviews):,} reviews.")


def _show_answers(found: BatchAnswers, model: LoadedModel) -> None:
    rows = found.table
    said = batch_sentence(found, model)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        altair_chart(answer_histogram(rows), key="batch_histogram", alt=said)
        st.caption(escape_markdown(said))
    with right:
        if "right" in rows and st.toggle(
            "Only wrong ones",
            key="batch_wrong",
            help="Those with a known label that the answer does not match.",
        ):
            rows = rows[rows["right"].eq(False).fillna(False)]
        columns = [*FIRST, *(name for name in rows if name not in FIRST)]
        asking_table(
            rows[columns].assign(p_positive=100 * rows["p_positive"]),
            "batch_table",
            column_config=COLUMNS,
            height=min(400, 38 + 35 * len(rows)),
        )


def _show_accuracy(found: BatchAnswers, reviews: Reviews, name: str) -> None:
    """Which labelled reviews were mistaken, and how often by phenomenon."""
    counted = found.table["right"].notna()
    with result("confusion"):
        report = evaluation_report(
            reviews.where(counted), found.table.loc[counted, "p_positive"].to_numpy()
        )
        confusion_view(report, "batch_confusion", "batch-confusion", model=name)
    rates = found.accuracies
    rates[list(RATES)] *= 100
    st.dataframe(rates, hide_index=True, key="batch_slices", column_config=RATES)
