"""The report of a run that learns something else than sentiment in two labels: a confusion matrix
of all labels, a table per label where there are several, a scatter of true against predicted
numbers; each with the texts that were answered worst.
"""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.data.examples import Reviews
from bertsent.data.splits import review_groups
from bertsent.figures.rating_scatter import DOT, rating_scatter
from bertsent.statistics import accuracy_interval, majority_class_sentence
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import SeveralLabels, Task
from bertsent.training.runs.accuracy import right_answers
from bertsent.training.runs.history import History
from bertsent.training.runs.rating_report import RatingReport
from bertsent.training.runs.report import (
    AnyReport,
    EvaluationReport,
    newest_scores,
    part_answers,
    task_report,
)
from bertsent.training.runs.run import Run
from bertsent.training.runs.several_report import SeveralReport, several_report
from bertsent.ui.fine_tune.report_threshold import USUAL, answers_title, choose_threshold
from bertsent.ui.fine_tune.run_data import model_name, validation_reviews
from bertsent.ui.fine_tune.run_report_words import masked_words_view
from bertsent.ui.shared import (
    BY_CONTENT,
    altair_chart,
    choose,
    download_menu,
    escape_markdown,
    result,
    run_task,
    show_help,
)
from bertsent.ui.shared.confusion import confusion_view
from bertsent.ui.shared.presenter import presenting
from bertsent.ui.shared.task_tabs import offer_probe, probing_table

THRESHOLD = "labels-threshold"
# shares of the page, and the characters of a label up to which the first of them holds a report
HALVES, FIFTHS = ((1, 1), 25), ((2, 3), 17)
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
_BESIDE = {"text": st.column_config.TextColumn("text", width="medium")}  # beside a report


def task_report_view(run: Run, history: History, note: str) -> None:
    """Draw the newest evaluation of a run of any task but sentiment in two labels.

    Args:
        run: whose.
        history: as it stands.
        note: what else there is to say of the step, "" for nothing.
    """
    task, part = run_task(run), ""
    if isinstance(task, MixedTask):
        parts = {each.name: each.title for each in task.parts}
        part = choose("Task", parts, "report-part", bind=None, label_visibility="collapsed")
        task = task.parts[task.place(part)]
    if isinstance(task, MaskedWords):
        masked_words_view(run, history, note)
        return
    if isinstance(task, SeveralLabels):
        _several(run, history, task, part, note)
        return
    found = _report(run, history, part)
    if isinstance(found, RatingReport):
        _numbers(run, found, task, note)
    elif isinstance(found, EvaluationReport):
        _labels(run, found, _answered(run, history, part), note)


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _answered(run: Run, history: History, part: str) -> tuple[Reviews, np.ndarray]:
    """The validation reviews, of one part of several tasks alone, and what was kept of the answers
    to them.
    """
    reviews, (_, scores) = validation_reviews(run), newest_scores(run, history)
    if not isinstance(reviews.task, MixedTask):
        return reviews, scores
    return part_answers(reviews, scores, reviews.task.parts[reviews.task.place(part)])


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _report(run: Run, history: History, part: str) -> AnyReport:
    return task_report(*_answered(run, history, part), newest_scores(run, history)[0])


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _given(run: Run, history: History, part: str, threshold: float) -> SeveralReport:
    reviews, scores = _answered(run, history, part)
    return several_report(reviews, scores, newest_scores(run, history)[0], threshold)


def _labels(
    run: Run, found: EvaluationReport, answered: tuple[Reviews, np.ndarray], note: str
) -> None:
    reviews, correct = answered[0], right_answers(*answered)
    low, high = (f"{100 * end:.1f} %" for end in accuracy_interval(correct, review_groups(reviews)))
    words = [
        f"{found.rows:,} validation reviews, counted as by scikit-learn.",
        f"Accuracy {100 * found.accuracy:.1f} %, 95 % interval {low} to {high}.",
        majority_class_sentence(reviews.labels),
        note,
    ]
    left, right = _beside(found.labels, *HALVES)
    with left, result("report"):
        answers_title(found.step)
        with st.container(key="fitted_report"):
            st.code(found.text, language=None)
        st.caption(escape_markdown(" ".join(filter(None, words))))
    with right or left:
        matrix = result("confusion")
    file, name = f"{run.id}-confusion", model_name(run)
    with nullcontext() if right else matrix:  # beside the report the reviews stand below both
        place = matrix if right else None
        confusion_view(found, "confusion", file, model=name, task=reviews.task, place=place)


