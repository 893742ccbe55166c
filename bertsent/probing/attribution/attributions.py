"""One review and one model in, the three kinds of evidence side by side out: attention, integrated
gradients, leaving words out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.probing.attribution.faithfulness import DeletionCurve, deletion_curves, kendall_tau
from bertsent.probing.attribution.integrated_gradients import (
    IntegratedGradients,
    integrated_gradients,
)
from bertsent.probing.attribution.leave_one_out import LeaveOneOut, leave_one_out
from bertsent.probing.attribution.rollout import TokenAttention, token_attention
from bertsent.probing.attribution.units import (
    Progress,
    SegmentedReview,
    UnitKind,
    segment_review,
    subprogress,
)

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

ATTENTION, GRADIENTS, LEFT_OUT = "attention", "integrated gradients", "leaving it out"


@dataclass(frozen=True)
class Attributions:
    """The three kinds of evidence for one answer; ``occlusion.units`` are the units that are
    compared.
    """

    reading: SegmentedReview
    token_attention: TokenAttention
    gradients: IntegratedGradients
    occlusion: LeaveOneOut

    @property
    def positive(self) -> bool:
        return self.occlusion.p_positive > 0.5

    def table(self, attention: np.ndarray) -> pd.DataFrame:
        """One row a unit: position (from 1), word, and the three kinds of evidence; ``attention``
        (T,) comes from ``token_attention``.
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


def attribute_review(
    learner: "LoadedModel",
    text: str,
    *,
    by: UnitKind = "words",
    first: int = 0,
    count: int | None = None,
    progress: Progress | None = None,
) -> Attributions:
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
    reading = segment_review(learner, text, by)
    last = len(reading.units) if count is None else first + count
    units = range(len(reading.units))[first:last]
    occlusion = leave_one_out(learner, reading, units, progress=subprogress(progress, 0.0, 0.4))
    gradients = integrated_gradients(learner, reading.ids, progress=subprogress(progress, 0.4, 1.0))
    return Attributions(
        reading,
        token_attention(learner.attend(reading.text), learner.pooling),
        gradients,
        occlusion,
    )


def kendall_taus(table: pd.DataFrame) -> dict[tuple[str, str], float | None]:
    """Kendall's τ of each two kinds of evidence in a table of ``Attributions``; None where there is
    nothing to rank.
    """
    pairs = ((ATTENTION, GRADIENTS), (ATTENTION, LEFT_OUT), (GRADIENTS, LEFT_OUT))
    return {pair: kendall_tau(*(table[name].to_numpy() for name in pair)) for pair in pairs}


def faithfulness_curves(
    learner: "LoadedModel",
    evidence: Attributions,
    table: pd.DataFrame,
    *,
    progress: Progress | None = None,
) -> tuple[DeletionCurve, ...]:
    """Take words out in the order of each column of ``table``; signed evidence counts towards the
    model's answer.
    """
    sign = 1 if evidence.positive else -1
    orders = {
        ATTENTION: table[ATTENTION].to_numpy(),
        **{name: sign * table[name].to_numpy() for name in (GRADIENTS, LEFT_OUT)},
    }
    return deletion_curves(
        learner, evidence.reading, orders, evidence.occlusion.units, progress=progress
    )
