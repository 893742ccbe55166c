"""What a run amounts to: the report in scikit-learn's layout, the confusion matrix, the reviews it
got wrong, and taking it away.
"""

import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.figures.classification import confusion_heatmap
from bertsent.training.runs.report import EvaluationReport, run_report
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import zip_run
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu, safe_csv
from bertsent.ui.shared.live_runs import run_reader


def results(run: Run) -> None:
    """Draw the newest evaluation of a run that does not train at the moment."""
    evaluations = run_reader(run).look()[0].evaluations
    try:
        found = _report(str(run.folder), evaluations[-1].step if evaluations else -1, run)
    except NotAvailable as error:
        st.caption(str(error))
        return
    st.subheader("How it answers the validation reviews", anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        st.code(found.text, language=None)
        st.caption(
            f"{found.rows:,} validation reviews at step {found.step:,}, as scikit-learn's "
            "classification_report counts them."
        )
    with right:
        figure = confusion_heatmap(found.matrix)
        st.plotly_chart(figure, key="confusion", config=UNSEEN_BAR, alt=_words(found))
        st.caption(_words(found))
        download_menu("confusion", figure, f"{run.id}-confusion")
    _mistakes(found)
    _take_away(run, found)


@st.cache_data(max_entries=16, show_spinner="Judging …")
def _report(folder: str, step: int, _run: Run) -> EvaluationReport:
    return run_report(_run)


def _words(found: EvaluationReport) -> str:
    (_, false_positive), (false_negative, _) = found.matrix.tolist()
    return (
        f"{false_positive} negative reviews were taken for positive, {false_negative} positive "
        "ones for negative."
    )


def _mistakes(found: EvaluationReport) -> None:
    st.markdown(f"**The {len(found.mistakes):,} reviews it got wrong, the most confident first**")
    if not len(found.mistakes):
        st.caption("None.")
        return
    shown = found.mistakes.assign(p_positive=100 * found.mistakes["p_positive"])
    columns = {
        "text": st.column_config.TextColumn(width="large"),
        "p_positive": st.column_config.NumberColumn("P(positive)", format="%.1f %%"),
    }
    st.dataframe(shown, hide_index=True, height=280, key="mistakes", column_config=columns)


def _take_away(run: Run, found: EvaluationReport) -> None:
    events = run_reader(run).look()[0].step_frame()
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Model as a Hugging Face folder",
            lambda: zip_run(run),
            f"{run.id}.zip",
            "application/zip",
            key="take-model",
            on_click="ignore",
        )
        st.download_button(
            "Steps as CSV",
            safe_csv(events),
            f"{run.id}-steps.csv",
            "text/csv",
            key="take-steps",
            on_click="ignore",
        )
        st.download_button(
            "Mistakes as CSV",
            safe_csv(found.mistakes),
            f"{run.id}-mistakes.csv",
            "text/csv",
            key="take-mistakes",
            on_click="ignore",
        )
