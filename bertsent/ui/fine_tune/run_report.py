"""The report of a run that stands still: scikit-learn's table, ROC and precision–recall curve, and
the confusion matrix with its reviews, all at a threshold that a visitor moves; and downloads.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.figures.learning_curves import learning_curves
from bertsent.figures.threshold_curves import precision_chart, roc_chart
from bertsent.statistics import majority_class_sentence
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.followed import P_POSITIVE, followed_answer
from bertsent.tasks.measure import measure_of
from bertsent.tasks.mixed import MixedTask
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.curves.curve_sentences import course_sentence
from bertsent.training.runs.history import History
from bertsent.training.runs.report import EvaluationReport, evaluation_report, newest_scores
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import events_table, zip_run
from bertsent.training.runs.tensorboard import tensorboard_zip
from bertsent.training.runs.thresholds import ThresholdCurves, threshold_curves
from bertsent.ui.fine_tune.report_threshold import USUAL, choose_threshold
from bertsent.ui.fine_tune.run_data import latest_answers, model_name, validation_reviews
from bertsent.ui.fine_tune.run_report_tasks import task_report_view
from bertsent.ui.shared import (
    BY_CONTENT,
    Table,
    altair_chart,
    choose,
    download_menu,
    escape_markdown,
    result,
    run_reader,
    run_task,
    show_help,
)
from bertsent.ui.shared.confusion import confusion_view

THRESHOLD = "threshold"
MODEL = "Model as a Hugging Face folder"
ROC, PRECISION = "ROC", "Precision–recall"


def run_report_view(run: Run) -> None:
    """Draw the newest evaluation of a run that does not train at the moment."""
    st.fragment(_draw)(run)  # the slider moves what is here, not the curves above


def _draw(run: Run) -> None:
    history = run_reader(run).look()[0]
    try:
        step, _ = newest_scores(run, history)
    except NotAvailable as error:
        with result("report"):
            st.caption(escape_markdown(str(error)))
        return
    if run_task(run) != SENTIMENT:
        task_report_view(run, history, _newer(step, history))
        return
    with result("report"):
        percent = choose_threshold(step, "positive above", THRESHOLD)
        found = _report(run, history, percent / 100)
        left, right = st.columns(2, gap="medium")
        with left:
            _table(run, history, found, percent)
        with right:
            _threshold_chart(run, history, percent / 100)
    with result("confusion"):
        confusion_view(found, "confusion", f"{run.id}-confusion", model=model_name(run))


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=BY_CONTENT)
def _report(run: Run, history: History, threshold: float) -> EvaluationReport:  # of that moment
    step, scores = newest_scores(run, history)
    return evaluation_report(validation_reviews(run), scores, step, threshold)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _threshold_curves(run: Run, history: History) -> ThresholdCurves | None:
    return threshold_curves(validation_reviews(run).labels, newest_scores(run, history)[1])


def _table(run: Run, history: History, found: EvaluationReport, percent: int) -> None:
    with st.container(key="fitted_report"):
        st.code(found.text, language=None)
    words = [
        f"{found.rows:,} validation reviews, counted as by scikit-learn's classification_report."
    ]
    if percent == USUAL and (answers := latest_answers(run, history)):
        low, high = (f"{100 * bound:.1f} %" for bound in answers.interval)
        words.append(f"Accuracy {100 * answers.accuracy:.1f} %, 95 % interval {low} to {high}.")
    else:
        usual = _report(run, history, USUAL / 100).accuracy
        words.append(
            f"Accuracy {100 * found.accuracy:.1f} % above {percent} %, {100 * usual:.1f} % above "
            f"{USUAL} %. A threshold chosen on these reviews flatters itself on them."
        )
    words.append(majority_class_sentence(validation_reviews(run).labels))
    words.append(_newer(found.step, history))
    st.caption(escape_markdown(" ".join(filter(None, words))))


def _newer(step: int, history: History) -> str:
    """That the run has come further than its newest evaluation; "" where it has not."""
    if step == history.step:
        return ""
    return (
        f"The run is now at step {history.step:,}. “Evaluate and keep” ends it and evaluates its "
        "current weights."
    )


def _threshold_chart(run: Run, history: History, threshold: float) -> None:
    curves = _threshold_curves(run, history)
    if curves is None:
        st.caption("A ROC curve needs validation reviews of both labels.")
        return
    kind = choose("Curve", (ROC, PRECISION), "threshold_curve", label_visibility="collapsed")
    draw = roc_chart if kind == ROC else precision_chart
    say = curves.roc_sentence if kind == ROC else curves.precision_sentence
    words, chart = say(threshold), draw(curves, threshold)
    altair_chart(chart, key="threshold-chart", alt=f"{kind} curve. {words}")
    st.caption(escape_markdown(words))
    with st.container(horizontal=True, gap="small"):
        download_menu(
            "threshold-chart",
            lambda: [roc_chart(curves, threshold), precision_chart(curves, threshold)],
            f"{run.id}-thresholds",
            tables={"Thresholds": curves.points},
        )
        show_help("fine_tune", "thresholds")


def download_run(run: Run, tables: Mapping[str, Table] = MappingProxyType({})) -> None:
    """The menu of one run: its model, curves, events and ``tables``."""
    files = tensorboard_files([run], run.id)
    if list_checkpoints(run.checkpoints):
        model = (f"{run.id}.zip", partial(zip_run, run))
        several = isinstance(run_task(run), MixedTask)
        kind = "Model as a folder that loads in bertsent only" if several else MODEL
        files = {kind: model, **files}
    steps = {"Steps": lambda: run.history().step_frame()}
    events = {"Events": partial(events_table, run), **steps, **tables}
    course = course_sentence(run_reader(run).look()[0], measure_of(run_task(run)))
    charts = partial(run_charts, run)
    download_menu("run", charts, run.id, tables=events, files=files, finding=course, run=run)


def tensorboard_files(runs: list[Run], name: str) -> dict[str, tuple[str, Callable[[], bytes]]]:
    """TensorBoard's event files of some runs as one zip."""
    return {
        "TensorBoard event files": (f"{name}-tensorboard.zip", lambda: tensorboard_zip(runs)),
    }


def run_charts(run: Run) -> Sequence[Any]:  # of Altair
    """The curves of a run as they stand now; that of the sentinels where it has some."""
    history = run.history()
    charts = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        history.sentinel_frame(),
        total_steps=history.started.total_steps if history.started else 1,
        measure=measure_of(run_task(run)),
        followed=followed_answer(run_task(run)) or P_POSITIVE,
    )
    scored = history.sentinels and followed_answer(run_task(run))
    return charts if scored else charts[:2]
