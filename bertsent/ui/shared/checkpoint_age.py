"""A run's checkpoint that is in use in, one line out that says which step it is from, how old it is
and how far the run is meanwhile.
"""

import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from bertsent.models.folders import WEIGHTS
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run, Status
from bertsent.ui.shared.live_runs import duration, run_reader

EVERY = 2.0
_ENDED = {
    "stopped": "was stopped",
    "failed": "failed",
    "interrupted": "was interrupted",
    "paused": "is paused",
}


def weights_line(run: Run, step: int, follow: Callable[[], None]) -> None:
    """Draw the line, fresh every other second while the run lives, with the button that takes the
    newest weights.

    Args:
        run: whose weights are in use.
        step: of the checkpoint in use.
        follow: called when somebody asks for the newest; the page is drawn anew afterwards.
    """
    live = run_reader(run).look()[1].live
    st.fragment(_line, run_every=EVERY if live else None)(run, step, follow)


def _line(run: Run, step: int, follow: Callable[[], None]) -> None:
    history, status = run_reader(run).look()
    folders = kept_checkpoints(run.checkpoints)
    newest = int(folders[-1].name.removeprefix("step-")) if folders else step
    st.caption(sentence(step, newest, history, status, age(run, step)))
    if newest != step and st.button(
        f"Take the newest weights, step {newest:,}",
        key=f"newest-{run.id}",
        on_click=follow,
        help="And follow the run from there.",
    ):
        st.rerun(scope="app")


def sentence(
    step: int, newest: int, history: History, status: Status, seconds: float | None
) -> str:
    """Which weights answer: their step, their age while that matters, where the run is, and whether
    there are newer ones.
    """
    total = f" of {history.started.total_steps:,}" if history.started else ""
    if status.live:
        old = ", the newest there is" if step == newest else ""
        old += f", saved {duration(seconds)} ago" if seconds is not None else ""
        meanwhile = (
            f"the run is at step {history.step:,}{total} meanwhile"
            if status.state == "running"
            else "the run waits for its turn"
        )
        return f"Weights of step {step:,}{old}; {meanwhile}."
    if status.state in _ENDED and history.step != newest:
        kept = "the newest there is" if step == newest else f"the newest is of step {newest:,}"
        return (
            f"Weights of step {step:,}, {kept}; the run {_ENDED[status.state]} at step "
            f"{history.step:,}{total}."
        )
    if step != newest:
        return f"Weights of step {step:,}; the newest is of step {newest:,}."
    end = (
        f"; the run {_ENDED[status.state]} there{f', at {step:,}{total}' if total else ''}"
        if status.state in _ENDED
        else ""
    )
    return f"Weights of step {step:,}, the newest there is{end}."


def age(run: Run, step: int) -> float | None:
    """Seconds since the checkpoint of that step was written; None when it is gone."""
    try:
        return max(0.0, time.time() - _weights(run, step).stat().st_mtime)
    except OSError:
        return None


def _weights(run: Run, step: int) -> Path:
    return run.checkpoints / f"step-{step}" / WEIGHTS
