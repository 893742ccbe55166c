"""Runs in, tables out: all runs at a glance, the epochs of one, and several compared: the settings
in which they differ, what was measured of each, and their curves in one frame.
"""

import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bertsent.data.examples import Origin
from bertsent.errors import BertsentError
from bertsent.models.folders import folder_title
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.measure import ACCURACY, Measure, measure_of
from bertsent.tasks.task import Task
from bertsent.training.config import RunConfig
from bertsent.training.runs.history import History
from bertsent.training.runs.notes import read_note
from bertsent.training.runs.run import Run, list_runs

RUN_COLUMNS = (
    "run",
    "title",
    "status",
    "data",
    "model",
    "epochs",
    "step",
    "steps",
    "accuracy",
    "task",
    "measured",
    "seconds",
    "started",
    "note",
)
WORD_COLUMNS = (
    *("run", "title", "status", "learns", "best", "reviews", "model", "epochs", "steps"),
    *("seconds", "started"),
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
MEASURES = ("loss", "accuracy", "val_loss", "val_accuracy")
_NAMES = {
    "data.source": "reviews",
    "data.contrastive_share": "share of contrastive reviews",
    "data.train_rows": "training reviews",
    "data.validation_rows": "validation reviews",
    "data.sha256": "fingerprint of the reviews",
    "data.task": "learns",
    "data.origin": "where the reviews came from",
    "model_sha256": "fingerprint of the model",
    "sentinels": "sentinel sentences",
}
_OF_ITS_OWN = ("id", "created", "data", "training", "versions")  # differ anyway, or are taken apart
_NONE = "–"


def runs_table() -> pd.DataFrame:
    """One row a run, newest first; the status of a damaged or foreign run is ``unreadable``."""
    return pd.DataFrame([run_row(run) for run in list_runs()], columns=list(RUN_COLUMNS))


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
            **_best(history, config.task),
            "seconds": round(history.steps[-1].seconds, 1) if history.steps else None,
            "started": time.strftime("%Y-%m-%d %H:%M", time.localtime(config.created)),
        }
    except READ_ERRORS:
        return named | {"status": UNREADABLE}


def _best(history: History, task: Task) -> dict[str, object]:
    """The best accuracy; of tasks that are measured otherwise, the measure in words."""
    best, measure = history.best_accuracy, measure_of(task)
    found: dict[str, object] = {"accuracy": None, "measured": None, "task": task.title}
    if best is None:
        return found
    if measure.title == ACCURACY.title:
        return found | {"accuracy": float(best)}
    return found | {"measured": f"{measure.title} {measure.say(best)}"}


