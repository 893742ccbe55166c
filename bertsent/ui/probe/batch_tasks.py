"""Batch for models of other tasks than sentiment in two labels: a file or lines, answered in the
background, as a table with a column for each label.
"""

from typing import Any

import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.data.examples import Reviews
from bertsent.data.task_files import has_truth, read_bytes_for_task
from bertsent.data.task_lines import WANTED, reviews_of_lines
from bertsent.probing.batch_answers import MOST, check_count
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.task_batch import TaskBatch, answer_batch
from bertsent.tasks.task import Task
from bertsent.training.runs.report import EvaluationReport
from bertsent.ui.probe.private_outcome import private_outcome
from bertsent.ui.shared import (
    INLINE_TOKENS,
    JobRequest,
    download_menu,
    escape_markdown,
    result,
    show_help,
    upload,
)
from bertsent.ui.shared.confusion import confusion_view
from bertsent.ui.shared.jobs import session_secret
from bertsent.ui.shared.task_tabs import probing_table
from bertsent.ui.shared.uploads import keep

CHARACTERS, SHOWN = 4, 1_000  # of a token; rows on the page, the download has all


def show_task_batch(name: str, model: LoadedModel) -> None:
    """Draw the batch view of a model.

    Raises:
        BertsentError: the model does not answer.
    """
    with result("batch"):
        reviews: Reviews | None = _boxes(name, model.task)
        if reviews is None:
            st.caption(
                "The answers appear here. Your texts stay on this server, in your session; nobody "
                "else sees them."
            )
            return
        found = _answers(model, reviews)
        if found is None:
            return
        _show_table(found, name, model.task)
    if isinstance(found.report, EvaluationReport):
        with result("confusion"):
            key, file = "batch_task_confusion", "batch-confusion"
            confusion_view(found.report, key, file, model=name, task=model.task)


def _boxes(name: str, task: Task) -> Any:  # Reviews, None while there are none
    """Both ways to bring texts; gives back the last good ones of this session for this model."""
    key = f"batch_{cache_key(name, task.to_dict())[:12]}"

    def read(data: bytes, file: str, *, drop_incomplete: bool) -> Reviews:
        truth = has_truth(data, file, task)
        return check_count(
            read_bytes_for_task(data, file, task, need_truth=truth, drop_incomplete=drop_incomplete)
        )

    def paste() -> None:
        text = st.session_state[f"{key}_text"] or ""
        keep(key, "pasted texts", lambda: check_count(reviews_of_lines(text, task)))

    wanted = WANTED[task.reads]
    left, right = st.columns(2, gap="large")
    with left, st.form(f"{key}_form", border=False):
        st.text_area(f"Paste {wanted.lines}", key=f"{key}_text", height=110)
        st.form_submit_button("Answer all", type="primary", key=f"{key}_ask", on_click=paste)
    with right:
        return upload(
            f"Or a file with {wanted.columns}",
            read,
            key=key,
            incomplete="a text or what is true of it",
            help=f"With what is true of each row the answers are judged. Up to {MOST:,} rows and "
            "50 MB.",
        )


def _answers(model: LoadedModel, reviews: Reviews) -> TaskBatch | None:
    key = f"batch-{cache_key(session_secret(), model.key, reviews.sha256, reviews.task.to_dict())}"
    characters = sum(len(example.text) + len(example.second) for example in reviews)
    found: TaskBatch | None = private_outcome(
        "batch_task_found",
        JobRequest(
            key,
            lambda progress: answer_batch(model, reviews, progress=progress),
            f"Answering {len(reviews):,} rows",
            f"Answer {len(reviews):,} rows",
            INLINE_TOKENS + characters // CHARACTERS,
            lane="long",
        ),
    )
    return found


def _show_table(found: TaskBatch, name: str, task: Task) -> None:
    st.caption(escape_markdown(found.sentence()))
    shown = found.table.head(SHOWN)
    labels = [name for name in task.output_names if name in shown]
    shown = shown.assign(**{name: 100 * shown[name] for name in labels})
    percent = st.column_config.NumberColumn(format="%.1f %%")
    columns = {**dict.fromkeys(labels, percent), "text": st.column_config.TextColumn(width="large")}
    height = min(400, 38 + 35 * len(shown))
    probing_table(shown, "batch_task", task, name, height=height, column_config=columns)
    if len(shown) < len(found.table):
        st.caption(f"The first {SHOWN:,}; the download has all.")
    with st.container(horizontal=True, gap="small"):
        download_menu("batch-task", None, "batch", tables={"Answers": found.table})
        show_help("probe", "batch_task")
