"""The Run tab: one run as it stands. Its state and buttons, curves and sentinels are drawn from the
run's folder every other second while it is live; after that come its report and downloads.
"""

import hashlib
from collections.abc import Callable

import pandas as pd
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.figures.chart_spec import ChartSpec, chart_spec
from bertsent.figures.gradient_norm import gradient_charts
from bertsent.figures.learning_curves import learning_curves
from bertsent.statistics import majority_class_accuracy
from bertsent.training.checkpoints import is_evaluated, list_checkpoints
from bertsent.training.curves.series import gradient_sentence, sentinel_flips
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, stop_and_keep
from bertsent.training.runs.run import Run, Status, find_run, list_runs
from bertsent.training.runs.status_sentences import duration, status_sentence
from bertsent.ui.fine_tune.run_data import created, validation_reviews
from bertsent.ui.fine_tune.run_report import run_report_view
from bertsent.ui.shared.charts import draw
from bertsent.ui.shared.errors import escape_markdown, show_error, show_errors
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.shared.live_runs import live_runs, run_reader, run_title
from bertsent.ui.shared.viewers import poll_interval

EVERY, NEWEST, CURVE_HEIGHT = 2.0, 100, 170
RESUMABLE = ("paused", "interrupted", "stopped", "failed", "new")


def run_tab() -> None:
    """Draw the chosen run, or what will be here."""
    run = choose_run()
    if run is None:
        st.info("The curves appear here. Open “New run” and press Start.")
        return
    with show_errors():
        if not live_view(run).live:
            run_report_view(run)
        _gradient(run)


