"""A segmented review in, how much the answer depends on each unit out: every unit is left out once
(Zeiler and Fergus 2014; Li et al. 2016).

What a word adds is P(positive) of the review minus P(positive) of the review without it: above 0
where the word speaks for a positive review.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.probing.attribution.units import SegmentedReview, positive_probabilities
from bertsent.progress import Progress

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel


@dataclass(frozen=True)
class LeaveOneOut:
    """``p_positive`` of the review, and ``added`` (n,): what each of the asked ``units`` adds to
    it.
    """

    p_positive: float
    units: tuple[int, ...]
    added: np.ndarray


def leave_one_out(
    model: "LoadedModel",
    review: SegmentedReview,
    units: Sequence[int] | None = None,
    *,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Leave each unit out once; ``units`` are those to ask about, all where left out.

    Raises:
        NotAvailable: this model has no trained head.
    """
    asked = tuple(range(len(review.units)) if units is None else units)
    rows = [review.ids, *(review.without([unit]) for unit in asked)]
    whole, *left = positive_probabilities(model, rows, progress=progress)
    return LeaveOneOut(float(whole), asked, whole - np.array(left))
