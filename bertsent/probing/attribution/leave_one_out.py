"""A reading in, how much the answer hangs on each unit out: every unit is left out once (Zeiler and
Fergus 2014; Li et al. 2016).

The bar of a word is P(positive) of the review minus P(positive) of the review without it: positive
where the word speaks for a
positive review.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.probing.attribution.units import Progress, SegmentedReview, positive_probabilities

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class LeaveOneOut:
    """``p_positive`` of the review, and ``drops`` (n,): what each of the asked ``units`` adds to
    it.
    """

    p_positive: float
    units: tuple[int, ...]
    drops: np.ndarray


def leave_one_out(
    learner: "LoadedModel",
    reading: SegmentedReview,
    units: Sequence[int] | None = None,
    *,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Leave each unit out once; ``units`` are those to ask about, all where left out.

    Raises:
        NotAvailable: this model has no trained head.
    """
    asked = tuple(range(len(reading.units)) if units is None else units)
    whole, *left = positive_probabilities(
        learner, [reading.ids, *(reading.without([unit]) for unit in asked)], progress=progress
    )
    return LeaveOneOut(float(whole), asked, whole - np.array(left))
