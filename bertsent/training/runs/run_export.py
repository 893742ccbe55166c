"""A run in, files for its owner out: the model with a card of what was measured, and all events as
a table.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from bertsent.errors import NotAvailable
from bertsent.models.backbone import BUILTIN_HUB_ID, BUILTIN_LICENCE
from bertsent.models.export import ModelCardFacts, export_checkpoint
from bertsent.models.folders import folder_title
from bertsent.models.head_origins import BEGINS
from bertsent.training.checkpoints import list_checkpoints, step_of
from bertsent.training.runs.report import task_report
from bertsent.training.runs.run import Run


def export_run(run: Run, folder: Path, step: int | None = None) -> Path:
    """Write a run's model (its newest checkpoint, or that of ``step``) to ``folder``.

    Raises:
        NotAvailable: there is no such checkpoint.
        BadInput: ``folder`` exists and is not empty.
    """
    checkpoints = {step_of(each): each for each in list_checkpoints(run.checkpoints)}
    chosen = max(checkpoints, default=None) if step is None else step
    if chosen is None or chosen not in checkpoints:
        raise NotAvailable(
            f"Run {run.id} has no checkpoint{'' if step is None else f' of step {step}'} yet.",
            "Wait for its first one.",
        )
    return export_checkpoint(checkpoints[chosen], folder, _card_facts(run, chosen))


def zip_run(run: Run, step: int | None = None) -> bytes:
    """The exported folder as one zip file."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = export_run(run, Path(scratch) / run.id, step)
        return Path(shutil.make_archive(str(folder), "zip", scratch, run.id)).read_bytes()


def events_table(run: Run) -> pd.DataFrame:
    """Everything the run has stated, one event a row in the order of its log, including what a
    resume superseded.

    The columns are ``event``, ``step``, ``time`` (seconds since 1970) and all that any of the
    events has; scores of sentences are JSON.
    """
    rows: list[dict[str, Any]] = [
        {"event": event.kind, **asdict(event)} for event in run.log.read()[0]
    ]
    for row in rows:
        if "scores" in row:
            row["scores"] = json.dumps(row["scores"], ensure_ascii=False)
    return pd.DataFrame(rows, columns=None if rows else ["event", "step", "time"]).astype(
        {"step": "Int64"}
    )


def _card_facts(run: Run, step: int) -> ModelCardFacts:
    config, scores = run.config, run.scores(step)
    data, builtin = config.data, config.model == "builtin"
    is_folder = Path(config.model).is_absolute()
    backbone = BUILTIN_HUB_ID if builtin else config.model
    found = None if scores is None else task_report(run.splits().validation, scores, step)
    return ModelCardFacts(
        title=run.id,
        backbone=folder_title(backbone),
        data=(
            f"{data.source} ({data.train_rows:,} training, {data.validation_rows:,} validation "
            "reviews)"
        ),
        recipe={
            **asdict(config.training),
            "contrastive share": data.contrastive_share,
            **config.versions,
            **_beginning(run),
        },
        metrics=_named(found.metrics) if found else {},
        validation_rows=data.validation_rows,
        report=found.text if found else "",
        licence=BUILTIN_LICENCE if builtin else "",
        is_hub_id=not is_folder,
    )


def _beginning(run: Run) -> dict[str, str]:
    """Where the head of a model of masked words came from."""
    started = run.history().started
    begins = BEGINS.get(started.begins, "") if started else ""
    return {"head": begins} if begins else {}


def _named(metrics: Mapping[str, float]) -> dict[str, float]:
    """The measures as the Hub names them."""
    return {"f1" if name == "macro_f1" else name: value for name, value in metrics.items()}