def choose_run() -> Run | None:
    """The picker of runs: live ones first, then the newest; None when there are none.

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
    return runs[linked_choice("Run", titles, key="run")]


def live_view(run: Run) -> Status:
    """Draw the run, polling only while it is live; gives back how it stood."""
    status = run_reader(run).look()[1]
    interval = poll_interval(EVERY) if status.live else None
    st.fragment(_draw, run_every=interval)(run, interval)
    return status


def _draw(run: Run, interval: float | None) -> None:
    history, status = run_reader(run).look()
    if interval and (not status.live or interval != poll_interval(EVERY)):
        st.rerun()  # the report can be drawn now, or the number of viewers has changed
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(
            f"**{escape_markdown(status_sentence(run, history, status))}**", width="content"
        )
        _buttons(run, status)
    _state(run, history, status)
    sentinels = _sentinels(run)
    loss, accuracy, sentences = _curves(run.id, _stamp(run, history), sentinels, history)
    for place, name, chart in zip(
        st.columns(2, gap="medium"), ("loss", "accuracy"), (loss, accuracy), strict=True
    ):
        alt = f"{name.capitalize()} of training and validation over the steps"
        draw(chart, key=f"{name}-{run.id}", alt=alt, place=place)
    if sentences:
        alt = "P(positive) of the sentinels over the steps"
        draw(sentences, key=f"sentinels-{run.id}", alt=alt)
        for row in sentinel_flips(_followed(history, sentinels)).tail(8).itertuples():
            st.caption(
                f"“{escape_markdown(str(row.text))}” became {str(row.to_label).lower()} at step "
                f"{row.step:,}."
            )
    if status.state != "finished":
        _choose_sentinels(run, sentinels)


@st.cache_resource(max_entries=16, show_spinner=False)
def _curves(
    run: str, stamp: tuple[int, ...], sentinels: tuple[str, ...], _history: History
) -> tuple[ChartSpec, ChartSpec, ChartSpec | None]:
    """Loss, accuracy and sentinels as they stand: drawn once for everybody who looks."""
    followed = _followed(_history, sentinels)
    curves = learning_curves(
        _history.step_frame(),
        _history.evaluation_frame(),
        followed,
        total_steps=_history.started.total_steps if _history.started else 1,
        height=CURVE_HEIGHT,
    )
    third = chart_spec(curves.sentinels) if len(followed) else None
    return chart_spec(curves.loss), chart_spec(curves.accuracy), third


def _stamp(run: Run, history: History) -> tuple[int, ...]:
    """Changes whenever something was measured, or another run has taken the name."""
    measured = [len(history.steps), len(history.evaluations), len(history.sentinels)]
    return (created(run), history.step, *measured)


def _followed(history: History, sentinels: tuple[str, ...]) -> pd.DataFrame:
    scores = history.sentinel_frame()
    return scores[scores["text"].isin(sentinels)]


def _state(run: Run, history: History, status: Status) -> None:
    failure = history.failure if status.state == "failed" else None
    if failure:
        st.error(escape_markdown(f"{failure.reason} {failure.remedy}"))
    if status.state == "interrupted":
        st.warning(
            "The worker of this run died. Its last checkpoint is intact: Resume continues exactly "
            "from there."
        )
    if not history.started:
        st.caption("The curves appear here after the first step.")
    if not history.started or not history.steps:
        return
    step, total = history.steps[-1], history.started.total_steps
    last = history.evaluations[-1] if history.evaluations else None
    facts = {
        "Step": f"{step.step:,} / {total:,}",
        "Loss": f"{step.loss:.3f}",
        "Validation accuracy": f"{last.accuracy:.1%}" if last else "–",
        "Majority class": _majority_class(run),
        "Learning rate": f"{step.learning_rate:.1e}",
        "Tokens/s": f"{step.tokens_per_second:,.0f}",
        "Left" if status.live else "Trained for": duration(
            step.eta_seconds if status.live else step.seconds
        ),
    }
    with st.container(horizontal=True, gap="medium"):
        for name, fact in facts.items():
            st.metric(name, fact, width="content")
    st.progress(min(1.0, step.step / total))


def _majority_class(run: Run) -> str:
    try:
        return f"{majority_class_accuracy(validation_reviews(run).labels):.1%}"
    except BertsentError:  # its reviews are damaged; its curves can still be drawn
        return "–"


def _buttons(run: Run, status: Status) -> None:
    if status.live:
        asked = bool(status.requested)
        for label, what in (("Pause", "pause"), ("Stop and keep", "stop")):
            key = f"{what}-{run.id}"
            st.button(label, key=key, on_click=_request, args=(run, what), disabled=asked)
        return
    if status.state in RESUMABLE and st.button("Resume", key=f"resume-{run.id}", type="primary"):
        _start_worker(run, launch)
    if _can_be_kept(run, status) and st.button(
        "Evaluate and keep",
        key=f"keep-{run.id}",
        help="Ends the run with the weights it has now, evaluated on the validation reviews.",
    ):
        _start_worker(run, stop_and_keep)


def _can_be_kept(run: Run, status: Status) -> bool:
    if not list_checkpoints(run.checkpoints):
        return False
    if status.state in ("stopped", "finished"):
        return not is_evaluated(run.checkpoints)
    return status.state in RESUMABLE


def _request(run: Run, what: str) -> None:
    run.request(what)
    run_reader(run).forget_age()


def _start_worker(run: Run, start: Callable[[Run], None]) -> None:
    try:
        with st.spinner("Starting …"):
            start(run)
    except BertsentError as error:
        show_error(error)
        return
    run_reader(run).forget_age()
    st.rerun(scope="app")


def _sentinels(run: Run) -> tuple[str, ...]:
    try:
        return run.sentinels()
    except BertsentError:  # its configuration is damaged; its curves can still be drawn
        return ()


def _choose_sentinels(run: Run, sentinels: tuple[str, ...]) -> None:
    """Add and remove sentinels; the worker follows them from its next step on."""
    # somebody else may have changed them: then the box is a new one
    known = hashlib.sha256("\n".join(sentinels).encode()).hexdigest()[:12]
    with st.popover("Sentinels"), st.form(f"sentinels-form-{run.id}-{known}", border=False):
        lines = st.text_area(
            "One sentence per line",
            "\n".join(sentinels),
            key=f"sentinels-{run.id}-{known}",
            height=160,
            help="Their P(positive) is tracked from the next step on, for everyone who views this "
            "run. At "
            "most twelve.",
        )
        if st.form_submit_button("Follow these"):
            try:
                run.set_sentinels(tuple((lines or "").splitlines()))
            except BertsentError as error:
                show_error(error)
            except OSError:
                st.error("The disk of this server is full or locked: nothing was changed.")
            else:
                st.rerun()


def _gradient(run: Run) -> None:
    """A closed box that draws nothing until it is opened."""
    box = st.expander("Gradient norm and learning rates", key="gradient", on_change="rerun")
    if box.open:
        with box:
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
        st.altair_chart(
            getattr(charts, name),
            width="stretch",
            key=f"{name}-{run.id}",
            alt=f"{title} over the steps",
        )
    st.caption(gradient_sentence(steps))
    show_help("fine_tune", "gradient_norm")
