"""All runs in, one frame out: what each is, how far it is, how well it does."""

import time

import pandas as pd

from bertsent.errors import BadCheckpoint
from bertsent.training.runs.run import Run, list_runs

COLUMNS = ("run", "status", "data", "model", "epochs", "step", "steps", "accuracy", "seconds", "started")


def overview() -> pd.DataFrame:
    """One row a run, newest first; a run whose configuration cannot be read says so in its status."""
    return pd.DataFrame([_row(run) for run in list_runs()], columns=list(COLUMNS))


def _row(run: Run) -> dict[str, object]:
    try:
        config = run.config
    except BadCheckpoint:
        return {"run": run.id, "status": "unreadable"}
    history = run.history()
    return {
        "run": run.id,
        "status": run.status(history).state,
        "data": config.data.source,
        "model": config.model,
        "epochs": config.training.epochs,
        "step": history.step,
        "steps": history.started.total_steps if history.started else None,
        "accuracy": history.best_accuracy,
        "seconds": round(history.steps[-1].seconds, 1) if history.steps else None,
        "started": time.strftime("%Y-%m-%d %H:%M", time.localtime(config.created)),
    }