def _beside(
    labels: Sequence[str], shares: tuple[int, int], longest: int
) -> tuple[DeltaGenerator, DeltaGenerator | None]:
    """Two columns where the first holds a report of these labels, else one place for all; one as
    well in presenter mode, which shows a matrix together with its reviews.
    """
    if presenting() or max(map(len, labels)) > longest:
        return st.container(), None
    left, right = st.columns(shares, gap="medium")
    return left, right


def _several(run: Run, history: History, task: SeveralLabels, part: str, note: str) -> None:
    left, right = _beside(task.labels, *FIFTHS)
    with left, result("report"):
        step = newest_scores(run, history)[0]
        percent = choose_threshold(step, "labels above", THRESHOLD)
        found = _given(run, history, part, percent / 100)
        with st.container(key="fitted_report"):
            st.code(found.text, language=None)
        chosen = "" if percent == USUAL else "A threshold chosen on these reviews flatters itself."
        st.caption(escape_markdown(" ".join(filter(None, (found.sentence(), chosen, note)))))
        tables = {"Labels": found.table.reset_index(names="label"), "Answers": found.answers}
        with st.container(horizontal=True, gap="small"):
            download_menu("labels", None, f"{run.id}-labels", tables=tables)
            show_help("fine_tune", "several_labels")
    with right or left, result("mistakes"):
        wrong = found.answers[found.answers["jaccard"] < 1]
        columns = ("text", "true", "predicted", "jaccard")
        _worst("The worst answers first", wrong, columns, (task, model_name(run)))


def _numbers(run: Run, found: RatingReport, task: Task, note: str) -> None:
    words, asked = found.sentence(), (task, model_name(run))
    with result("report"):
        answers_title(found.step)
        left, right = st.columns([3, 2], gap="medium")
        with left:
            chart = rating_scatter(found)
            picked = altair_chart(
                chart,
                key="rating-chart",
                on_select="rerun",
                selection_mode=DOT,
                alt=f"True and predicted numbers. {words}",
            ).selection.get(DOT)
        with right:
            st.code(found.text, language=None)
            hint = "Click a dot to read its text."
            st.caption(escape_markdown(" ".join(filter(None, (words, note, hint)))))
            with st.container(horizontal=True, gap="small"):
                tables = {"Answers": found.answers}
                download_menu("rating", lambda: [chart], f"{run.id}-numbers", tables=tables)
                show_help("fine_tune", "numbers")
        if picked:
            rows = found.answers[found.answers["id"] == picked[0].get("id")]
            for _, row in rows.head(1).iterrows():
                offer_probe(row, "rating-dot", *asked)
    with result("mistakes"):
        columns = ("text", "second", "true", "predicted", "error")
        shown = found.answers.assign(predicted=found.answers["predicted"].round(2))
        _worst("The largest misses first", shown, columns, asked)


def _worst(
    title: str, table: pd.DataFrame, columns: tuple[str, ...], asked: tuple[Task, str]
) -> None:
    """The first rows of a table, each of which opens in Probe with the task and model ``asked``."""
    st.markdown(f"**{title}**")
    if table.empty:
        st.caption("No mistake.")
        return
    shown = table.head(ROWS)
    chosen = probing_table(
        shown,
        "worst-answers",
        *asked,
        height=min(320, 38 + 35 * len(shown)),
        column_order=[name for name in columns if shown[name].astype(str).str.len().any()],
        column_config=_COLUMNS | ({} if "second" in columns else _BESIDE),
        alt=f"{title}: {len(table):,} texts",
    )
    if not chosen:
        st.caption("Select a row to read it whole and to open it in Probe.")
