"""The Run tab: one run as it stands. Its state and buttons, curves and sentinels are drawn from the
run's folder every other second while it is live; after that come its report and downloads.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from bertsent.data.cache import cache_key
from bertsent.errors import BertsentError
from bertsent.figures.altair_panels import ChartSpec, chart_spec
from bertsent.figures.learning_curves import gradient_charts, learning_curves
from bertsent.statistics import majority_class_accuracy
from bertsent.training.checkpoints import is_evaluated, list_checkpoints
from bertsent.training.curves.series import gradient_sentence, sentinel_flips
from bertsent.training.groups.run_group import ask_all
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch, stop_and_keep
from bertsent.training.runs.run import Run, Status, find_run, list_runs
from bertsent.training.runs.status_sentences import duration, status_sentence
from bertsent.ui.fine_tune.run_data import validation_reviews
from bertsent.ui.fine_tune.run_report import run_report_view
from bertsent.ui.shared import (
    BY_CONTENT,
    draw,
    escape_markdown,
    linked_choice,
    live_runs,
    poll_interval,
    run_reader,
    run_title,
    show_error,
    show_errors,
    show_help,
)

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
    sentinels: tuple[str, ...] = ()
    with suppress(BertsentError):  # its configuration is damaged; its curves can still be drawn
        sentinels = run.sentinels()
    loss, accuracy, sentences = _curves(run, history, sentinels)
    alt = "{} of training and validation over the steps"
    left, right = st.columns(2, gap="medium")
    draw(loss, key=f"loss-{run.id}", alt=alt.format("Loss"), place=left)
    draw(accuracy, key=f"accuracy-{run.id}", alt=alt.format("Accuracy"), place=right)
    if sentences:
        draw(
            sentences,
            key=f"sentinels-{run.id}",
            alt="P(positive) of the sentinels over the steps",
        )
        for row in sentinel_flips(_followed(history, sentinels)).tail(8).itertuples():
            st.caption(
                f"“{escape_markdown(str(row.text))}” became {str(row.to_label).lower()} at step "
                f"{row.step:,}."
            )
    if status.state != "finished":
        _choose_sentinels(run, sentinels)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_CONTENT)
def _curves(
    run: Run, history: History, sentinels: tuple[str, ...]
) -> tuple[ChartSpec, ChartSpec, ChartSpec | None]:
    followed = _followed(history, sentinels)
    curves = learning_curves(
        history.step_frame(),
        history.evaluation_frame(),
        followed,
        total_steps=history.started.total_steps if history.started else 1,
        height=CURVE_HEIGHT,
    )
    third = chart_spec(curves.sentinels) if len(followed) else None
    return chart_spec(curves.loss), chart_spec(curves.accuracy), third


def _followed(history: History, sentinels: tuple[str, ...]) -> pd.DataFrame:
    scores = history.sentinel_frame()
    return scores[scores["text"].isin(sentinels)]


def _state(run: Run, history: History, status: Status) -> None:
    if status.state == "failed" and (failure := history.failure):
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
    majority_class = "–"
    with suppress(BertsentError):  # its reviews are damaged; its curves can still be drawn
        labels = validation_reviews(run).labels
        majority_class = f"{100 * majority_class_accuracy(labels):.1f} %"
    facts = {
        "Step": f"{step.step:,} / {total:,}",
        "Loss": f"{step.loss:.3f}",
        "Validation accuracy": f"{100 * history.evaluations[-1].accuracy:.1f} %"
        if history.evaluations
        else "–",
        "Majority class": majority_class,
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


def _buttons(run: Run, status: Status) -> None:
    if status.live:
        pause_and_stop([run], run.id, ("Pause", "Stop and keep"), disabled=bool(status.requested))
        return
    if status.state in RESUMABLE and st.button("Resume", key=f"resume-{run.id}", type="primary"):
        start_workers(partial(launch, run), [run])
    unevaluated = status.state in ("stopped", "finished") and not is_evaluated(run.checkpoints)
    if (
        list_checkpoints(run.checkpoints)
        and (unevaluated or status.state in ("paused", "interrupted", "failed", "new"))
        and st.button(
            "Evaluate and keep",
            key=f"keep-{run.id}",
            help="Ends the run with the weights it has now, evaluated on the validation reviews.",
        )
    ):
        start_workers(partial(stop_and_keep, run), [run])


def pause_and_stop(
    runs: Sequence[Run], name: str, labels: tuple[str, str], *, disabled: bool
) -> None:
    """The buttons that ask live runs to pause, or to stop.

    Args:
        runs: whom to ask.
        name: ends the keys of the buttons.
        labels: what stands on them.
        disabled: whether they were asked already.
    """

    def request(what: str) -> None:
        ask_all(runs, what)
        _look_anew(runs)

    for label, what in zip(labels, ("pause", "stop"), strict=True):
        st.button(label, key=f"{what}-{name}", on_click=request, args=(what,), disabled=disabled)


def start_workers(start: Callable[[], object], runs: Sequence[Run]) -> None:
    """Start the workers of these runs and draw the page anew, or say why it cannot be done."""
    with show_errors():
        with st.spinner("Starting …"):
            start()
        _look_anew(runs)
        st.rerun(scope="app")


def _look_anew(runs: Sequence[Run]) -> None:
    for run in runs:
        run_reader(run).forget_age()


def _choose_sentinels(run: Run, sentinels: tuple[str, ...]) -> None:
    """Add and remove sentinels; the worker follows them from its next step on."""
    # somebody else may have changed them: then the box is a new one
    known = cache_key(sentinels)[:12]
    with st.popover("Sentinels"), st.form(f"sentinels-form-{run.id}-{known}", border=False):
        lines = st.text_area(
            "One sentence per line",
            "\n".join(sentinels),
            key=f"sentinels-{run.id}-{known}",
            height=160,
            help="Their P(positive) is tracked from the next step on, for everyone who views this "
            "run. At most twelve.",
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
        chart, alt = getattr(charts, name), f"{title} over the steps"
        st.altair_chart(chart, width="stretch", key=f"{name}-{run.id}", alt=alt)
    st.caption(gradient_sentence(steps))
    show_help("fine_tune", "gradient_norm")
