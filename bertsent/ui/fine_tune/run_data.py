"""What several tabs read of a run, read once for everybody who looks at it."""

from pathlib import Path

import streamlit as st

from bertsent.data.examples import Reviews
from bertsent.training.runs.accuracy import RunAnswers, run_answers
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run


def created(run: Run) -> int:
    """Tells a run from another one that took its name after it was deleted."""
    return (run.folder / "config.json").stat().st_mtime_ns


def validation_reviews(run: Run) -> Reviews:
    """The reviews that the run is evaluated on.

    Raises:
        BadCheckpoint: they cannot be read.
    """
    return _validation(str(run.folder), created(run))


def latest_answers(run: Run, history: History) -> RunAnswers | None:
    """The validation answers of the newest weights; None before the first epoch.

    Raises:
        BadCheckpoint: the reviews of the run cannot be read.
    """
    step = history.evaluations[-1].step if history.evaluations else 0
    return _answers(str(run.folder), created(run), step, run, history) if step else None


@st.cache_resource(max_entries=64, show_spinner="Reading the reviews …")
def _validation(folder: str, created: int) -> Reviews:
    return Run(Path(folder)).splits().validation


@st.cache_resource(max_entries=512, show_spinner=False)
def _answers(
    folder: str, created: int, step: int, _run: Run, _history: History
) -> RunAnswers | None:
    return run_answers(_run, _history, validation_reviews(_run))
