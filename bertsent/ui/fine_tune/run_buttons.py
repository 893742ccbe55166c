"""The buttons of runs: pause, stop, resume, evaluate and keep."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from bertsent.training.checkpoints import is_evaluated, list_checkpoints
from bertsent.training.groups.run_group import ask_all
from bertsent.training.runs.launcher import launch, stop_and_keep
from bertsent.training.runs.run import Run, Status
from bertsent.ui.shared import (
    OTHERS,
    check_may_change,
    check_may_start,
    may_change,
    run_reader,
    show_errors,
    why_not,
)

RESUMABLE = ("paused", "interrupted", "stopped", "failed", "new")


def run_buttons(run: Run, status: Status) -> None:
    """What can be done with a run in that state; disabled for who may not."""
    reason = why_not([run])
    if status.live:
        pause_and_stop([run], run.id, ("Pause", "Stop and keep"), disabled=bool(status.requested))
        return
    if status.state in RESUMABLE and st.button(
        "Resume", key=f"resume-{run.id}", type="primary", disabled=bool(reason), help=reason
    ):
        start_workers(partial(launch, run), [run])
    unevaluated = status.state in ("stopped", "finished") and not is_evaluated(run.checkpoints)
    if (
        list_checkpoints(run.checkpoints)
        and (unevaluated or status.state in ("paused", "interrupted", "failed", "new"))
        and st.button(
            "Evaluate and keep",
            key=f"keep-{run.id}",
            disabled=bool(reason),
            help=reason
            or "Ends the run with the weights it has now, evaluated on the validation reviews.",
        )
    ):
        start_workers(partial(stop_and_keep, run), [run])
    say_whose([run])


def pause_and_stop(
    runs: Sequence[Run], name: str, labels: tuple[str, str], *, disabled: bool
) -> None:
    """The buttons that ask live runs to pause, or to stop; disabled for who may not.

    Args:
        runs: whom to ask.
        name: ends the keys of the buttons.
        labels: what stands on them.
        disabled: whether they were asked already.
    """

    def request(what: str) -> None:
        with show_errors():
            check_may_change(runs)
            ask_all(runs, what)
            _look_anew(runs)

    reason = why_not(runs)
    for label, what in zip(labels, ("pause", "stop"), strict=True):
        st.button(
            label,
            key=f"{what}-{name}",
            on_click=request,
            args=(what,),
            disabled=disabled or bool(reason),
            help=reason,
        )
    say_whose(runs)


def say_whose(runs: Sequence[Run]) -> None:
    """Say that these runs are somebody else's, where tooltips are not seen: on phones."""
    if not may_change(runs):
        st.caption(OTHERS, width="content")


def start_workers(start: Callable[[], object], runs: Sequence[Run]) -> None:
    """Start the workers of these runs and draw the page anew, or say why it cannot be done."""
    with show_errors():
        check_may_start(runs)
        with st.spinner("Starting …"):
            start()
        _look_anew(runs)
        st.rerun(scope="app")


def _look_anew(runs: Sequence[Run]) -> None:
    for run in runs:
        run_reader(run).forget_age()
