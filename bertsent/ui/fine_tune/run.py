"""The Run tab: one run as it stands. Its state, curves and sentinels are drawn from the folder of
the run every other second while it is live; below come its report, its epoch log and downloads.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BertsentError
from bertsent.figures.learning_curves import gradient_charts
from bertsent.tasks.followed import follows_sentences
from bertsent.training.curves.series import gradient_sentence
from bertsent.training.runs.run import Run, Status, find_run, list_runs
from bertsent.ui.fine_tune.opening import NEW_RUN, go_to
from bertsent.ui.fine_tune.run_curves import epoch_log, run_curves
from bertsent.ui.fine_tune.run_line import choose_sentinels, run_line
from bertsent.ui.fine_tune.run_report import download_run, run_report_view
from bertsent.ui.shared import (
    altair_chart,
    linked_choice,
    live_runs,
    poll_interval,
    result,
    run_reader,
    run_task,
    run_title,
    show_error,
    show_errors,
    show_help,
)

EVERY, NEWEST = 2.0, 100
SOON = 1.0  # seconds between two looks before the first step


def run_tab(row: DeltaGenerator) -> None:
    """Draw the chosen run, or what will be here; its picker goes into ``row``."""
    run = choose_run(row)
    if run is None:
        empty_state("curves", "The curves of a run appear here.")
        return
    with show_errors():
        live = live_view(run).live
        if not live:
            run_report_view(run)
            epoch_log(run)
        with st.container(horizontal=True, gap="small"):
            follows = follows_sentences(run_task(run))
            if follows and run_reader(run).look()[1].state != "finished":
                choose_sentinels(run)
            download_run(run)
            show_help("fine_tune", "curves")
        _gradient(run)


def empty_state(name: str, words: str) -> None:
    """Say what will be here, and offer the way to it."""
    with result(name):
        st.info(words)
        label = "Start a run"
        st.button(label, type="primary", key="empty-new-run", on_click=go_to, args=(NEW_RUN,))


def choose_run(row: DeltaGenerator) -> Run | None:
    """The picker of runs, drawn into ``row``: live ones first, then the newest; None when there are
    none.

    A run that the link or the session asks for is among them, however old it is.
    """
    runs = {run.id: run for run in (*live_runs(), *list_runs()[:NEWEST])}
    asked = st.session_state.get("run") or st.query_params.get("run")
    if asked and asked not in runs:
        try:
            runs[asked] = find_run(asked)
        except BertsentError as error:
            st.session_state.pop("run", None)  # said once
            show_error(error)
    if not runs:
        return None
    titles = {name: run_title(run) for name, run in runs.items()}
    with row:
        name = linked_choice("Run", titles, key="run", label_visibility="collapsed", width=290)
    return runs[name]


def live_view(run: Run, note: str = "") -> Status:
    """Draw the run, polling only while it is live; gives back how it stood. ``note`` stands below
    the curves.
    """
    status = run_reader(run).look()[1]
    interval = _interval(run) if status.live else None
    st.fragment(_draw, run_every=interval)(run, interval, note)
    return status


def _interval(run: Run) -> float:
    return poll_interval(EVERY if run_reader(run).look()[0].steps else SOON)


def _draw(run: Run, interval: float | None, note: str) -> None:
    history, status = run_reader(run).look()
    if interval and (not status.live or interval != _interval(run)):
        st.rerun()  # the report can be drawn now, or the pace of looking has changed
    with st.container(key="live_run"):  # what lies in such a container does not fade (style.css)
        run_line(run, history, status)
        run_curves(run, history, note)
        if status.live:
            epoch_log(run)


def _gradient(run: Run) -> None:
    """A closed box that draws nothing until it is opened."""
    box = st.expander("Gradient norm and learning rates", key="gradient", on_change="rerun")
    if box.open:
        with box, result("gradient"):
            live = run_reader(run).look()[1].live
            st.fragment(_gradient_curves, run_every=poll_interval(EVERY) if live else None)(run)


def _gradient_curves(run: Run) -> None:
    history = run_reader(run).look()[0]
    steps = history.step_frame()
    if not history.started or not len(steps):
        st.caption("The curves appear here after the first step.")
        return
    charts = gradient_charts(steps, total_steps=history.started.total_steps)
    titles = {"gradient": "Gradient norm", "rates": "Learning rates of encoder and head"}
    for name, title in titles.items():
        chart, alt = getattr(charts, name), f"{title} over the steps"
        altair_chart(chart, width="stretch", key=f"{name}-{run.id}", alt=alt)
    st.caption(gradient_sentence(steps))
    show_help("fine_tune", "gradient_norm")
