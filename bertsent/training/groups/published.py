"""Published results as printed: the pair of runs without and with contrastive reviews (Chiu 2025,
figures 3 and 4), and the 2⁴ experiment on a BERT that is shared by three tasks.

Numbers are kept verbatim in ``published.json`` and ``published_factorial.csv``. ``SLIPS`` says what
cannot be as printed, and how one knows.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bertsent.training.runs.run_tables import MEASURES

_FACTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class PublishedRun:
    """One printed run: loss, accuracy, val_loss and val_accuracy of its epochs, its report, and the
    confusion matrix it implies.
    """

    arm: str
    title: str
    steps: int  # an epoch
    train_rows: int  # as its accuracies imply
    seconds: list[int]
    epochs: list[list[float]]
    report: list[str]  # its lines
    matrix: list[list[int]]
    sic: list[int]  # epochs whose line holds a slip

    def rows(self) -> pd.DataFrame:
        """One row an epoch, as ``epoch_rows`` gives for a run of one's own."""
        table = pd.DataFrame(self.epochs, columns=list(MEASURES))
        table.insert(0, "epoch", table.index + 1)
        return table.assign(steps=self.steps, seconds=self.seconds)

    @property
    def validation_rows(self) -> int:
        return sum(map(sum, self.matrix))

    @property
    def right(self) -> int:
        """How many validation reviews were right in the end."""
        return self.matrix[0][0] + self.matrix[1][1]


PUBLISHED = {run["arm"]: PublishedRun(**run) for run in _FACTS["runs"]}
SLIPS: list[str] = _FACTS["slips"]
FACTORIAL: dict[str, str] = _FACTS["factors"]
TASKS = ("SST", "PARA", "STS")


def published_factorial() -> pd.DataFrame:
    """The sixteen published configurations, each trained for 25 epochs: columns CLS, SW, WL, ED
    (True or False, see ``FACTORIAL``), accuracy on SST and PARA, correlation on STS, and the mean
    of the three as ``mean``.
    """
    table = pd.read_csv(Path(__file__).with_name("published_factorial.csv"))
    table = table.astype(dict.fromkeys(FACTORIAL, bool))
    return table.assign(mean=table[list(TASKS)].mean(axis=1))
