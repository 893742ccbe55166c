"""A run's history in, one row an epoch out: the four numbers that Keras prints, and the line it
prints them in.
"""

from collections.abc import Collection

import numpy as np
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
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype(dict.fromkeys(MEASURES, "float64"))


def epoch_lines(rows: pd.DataFrame, epochs: int, sic: Collection[int] = ()) -> str:
    """``Epoch i/N  steps  time  s/step  loss  accuracy  val_loss  val_accuracy``, a line an epoch;
    the epochs in ``sic`` are marked as printed with a slip.
    """
    lines = []
    for row in rows[rows["epoch"] > 0].itertuples():
        pace = row.seconds / max(1, row.steps)
        each = f"{pace:.1f} s/step" if pace >= 1 else f"{1000 * pace:.0f} ms/step"
        numbers = " - ".join(f"{name}: {getattr(row, name):.4f}" for name in MEASURES)
        lines.append(
            f"Epoch {row.epoch}/{epochs}  {row.steps:,} steps  {row.seconds:.0f} s  {each}  "
            f"{numbers}{' (sic)' if row.epoch in sic else ''}"
        )
    return "\n".join(lines)
