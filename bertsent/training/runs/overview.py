"""All runs in, one frame out: data and model, progress, accuracy, and title and note."""

import time

import pandas as pd

from bertsent.errors import BertsentError
from bertsent.training.runs.notes import read_note
from bertsent.training.runs.run import Run, list_runs

COLUMNS = (
    "run",
    "title",
    "status",
    "data",
    "model",
    "epochs",
    "step",
    "steps",
    "accuracy",
    "seconds",
    "started",
    "note",
)
UNREADABLE = "unreadable"
READ_ERRORS = (
    BertsentError,
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    LookupError,
    RecursionError,
)  # what a damaged or foreign folder makes a reader raise


def runs_table() -> pd.DataFrame:
    """One row a run, newest first; the status of a damaged or foreign run is ``unreadable``."""
    return pd.DataFrame([run_row(run) for run in list_runs()], columns=list(COLUMNS))


def run_row(run: Run) -> dict[str, object]:
    """One run's row; what is not known yet is None."""
    note = read_note(run.folder)
    named: dict[str, object] = {"run": run.id, "title": note.title, "note": note.text}
    try:
        config, history = run.config, run.history()
        return named | {
            "status": run.status(history).state,
            "data": str(config.data.source),
            "model": str(config.model),
            "epochs": config.training.epochs,
            "step": int(history.step),
            "steps": int(history.started.total_steps) if history.started else None,
            "accuracy": None if history.best_accuracy is None else float(history.best_accuracy),
            "seconds": round(history.steps[-1].seconds, 1) if history.steps else None,
            "started": time.strftime("%Y-%m-%d %H:%M", time.localtime(config.created)),
        }
    except READ_ERRORS:
        return named | {"status": UNREADABLE}
