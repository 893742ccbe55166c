"""The line that says from which step the weights in use are, how old they are, and how far the run
is meanwhile.
"""

import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from bertsent.models.folders import WEIGHTS
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.run import Run
from bertsent.training.runs.status_sentences import weights_sentence
from bertsent.ui.shared.live_runs import run_reader

EVERY = 2.0


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
    st.caption(weights_sentence(step, newest, history, status, age(run, step)))
    if newest != step and st.button(
        f"Use the newest weights, step {newest:,}",
        key=f"newest-{run.id}",
        on_click=follow,
        help="And keep following the run.",
    ):
        st.rerun(scope="app")


def age(run: Run, step: int) -> float | None:
    """Seconds since the checkpoint of that step was written; None when it is gone."""
    try:
        return max(0.0, time.time() - _weights(run, step).stat().st_mtime)
    except OSError:
        return None


def _weights(run: Run, step: int) -> Path:
    return run.checkpoints / f"step-{step}" / WEIGHTS
