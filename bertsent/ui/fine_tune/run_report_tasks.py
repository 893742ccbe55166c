"""The report of a run that learns something else than sentiment in two labels: a confusion matrix
of all labels, a table per label where there are several, a scatter of true against predicted
numbers; each with the texts that were answered worst.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.rating_scatter import rating_scatter
from bertsent.statistics import majority_class_sentence
from bertsent.tasks.task import OneLabel, Rating
from bertsent.training.runs.history import History
from bertsent.training.runs.rating_report import RatingReport, rating_report
from bertsent.training.runs.report import EvaluationReport, label_report, newest_scores
from bertsent.training.runs.run import Run
from bertsent.training.runs.several_report import SeveralReport, several_report
from bertsent.ui.fine_tune.run_data import latest_answers, validation_reviews
from bertsent.ui.shared import (
    BY_CONTENT,
    altair_chart,
    download_menu,
    escape_markdown,
    result,
    run_task,
    show_help,
)
from bertsent.ui.shared.confusion import confusion_view

THRESHOLD, USUAL = "labels-threshold", 50  # per cent
ROWS = 200  # texts of a list that are shown; the download has all of them
_CUT = st.column_config.TextColumn("text", width="large")
_COLUMNS = {
    "text": _CUT,
    "second": st.column_config.TextColumn("second text", width="large"),
    "jaccard": st.column_config.NumberColumn("Jaccard", format="%.2f", width="small"),
    "true": st.column_config.Column("true"),
    "predicted": st.column_config.Column("predicted"),
    "error": st.column_config.NumberColumn("error", format="%+.2f", width="small"),
}


def task_report_view(run: Run, history: History, note: str) -> None:
    """Draw the newest evaluation of a run of any task but sentiment in two labels.

    Args:
        run: whose.
        history: as it stands.
        note: what else there is to say of the step, "" for nothing.
    """
    task = run_task(run)
    if isinstance(task, Rating):
        _numbers(run, _rating(run, history), note)
    elif isinstance(task, OneLabel):
        _labels(run, history, _one_label(run, history), note)
    else:
        _several(run, history, note)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _one_label(run: Run, history: History) -> EvaluationReport:
    step, scores = newest_scores(run, history)
    return label_report(validation_reviews(run), scores, step)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _rating(run: Run, history: History) -> RatingReport:
    step, scores = newest_scores(run, history)
    return rating_report(validation_reviews(run), scores, step)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _given(run: Run, history: History, threshold: float) -> SeveralReport:
    step, scores = newest_scores(run, history)
    return several_report(validation_reviews(run), scores, step, threshold)


def _title(step: int) -> None:
    st.markdown(f"**Answers to the validation reviews** at step {step:,}", width="content")


def _labels(run: Run, history: History, found: EvaluationReport, note: str) -> None:
    words = [f"{found.rows:,} validation reviews, counted as by scikit-learn."]
    if answers := latest_answers(run, history):
        low, high = (f"{100 * bound:.1f} %" for bound in answers.interval)
        words.append(f"Accuracy {100 * answers.accuracy:.1f} %, 95 % interval {low} to {high}.")
    words += [majority_class_sentence(validation_reviews(run).labels), note]
    with result("report"):
        _title(found.step)
        with st.container(key="fitted_report"):
            st.code(found.text, language=None)
        st.caption(escape_markdown(" ".join(filter(None, words))))
    with result("confusion"):
        confusion_view(found, "confusion", f"{run.id}-confusion")


def _several(run: Run, history: History, note: str) -> None:
    with result("report"):
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            _title(newest_scores(run, history)[0])
            st.markdown("labels above", width="content")
            percent: int = st.slider(
                "Threshold of the probabilities",
                1,
                99,
                USUAL,
                format="%d %%",
                key=THRESHOLD,
                persist_state="session",
                label_visibility="collapsed",
                width=280,
            )
        found = _given(run, history, percent / 100)
        with st.container(key="fitted_report"):
            st.code(found.text, language=None)
        chosen = "" if percent == USUAL else "A threshold chosen on these reviews flatters itself."
        st.caption(escape_markdown(" ".join(filter(None, (found.sentence(), chosen, note)))))
        tables = {"Labels": found.table.reset_index(names="label"), "Answers": found.answers}
        with st.container(horizontal=True, gap="small"):
            download_menu("labels", None, f"{run.id}-labels", tables=tables)
            show_help("fine_tune", "several_labels")
    with result("mistakes"):
        wrong = found.answers[found.answers["jaccard"] < 1]
        _worst("The worst answers first", wrong, ("text", "true", "predicted", "jaccard"))


def _numbers(run: Run, found: RatingReport, note: str) -> None:
    words = found.sentence()
    with result("report"):
        _title(found.step)
        left, right = st.columns([3, 2], gap="medium")
        with left:
            chart = rating_scatter(found)
            altair_chart(chart, key="rating-chart", alt=f"True and predicted numbers. {words}")
        with right:
            st.code(found.text, language=None)
            st.caption(escape_markdown(" ".join(filter(None, (words, note)))))
            with st.container(horizontal=True, gap="small"):
                tables = {"Answers": found.answers}
                download_menu("rating", lambda: [chart], f"{run.id}-numbers", tables=tables)
                show_help("fine_tune", "numbers")
    with result("mistakes"):
        columns = ("text", "second", "true", "predicted", "error")
        _worst("The largest misses first", found.answers, columns)


def _worst(title: str, table: pd.DataFrame, columns: tuple[str, ...]) -> None:
    st.markdown(f"**{title}**")
    if table.empty:
        st.caption("No mistake.")
        return
    shown = table.head(ROWS)
    st.dataframe(
        shown,
        hide_index=True,
        height=min(320, 38 + 35 * len(shown)),
        key="worst-answers",
        column_order=[name for name in columns if shown[name].astype(str).str.len().any()],
        column_config=_COLUMNS,
        alt=f"{title}: {len(table):,} texts",
    )
