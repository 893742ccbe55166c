"""One review and one model in, three attributions of the answer to its words side by side out:
attention, integrated gradients, leave-one-out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS
from bertsent.probing.attribution.faithfulness import DeletionCurve, deletion_curves, kendall_tau
from bertsent.probing.attribution.integrated_gradients import (
    IntegratedGradients,
    integrated_gradients,
)
from bertsent.probing.attribution.leave_one_out import LeaveOneOut, leave_one_out
from bertsent.probing.attribution.rollout import TokenAttention, token_attention
from bertsent.probing.attribution.units import SegmentedReview, UnitKind, segment_review
from bertsent.progress import Progress, no_progress, part

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

ATTENTION, GRADIENTS, LEAVE_ONE_OUT = "attention", "integrated gradients", "leave-one-out"
Taus = dict[tuple[str, str], float | None]


@dataclass(frozen=True)
class Attributions:
    """Three attributions of one answer; ``leave_one_out.units`` are the units that are compared."""

    review: SegmentedReview
    attention: TokenAttention
    gradients: IntegratedGradients
    leave_one_out: LeaveOneOut

    @property
    def positive(self) -> bool:
        return self.leave_one_out.p_positive > 0.5

    def table(self, attention: np.ndarray) -> pd.DataFrame:
        """One row a unit: position (from 1), word, and the three attributions; ``attention`` (T,)
        is chosen from those in ``self.attention``.
        """
        units = list(self.leave_one_out.units)
        return pd.DataFrame(
            {
                "position": [unit + 1 for unit in units],
                "word": [self.review.units[unit].text for unit in units],
                ATTENTION: self.review.per_unit(attention)[units],
                GRADIENTS: self.review.per_unit(self.gradients.tokens)[units],
                LEAVE_ONE_OUT: self.leave_one_out.added,
            }
        )

    def titles(self, attention: str) -> tuple[str, str, str]:
        """What each column of the table is; ``attention`` names which attention it is."""
        return (
            f"Attention, {attention}",
            f"Integrated gradients: what each word adds to P(positive) (completeness error "
            f"{self.gradients.error:.4f})",
            "Leave-one-out: what each word adds to P(positive)",
        )

    def sentence(self, table: pd.DataFrame) -> str:
        """The answer, and the word that each attribution names first."""
        before = self.leave_one_out.p_positive
        after = before - table[LEAVE_ONE_OUT].iloc[_largest(table, LEAVE_ONE_OUT)]
        return (
            f"{LABELS[self.positive]}, P(positive) {before:.1%}. Leaving out "
            f"“{largest_word(table, LEAVE_ONE_OUT)}” changes it most, to {after:.1%}; integrated "
            f"gradients name “{largest_word(table, GRADIENTS)}” first, attention "
            f"“{largest_word(table, ATTENTION)}”."
        )

    def completeness_sentence(self) -> str:
        """How well integrated gradients add up on this review."""
        found = self.gradients
        enough = "" if found.complete else " The error stayed above 0.02: read the bars with care."
        return (
            f"Here the bars of all words add up to {found.tokens.sum():+.4f}; P(positive) is "
            f"{found.p_positive:.4f}, that of the empty review {found.p_baseline:.4f}, the "
            f"difference {found.p_positive - found.p_baseline:+.4f}: error {found.error:.4f} after "
            f"{found.steps} points.{enough}"
        )


def attribute_review(
    model: "LoadedModel",
    text: str,
    *,
    by: UnitKind = "words",
    first: int = 0,
    count: int | None = None,
    progress: Progress = no_progress,
) -> Attributions:
    """Attribute one answer in three ways.

    Args:
        model: whose answer it is.
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
    review = segment_review(model, text, by)
    last = len(review.units) if count is None else first + count
    units = range(len(review.units))[first:last]
    left_out = leave_one_out(model, review, units, progress=part(progress, 0.0, 0.4))
    gradients = integrated_gradients(model, review.ids, progress=part(progress, 0.4, 1.0))
    attention = token_attention(model.attend(review.text), model.pooling)
    return Attributions(review, attention, gradients, left_out)


def largest_word(table: pd.DataFrame, column: str) -> str:
    """The word with the largest value of a column, its sign left aside."""
    return shorten(str(table["word"].iloc[_largest(table, column)]), 30)


def _largest(table: pd.DataFrame, column: str) -> int:
    return int(table[column].abs().to_numpy().argmax())


def kendall_taus(table: pd.DataFrame) -> Taus:
    """Kendall's τ of each two attributions in a table of ``Attributions``; None where there is
    nothing to rank.
    """
    pairs = ((ATTENTION, GRADIENTS), (ATTENTION, LEAVE_ONE_OUT), (GRADIENTS, LEAVE_ONE_OUT))
    return {pair: kendall_tau(*(table[name].to_numpy() for name in pair)) for pair in pairs}


def agreement_sentence(taus: Taus, attention: str) -> str:
    """What the τ of a review say about attention; ``attention`` names which attention it is."""
    tau, other = taus[ATTENTION, LEAVE_ONE_OUT], taus[GRADIENTS, LEAVE_ONE_OUT]
    if tau is None:
        return (
            "τ = n/a: there is nothing to rank with one word, or where all words weigh the "
            "same. Attention is not an explanation."
        )
    steps = ((0.6, "closely"), (0.2, "loosely"), (-0.2, "barely"), (-2.0, "inversely"))
    strength = next(word for bound, word in steps if tau > bound)
    others = "" if other is None else f" The two others agree with each other at τ = {other:+.2f}."
    return (
        f"Attention ({attention}) shows where a head takes information from, not why the answer "
        f"came out as it did. On this review its order of the words agrees {strength} with what "
        f"happens when they are left out: τ = {tau:+.2f}.{others}"
    )


def faithfulness_curves(
    model: "LoadedModel",
    found: Attributions,
    table: pd.DataFrame,
    *,
    progress: Progress | None = None,
) -> tuple[DeletionCurve, ...]:
    """Leave words out in the order of each column of ``table``; signed attributions count towards
    the model's answer.
    """
    sign = 1 if found.positive else -1
    orders = {
        ATTENTION: table[ATTENTION].to_numpy(),
        **{name: sign * table[name].to_numpy() for name in (GRADIENTS, LEAVE_ONE_OUT)},
    }
    units = found.leave_one_out.units
    return deletion_curves(model, found.review, orders, units, progress=progress)
