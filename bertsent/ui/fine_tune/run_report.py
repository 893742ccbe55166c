"""The report of a run that stands still: scikit-learn's table, the confusion matrix, the wrong
answers, and downloads.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.figures.classification import confusion_heatmap
from bertsent.figures.learning_curves import learning_curves
from bertsent.statistics import majority_class_sentence
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.runs.history import History
from bertsent.training.runs.report import EvaluationReport, run_report
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import events_table, zip_run
from bertsent.training.runs.tensorboard import tensorboard_zip
from bertsent.ui.fine_tune.run_data import latest_answers
from bertsent.ui.shared import (
    BY_CONTENT,
    Table,
    download_menu,
    escape_markdown,
    run_reader,
    show_figure,
)

_MISTAKES = {
    "text": st.column_config.TextColumn(width="large"),
    "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%"),
}


def run_report_view(run: Run) -> None:
    """Draw the newest evaluation of a run that does not train at the moment."""
    history = run_reader(run).look()[0]
    try:
        found = _report(run, history)
    except NotAvailable as error:
        st.caption(escape_markdown(str(error)))
        return
    st.subheader("Answers to the validation reviews", anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        st.code(found.text, language=None)
        st.caption(
            f"{found.rows:,} validation reviews at step {found.step:,}, counted as by "
            "scikit-learn's classification_report."
        )
        if answers := latest_answers(run, history):
            low, high = (f"{100 * bound:.1f} %" for bound in answers.interval)
            st.caption(
                f"Accuracy {100 * answers.accuracy:.1f} %, 95 % interval {low} to {high}. "
                f"{majority_class_sentence(answers.reviews.labels)}"
            )
        if found.step < history.step:
            st.caption(
                f"The run is now at step {history.step:,}. “Evaluate and keep” ends it and "
                "evaluates its current weights."
            )
    with right:
        confusion_chart(found, "confusion", f"{run.id}-confusion")
    mistakes = found.mistakes
    st.markdown(f"**{len(mistakes):,} wrong answers, the most confident first**")
    if len(mistakes):
        st.dataframe(
            mistakes.assign(p_positive=100 * mistakes["p_positive"]),
            hide_index=True,
            height=280,
            key="mistakes",
            column_config=_MISTAKES,
        )
    download_run(run, {"Steps": history.step_frame(), "Mistakes": mistakes})


@st.cache_resource(max_entries=16, show_spinner="Counting …", hash_funcs=BY_CONTENT)
def _report(run: Run, history: History) -> EvaluationReport:  # of that moment
    return run_report(run)


def confusion_chart(found: EvaluationReport, key: str, file: str, arm: str = "") -> None:
    """The confusion matrix with its sentence below, and a menu to download it."""
    words = found.confusion_sentence()
    show_figure(
        confusion_heatmap(found.matrix),
        key,
        file,
        f"{arm}: {words}" if arm else words,
        caption=words,
    )


def download_run(run: Run, tables: Mapping[str, Table] = MappingProxyType({})) -> None:
    """The menu of one run: its model, curves, events and ``tables``."""
    files = tensorboard_files([run], run.id)
    if list_checkpoints(run.checkpoints):
        model = (f"{run.id}.zip", partial(zip_run, run))
        files = {"Model as a Hugging Face folder": model, **files}
    events = {"Events": partial(events_table, run), **tables}
    download_menu("run", partial(run_charts, run), run.id, tables=events, files=files)


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
    )
    return charts if history.sentinels else charts[:2]
