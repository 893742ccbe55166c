"""Runs as the pages see them, with one shared reader a run, so that a hundred viewers cost what
one does.
"""

import threading
import time
from contextlib import suppress

import streamlit as st

from bertsent.data.examples import Splits
from bertsent.errors import BertsentError
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.measure import measure_of
from bertsent.tasks.task import Task
from bertsent.training.runs.history import History
from bertsent.training.runs.notes import run_label
from bertsent.training.runs.run import Run, Status, list_runs
from bertsent.training.runs.run_tables import READ_ERRORS, UNREADABLE
from bertsent.ui.shared.caches import BY_CONTENT

FRESH = 0.8  # seconds for which a status or history is shared


class RunReader:
    """Reads on in a run's events and keeps what it has read."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._lock = threading.Lock()
        self._history, self._offset, self._status, self._read_at = History(), 0, Status("new"), 0.0

    def look(self) -> tuple[History, Status]:
        """History and status, at most a second old."""
        with self._lock:
            if time.monotonic() - self._read_at > FRESH:
                self._read_on()
                self._status = self.run.status(self._history)
                if not self._status.live:
                    self._read_on()  # what it still said before it ended
                self._read_at = time.monotonic()
            return self._history, self._status

    def _read_on(self) -> None:
        events, self._offset = self.run.log.read(self._offset)
        if events:
            self._history = self._history.copy().add(events)

    def forget_age(self) -> None:
        """Look anew next time, after a button was pressed."""
        self._read_at = 0.0


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=BY_CONTENT)
def run_reader(run: Run) -> RunReader:
    """The shared reader of a run."""
    return RunReader(run)


@st.cache_resource(max_entries=8, show_spinner="Reading the reviews …", hash_funcs=BY_CONTENT)
def run_splits(run: Run) -> Splits:
    """The reviews of a run, read once for everybody.

    Raises:
        BadCheckpoint: they cannot be read.
    """
    return run.splits()


@st.cache_resource(max_entries=1024, show_spinner=False, hash_funcs=BY_CONTENT)
def run_task(run: Run) -> Task:
    """What a run learns; sentiment in two labels where its configuration cannot be read."""
    with suppress(*READ_ERRORS):
        return run.config.task
    return SENTIMENT


def live_runs() -> list[Run]:
    """Runs that train or wait, the training one first."""
    found = []
    for run in list_runs():
        with suppress(BertsentError, OSError):
            if run.alive() and (status := run_reader(run).look()[1]).live:
                found.append((status.queue_position, run))
    return [run for _, run in sorted(found, key=lambda pair: pair[0])]


def run_title(run: Run) -> str:
    """A run as a picker shows it: its title, its name, its accuracy, or that it lives."""
    name = run_label(run.folder)
    try:
        history, status = run_reader(run).look()
    except READ_ERRORS:
        return f"{name} · {UNREADABLE}"
    if status.live:
        return f"{name} · live"
    best, measure = history.best_accuracy, measure_of(run_task(run))
    if best is None:
        return f"{name} · {status.state}"
    return f"{name} · {status.state} · {measure.short}{measure.say(best)}"
