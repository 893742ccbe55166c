"""What several tabs read of a run, read once for everybody who looks at it."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.errors import BadCheckpoint
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.runs.accuracy import RunAnswers, run_answers
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.ui.shared import BY_CONTENT


@st.cache_resource(max_entries=64, show_spinner="Reading the reviews …", hash_funcs=BY_CONTENT)
def validation_reviews(run: Run) -> Reviews:
    """The reviews that the run is evaluated on.

    Raises:
        BadCheckpoint: they cannot be read.
    """
    return run.splits().validation


@st.cache_resource(max_entries=512, show_spinner=False, hash_funcs=BY_CONTENT)
def latest_answers(run: Run, history: History) -> RunAnswers | None:
    """The validation answers of the newest weights; None before the first epoch.

    Raises:
        BadCheckpoint: the reviews of the run cannot be read.
    """
    if not history.evaluations or not history.evaluations[-1].step:
        return None
    return run_answers(run, history, validation_reviews(run))


def answers_of(runs: Mapping[str, tuple[Run, History]]) -> dict[str, RunAnswers]:
    """The ``latest_answers`` of those runs that have some and can be read."""
    found = {}
    for name, (run, history) in runs.items():
        with suppress(BadCheckpoint):
            found[name] = latest_answers(run, history)
    return {name: answers for name, answers in found.items() if answers is not None}


def model_name(run: Run) -> str:
    """The name by which Probe knows the run; empty where it has no weights to ask."""
    return run.id if list_checkpoints(run.checkpoints) else ""
