"""A run as it lives: curves, sentinels and buttons, drawn from the run's folder and fresh every
other second, or every fifth in a crowd.
"""

import hashlib

import pandas as pd
import streamlit as st

from bertsent.errors import BertsentError
from bertsent.figures.chart_spec import ChartSpec, chart_spec
from bertsent.figures.learning_curves import flips, learning_curves
from bertsent.training.runs.history import History
from bertsent.training.runs.launcher import launch
from bertsent.training.runs.run import Run, Status, list_runs
from bertsent.ui.shared.charts import draw
from bertsent.ui.shared.errors import escape_markdown, show_error
from bertsent.ui.shared.links import linked_choice
from bertsent.ui.shared.live_runs import duration, headline, run_reader, run_title
from bertsent.ui.shared.viewers import poll_interval

EVERY = 2.0
RESUMABLE = ("paused", "interrupted", "stopped", "failed", "new")


def choose_run() -> Run | None:
    """The picker of runs, newest first; None when there are none."""
    runs = {run.id: run for run in list_runs()[:100]}
    if not runs:
        return None
    return runs[
        linked_choice("Run", {name: run_title(run) for name, run in runs.items()}, key="run")
    ]


def live_view(run: Run) -> Status:
    """Draw the run, polling only while it lives; gives back how it stood."""
    status = run_reader(run).look()[1]
    pace = poll_interval(EVERY) if status.live else None
    st.fragment(_draw, run_every=pace)(run, pace)
    return status


def _draw(run: Run, pace: float | None) -> None:
    history, status = run_reader(run).look()
    if pace and (not status.live or pace != poll_interval(EVERY)):
        # the report can be drawn now and nothing needs polling any more; or many have come, or gone
        st.rerun()
    _headline(run, history, status)
    _buttons(run, status)
    if not history.started:
        st.caption("The curves will be here as soon as the first step is done.")
    watched = _watched(run)
    loss, accuracy, sentences = _curves(run.id, _stamp(run, history), watched, history)
    draw(
        loss,
        key=f"loss-{run.id}",
        alt="Loss of training and validation over the steps, with the learning rate",
    )
    draw(
        accuracy, key=f"accuracy-{run.id}", alt="Accuracy of training and validation over the steps"
    )
    if sentences:
        draw(
            sentences,
            key=f"sentinels-{run.id}",
            alt="P(positive) of the sentinel sentences over the steps",
        )
        _flips(_followed(history, watched))
    _choose_sentences(run, status, watched)


@st.cache_resource(max_entries=16, show_spinner=False)
def _curves(
    run: str, stamp: tuple[int, ...], watched: tuple[str, ...], _history: History
) -> tuple[ChartSpec, ChartSpec, ChartSpec | None]:
    """Loss, accuracy and sentences as they stand: drawn once for all who look."""
    total = _history.started.total_steps if _history.started else 1
    followed = _followed(_history, watched)
    curves = learning_curves(
        _history.step_frame(), _history.evaluation_frame(), followed, total_steps=total
    )
    return (
        chart_spec(curves.loss),
        chart_spec(curves.accuracy),
        chart_spec(curves.sentinels) if len(followed) else None,
    )


def _stamp(run: Run, history: History) -> tuple[int, ...]:
    """Another one whenever something was measured since, or another run has taken the name."""
    created = (run.folder / "config.json").stat().st_mtime_ns
    return (
        created,
        history.step,
        len(history.steps),
        len(history.evaluations),
        len(history.sentinels),
    )


def _followed(history: History, watched: tuple[str, ...]) -> pd.DataFrame:
    sentences = history.sentinel_frame()
    return sentences[sentences["text"].isin(watched)]


def _headline(run: Run, history: History, status: Status) -> None:
    st.markdown(f"**{escape_markdown(headline(run, history, status))}**")
    failure = history.failure if status.state == "failed" else None
    if failure:
        st.error(escape_markdown(f"{failure.reason} {failure.remedy}"))
    if status.state == "interrupted":
        st.warning(
            "The worker of this run died. Its last checkpoint is whole: resume goes on exactly "
            "from there."
        )
    step, last = (
        (history.steps[-1] if history.steps else None),
        (history.evaluations[-1] if history.evaluations else None),
    )
    over = not status.live
    facts = {
        "Step": f"{step.step:,} / {history.started.total_steps:,}" if step else "–",
        "Loss": f"{step.loss:.3f}" if step else "–",
        "Validation accuracy": f"{last.accuracy:.1%}" if last else "–",
        "Learning rate": f"{step.learning_rate:.1e}" if step else "–",
        "Tokens/s": f"{step.tokens_per_second:,.0f}" if step else "–",
        "Trained for" if over else "Left": duration(step.seconds if over else step.eta_seconds)
        if step
        else "–",
    }
    with st.container(horizontal=True, gap="medium"):
        for name, fact in facts.items():
            st.metric(name, fact, width="content")
    if step:
        st.progress(step.step / history.started.total_steps)


def _buttons(run: Run, status: Status) -> None:
    with st.container(horizontal=True, gap="small"):
        if status.live:
            st.button(
                "Pause",
                key=f"pause-{run.id}",
                on_click=_ask,
                args=(run, "pause"),
                disabled=bool(status.requested),
            )
            st.button(
                "Stop and keep",
                key=f"stop-{run.id}",
                on_click=_ask,
                args=(run, "stop"),
                disabled=bool(status.requested),
            )
        elif status.state in RESUMABLE:
            if st.button("Resume", key=f"resume-{run.id}", type="primary"):
                _resume(run)


def _ask(run: Run, wish: str) -> None:
    run.request(wish)
    run_reader(run).forget_age()


def _resume(run: Run) -> None:
    try:
        with st.spinner("Resuming …"):
            launch(run)
    except BertsentError as error:
        show_error(error)
        return
    run_reader(run).forget_age()
    st.rerun(scope="app")


def _watched(run: Run) -> tuple[str, ...]:
    try:
        return run.sentinels()
    except BertsentError:  # its configuration is damaged; its curves can still be drawn
        return ()


def _choose_sentences(run: Run, status: Status, watched: tuple[str, ...]) -> None:
    """Add and remove sentences while it trains; the worker follows from its next step on."""
    if status.state == "finished":
        return
    known = hashlib.sha256("\n".join(watched).encode()).hexdigest()[
        :12
    ]  # somebody else may have changed them: then the box is a new one
    with st.popover("Pinned sentences"), st.form(f"watch-{run.id}-{known}", border=False):
        lines = st.text_area(
            "One a line",
            "\n".join(watched),
            key=f"watched-{run.id}-{known}",
            height=160,
            help="Their P(positive) is followed from the next step on, for everybody who looks. At "
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


def _flips(sentences: pd.DataFrame) -> None:
    for row in flips(sentences).tail(8).itertuples():
        st.caption(
            f"“{escape_markdown(row.text)}” turned {row.to_label.lower()} at step {row.step:,}."
        )
