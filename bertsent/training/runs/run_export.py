"""A run in, what its owner can take away out: the model with a card that tells what was measured,
and all that was stated as a table.
"""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from bertsent.errors import NotAvailable
from bertsent.models.export import ModelCardFacts, export_checkpoint
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.runs.report import EvaluationReport, evaluation_report
from bertsent.training.runs.run import Run


def export_run(run: Run, folder: Path, step: int | None = None) -> Path:
    """Write a run's model (its newest checkpoint, or that of ``step``) to ``folder``.

    Raises:
        NotAvailable: there is no such checkpoint.
        BadInput: ``folder`` exists and is not empty.
    """
    checkpoints = {int(f.name.removeprefix("step-")): f for f in list_checkpoints(run.checkpoints)}
    chosen = max(checkpoints, default=None) if step is None else step
    if chosen not in checkpoints:
        raise NotAvailable(
            f"Run {run.id} has no checkpoint{'' if step is None else f' of step {step}'} yet.",
            "Wait for its first one.",
        )
    return export_checkpoint(checkpoints[chosen], folder, _story(run, chosen))


def zip_run(run: Run, step: int | None = None) -> bytes:
    """The exported folder as one zip file."""
    import shutil

    with tempfile.TemporaryDirectory() as scratch:
        folder = export_run(run, Path(scratch) / run.id, step)
        return Path(shutil.make_archive(str(folder), "zip", scratch, run.id)).read_bytes()


def events_table(run: Run) -> pd.DataFrame:
    """Everything the run has stated, one event a row in the order of its log, what a resume
    superseded included.

    The columns are ``event``, ``step``, ``time`` (seconds since 1970) and all that any of the
    events has; scores of
    sentences are JSON.
    """
    rows = [{"event": event.kind, **asdict(event)} for event in run.log.read()[0]]
    for row in rows:
        if "scores" in row:
            row["scores"] = json.dumps(row["scores"], ensure_ascii=False)
    frame = pd.DataFrame(
        rows,
        columns=list(
            dict.fromkeys(["event", "step", "time", *(name for row in rows for name in row)])
        ),
    )
    return frame.astype({"step": "Int64"}) if len(frame) else frame


def _story(run: Run, step: int) -> ModelCardFacts:
    config = run.config
    recipe = {
        **asdict(config.training),
        "contrastive share": config.data.contrastive_share,
        **config.versions,
    }
    data = (
        f"{config.data.source} ({config.data.train_rows:,} training, "
        f"{config.data.validation_rows:,} validation reviews)"
    )
    found = _report(run, step)
    metrics = {"accuracy": found.accuracy, "f1": found.macro_f1} if found else {}
    return ModelCardFacts(
        run.id,
        Path(config.model).name if Path(config.model).is_absolute() else config.model,
        data,
        recipe,
        metrics,
        config.data.validation_rows,
        found.text if found else "",
    )


def _report(run: Run, step: int) -> EvaluationReport | None:
    scores = run.scores(step)
    return None if scores is None else evaluation_report(run.splits().validation, scores, step)