def runs_in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``runs_table`` for a person to read: what each run learns and the best that it
    reached, in the measure of its task. What is not known yet is empty.
    """
    known = table.astype(object).where(table.notna(), None).to_dict("records")
    return pd.DataFrame(map(_in_words, known), columns=list(WORD_COLUMNS))


def _in_words(row: Mapping[str, Any]) -> dict[str, str]:
    accuracy, steps, seconds = row["accuracy"], row["steps"], row["seconds"]
    best = "" if accuracy is None else f"{ACCURACY.title} {ACCURACY.say(accuracy)}"
    return {
        **{name: row[name] or "" for name in ("run", "title", "status", "started")},
        "learns": row["task"] or "",
        "best": row["measured"] or best,
        "reviews": row["data"] or "",
        "model": folder_title(row["model"] or ""),
        "epochs": "" if row["epochs"] is None else f"{row['epochs']:,.0f}",
        "steps": "" if steps is None else f"{row['step']:,.0f} of {steps:,.0f}",
        "seconds": "" if seconds is None else f"{seconds:,.1f}",
    }


def epoch_rows(history: History) -> pd.DataFrame:
    """Columns epoch, loss, accuracy (means over the epoch's batches), val_loss, val_accuracy,
    steps, seconds.

    Epoch 0 is the untrained model, which has no training numbers. An epoch that is not over is not
    there.
    """
    steps = history.started.steps_per_epoch if history.started else 0
    clock, found = {s.step: s.seconds for s in history.steps}, history.epoch_evaluations
    until = [clock.get(e.step, 0.0) + e.seconds for e in found]
    rows = [
        (
            round(e.epoch),
            e.train_loss,
            e.train_accuracy,
            e.loss,
            e.accuracy,
            steps if e.step else 0,
            seconds,
        )
        for e, seconds in zip(found, np.diff(until, prepend=0.0), strict=True)
    ]
    return pd.DataFrame(rows, columns=["epoch", *MEASURES, "steps", "seconds"]).astype(
        dict.fromkeys(MEASURES, "float64")
    )


def epoch_lines(
    rows: pd.DataFrame, epochs: int, sic: Collection[int] = (), task: Task = SENTIMENT
) -> str:
    """``Epoch i/N  steps  time  s/step  loss  accuracy  val_loss  val_accuracy``, a line an epoch,
    with what else the task is measured by instead of accuracy; the epochs in ``sic`` are marked as
    printed with a slip.
    """
    trained = {"regression": "within_tenth", "mixed": "rows_right"}.get(
        task.problem_type, task.main_metric
    )
    named = dict(
        zip(MEASURES, ("loss", trained, "val_loss", f"val_{task.main_metric}"), strict=True)
    )
    lines = []
    for row in rows[rows["epoch"] > 0].itertuples():
        pace = row.seconds / max(1, row.steps)
        each = f"{pace:.1f} s/step" if pace >= 1 else f"{1000 * pace:.0f} ms/step"
        numbers = " - ".join(f"{said}: {getattr(row, name):.4f}" for name, said in named.items())
        lines.append(
            f"Epoch {row.epoch}/{epochs}  {row.steps:,} steps  {row.seconds:.0f} s  {each}  "
            f"{numbers}{' (sic)' if row.epoch in sic else ''}"
        )
    return "\n".join(lines)


def settings(config: RunConfig) -> dict[str, str]:
    """Everything that decides a run, each setting as a person reads it; of paths the last part, of
    hashes the beginning.
    """
    found = {
        **{f"data.{name}": value for name, value in vars(config.data).items()},
        **{name: value for name, value in vars(config).items() if name not in _OF_ITS_OWN},
        **vars(config.training),
        **{f"version of {name}": version for name, version in dict(config.versions).items()},
    }
    return {
        _NAMES.get(name, name.replace("_", " ")): _said(name, value)
        for name, value in found.items()
    }


def differences(configs: Mapping[str, RunConfig]) -> pd.DataFrame:
    """The settings that are not the same in all runs: a column ``setting``, then one column a run,
    in their order.

    A setting that one of them does not have is a dash.
    """
    table = pd.DataFrame(
        {name: settings(config) for name, config in configs.items()}, dtype=object
    ).fillna(_NONE)
    return table[table.nunique(axis=1) > 1].rename_axis("setting").reset_index()


def measures(
    histories: Mapping[str, History], of: Mapping[str, Measure] | None = None
) -> pd.DataFrame:
    """What was measured, side by side: a column ``measure``, then one column a run, in their order,
    as words. ``of`` says how runs are measured that are not by accuracy.
    """
    found = {
        name: _measured(history, (of or {}).get(name, ACCURACY))
        for name, history in histories.items()
    }
    return pd.DataFrame(found, dtype=object).rename_axis("measure").reset_index()


def curves(histories: Mapping[str, History]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All steps and all validations: the columns of a history's own frames and ``run``; ``seconds``
    are those trained so far.
    """
    steps = [history.step_frame().assign(run=name) for name, history in histories.items()]
    checks = [_timed(history).assign(run=name) for name, history in histories.items()]
    return pd.concat(steps, ignore_index=True), pd.concat(checks, ignore_index=True)


def _timed(history: History) -> pd.DataFrame:
    """The validations with the training time at which they were made, instead of the time that they
    took.
    """
    known = {0: 0.0} | {step.step: step.seconds for step in history.steps}
    checks = history.evaluation_frame()
    return checks.assign(seconds=checks["step"].map(known).astype("float64"))


def _said(name: str, value: object) -> str:
    if "sha256" in name:
        return str(value)[:12]
    if isinstance(value, Origin):
        return " ".join(filter(None, (value.kind, value.name)))
    if name == "data.task" and isinstance(value, Mapping):
        return str(value.get("title", value))
    if name == "model" and Path(str(value)).is_absolute():
        return folder_title(str(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " | ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _measured(history: History, measure: Measure) -> dict[str, str]:
    started, step = history.started, history.steps[-1] if history.steps else None
    checks = [e for e in history.evaluations if e.step > 0]
    best = max(checks, key=lambda e: e.accuracy, default=None)
    lowest = min((e for e in checks if e.loss is not None), key=lambda e: e.loss, default=None)
    last = checks[-1] if checks else None
    of = "" if measure.title == ACCURACY.title else f"{measure.title} "

    def say(value: float) -> str:
        return f"{of}{measure.say(value)}"

    def trained(value: float) -> str:
        return f"{measure.training} {measure.say(value)}" if measure.training else say(value)

    return {
        "best validation accuracy": f"{say(best.accuracy)} at step {best.step:,}"
        if best
        else _NONE,
        "last validation accuracy": say(last.accuracy) if last else _NONE,
        "last macro-F1": f"{last.macro_f1:.3f}" if last and last.macro_f1 is not None else _NONE,
        "lowest validation loss": f"{lowest.loss:.3f} at step {lowest.step:,}" if lowest else _NONE,
        "last training accuracy, mean of the epoch": trained(last.train_accuracy)
        if last and last.train_accuracy is not None
        else _NONE,
        "steps": f"{history.step:,} of {started.total_steps:,}" if started else _NONE,
        "parameters that train": f"{started.trainable:,} of {started.parameters:,}"
        if started
        else _NONE,
        "seconds of training": f"{step.seconds:,.0f}" if step else _NONE,
        "tokens a second": f"{sum(s.tokens for s in history.steps) / step.seconds:,.0f}"
        if step and step.seconds > 0
        else _NONE,
    }
