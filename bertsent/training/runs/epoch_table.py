"""A run's history in, one row an epoch out: the four numbers that Keras prints, and the line it
prints them in.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from bertsent.training.runs.history import History

MEASURES = ("loss", "accuracy", "val_loss", "val_accuracy")
COLUMNS = ("epoch", *MEASURES, "steps", "seconds")


def epoch_rows(history: History) -> pd.DataFrame:
    """Columns epoch, loss, accuracy (means over the epoch's batches), val_loss, val_accuracy,
    steps, seconds.

    Epoch 0 is the untrained model, which has no training numbers. An epoch that is not over is not
    there.
    """
    if history.started is None:
        return pd.DataFrame(columns=list(COLUMNS))
    steps, clock = history.started.steps_per_epoch, {s.step: s.seconds for s in history.steps}
    rows, before = [], 0.0
    for e in history.epoch_evaluations:
        until = clock.get(e.step, 0.0) + e.seconds
        rows.append(
            (
                round(e.epoch),
                e.train_loss,
                e.train_accuracy,
                e.loss,
                e.accuracy,
                steps if e.step else 0,
                until - before,
            )
        )
        before = until
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype(dict.fromkeys(MEASURES, "float64"))


def epoch_lines(rows: pd.DataFrame, epochs: int, marks: Sequence[tuple[int, str]] = ()) -> str:
    """``Epoch i/N  steps  time  s/step  loss  accuracy  val_loss  val_accuracy``, a line an epoch;
    ``marks`` puts a word behind a line.
    """
    behind = dict(marks)
    lines = [
        _line(row, epochs) + (f" {behind[row.epoch]}" if row.epoch in behind else "")
        for row in rows[rows["epoch"] > 0].itertuples()
    ]
    return "\n".join(lines)


def _line(row: Any, epochs: int) -> str:
    pace = row.seconds / max(1, row.steps)
    each = f"{pace:.1f} s/step" if pace >= 1 else f"{1000 * pace:.0f} ms/step"
    numbers = " - ".join(f"{name}: {getattr(row, name):.4f}" for name in MEASURES)
    return (
        f"Epoch {row.epoch}/{epochs}  {row.steps:,} steps  {row.seconds:.0f} s  {each}  {numbers}"
    )
