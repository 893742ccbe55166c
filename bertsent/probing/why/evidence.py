"""One review and one model in, the three kinds of evidence side by side out: attention, integrated
gradients, leaving words out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.probing.why.agreement import Deletion, deletions, kendall
from bertsent.probing.why.gradients import Gradients, integrated_gradients
from bertsent.probing.why.occlusion import Occlusion, leave_one_out
from bertsent.probing.why.reading import By, Progress, Reading, part, read
from bertsent.probing.why.rollout import Looks, looks

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

ATTENTION, GRADIENTS, LEFT_OUT = "attention", "integrated gradients", "leaving it out"


@dataclass(frozen=True)
class Evidence:
    """The three kinds of evidence for one answer; ``occlusion.units`` are the units that are
    compared.
    """

    reading: Reading
    looks: Looks
    gradients: Gradients
    occlusion: Occlusion

    @property
    def positive(self) -> bool:
        return self.occlusion.p_positive > 0.5

    def table(self, attention: np.ndarray) -> pd.DataFrame:
        """One row a unit: position (from 1), word, and the three kinds of evidence; ``attention``
        (T,) comes from ``looks``.
        """
        units = list(self.occlusion.units)
        return pd.DataFrame(
            {
                "position": [unit + 1 for unit in units],
                "word": [self.reading.units[unit].text for unit in units],
                ATTENTION: self.reading.per_unit(attention)[units],
                GRADIENTS: self.reading.per_unit(self.gradients.tokens)[units],
                LEFT_OUT: self.occlusion.drops,
            }
        )


def gather(
    learner: "Learner",
    text: str,
    *,
    by: By = "words",
    first: int = 0,
    count: int | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Look at one answer in three ways.

    Args:
        learner: whose answer it is.
        text: the review.
        by: whole words or word pieces.
        first: the first unit to compare (from 0).
        count: how many units are compared, all that follow where left out; the model always reads
            the whole review.
        progress: told how far the work is; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word in the review.
        NotAvailable: the model has no trained head, or gives no attention.
    """
    reading = read(learner, text, by)
    last = len(reading.units) if count is None else first + count
    units = range(len(reading.units))[first:last]
    occlusion = leave_one_out(learner, reading, units, progress=part(progress, 0.0, 0.4))
    gradients = integrated_gradients(learner, reading.ids, progress=part(progress, 0.4, 1.0))
    return Evidence(
        reading, looks(learner.attend(reading.text), learner.pooling), gradients, occlusion
    )


def taus(table: pd.DataFrame) -> dict[tuple[str, str], float | None]:
    """Kendall's τ of each two kinds of evidence in a table of ``Evidence``; None where there is
    nothing to rank.
    """
    pairs = ((ATTENTION, GRADIENTS), (ATTENTION, LEFT_OUT), (GRADIENTS, LEFT_OUT))
    return {pair: kendall(*(table[name].to_numpy() for name in pair)) for pair in pairs}


def trust(
    learner: "Learner", evidence: Evidence, table: pd.DataFrame, *, progress: Progress | None = None
) -> tuple[Deletion, ...]:
    """Take words out in the order of each column of ``table``; signed evidence counts towards the
    model's answer.
    """
    sign = 1 if evidence.positive else -1
    orders = {
        ATTENTION: table[ATTENTION].to_numpy(),
        **{name: sign * table[name].to_numpy() for name in (GRADIENTS, LEFT_OUT)},
    }
    return deletions(learner, evidence.reading, orders, evidence.occlusion.units, progress=progress)
