"""One review and one model in, three attributions of the answer to its words side by side out:
attention, integrated gradients, leave-one-out.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from bertsent.data.cleaning import shorten
from bertsent.data.examples import LABELS
from bertsent.models.pooling import Pooling
from bertsent.probing.attribution.faithfulness import DeletionCurve, deletion_curves, kendall_tau
from bertsent.probing.attribution.integrated_gradients import (
    IntegratedGradients,
    integrated_gradients,
)
from bertsent.probing.attribution.units import (
    LeaveOneOut,
    SegmentedReview,
    UnitKind,
    leave_one_out,
    segment_review,
)
from bertsent.probing.heads.attention_maps import AttentionMaps, attention_rollout
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress, part

ATTENTION, GRADIENTS, LEAVE_ONE_OUT = "attention", "integrated gradients", "leave-one-out"
Taus = dict[tuple[str, str], float | None]


@dataclass(frozen=True)
class TokenAttention:
    """How much the pooled vector takes of every token: ``heads`` (L, H, T) head by head,
    ``rollout`` (T,); each sums to 1.
    """

    heads: np.ndarray
    rollout: np.ndarray

    def of(self, layer: int | None = None, head: int | None = None) -> np.ndarray:
        """(T,) of one head, of the mean of a layer's heads, or of the mean of all. IndexError: no
        such layer or head.
        """
        chosen = self.heads if layer is None else self.heads[[layer]]
        chosen = chosen if head is None else chosen[:, [head]]
        return chosen.mean(axis=(0, 1))


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
        """One row per unit: position (from 1), word, and the three attributions; ``attention`` (T,)
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
        after = before - table[LEAVE_ONE_OUT].loc[table[LEAVE_ONE_OUT].abs().idxmax()]
        word, gradients, attention = (
            largest_word(table, name) for name in (LEAVE_ONE_OUT, GRADIENTS, ATTENTION)
        )
        others = (
            "integrated gradients and attention name it first, too"
            if word == gradients == attention
            else f"integrated gradients name “{gradients}” first, attention “{attention}”"
        )
        return (
            f"{LABELS[self.positive]}, P(positive) {100 * before:.1f} %. Leaving out “{word}” "
            f"changes it most, to {100 * after:.1f} %; {others}."
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
    model: LoadedModel,
    text: str,
    *,
    by: UnitKind = "words",
    first: int = 0,
    count: int | None = None,
    progress: Progress = no_progress,
) -> Attributions:
    """Attribute one answer in three ways.

    Args:
        model: the model that answers.
        text: the review.
        by: whole words or word pieces.
        first: the first unit to compare (from 0).
        count: how many units are compared, by default all that follow; the model always reads the
            whole review.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word in the review.
        NotAvailable: the model has no trained head, or gives no attention.
    """
    review = segment_review(model, text, by)
    units = range(len(review.units))[first:][:count]
    left_out = leave_one_out(model, review, units, progress=part(progress, 0.0, 0.4))
    gradients = integrated_gradients(model, review.ids, progress=part(progress, 0.4, 1.0))
    attention = token_attention(model.attend(review.text), model.pooling)
    return Attributions(review, attention, gradients, left_out)


def token_attention(maps: AttentionMaps, pooling: Pooling) -> TokenAttention:
    """What the head reads of every token: the row of [CLS] with [CLS] pooling, else the mean of all
    rows.
    """
    rolled = attention_rollout(maps.weights)
    if pooling == "cls":
        return TokenAttention(maps.weights[:, :, 0].astype(np.float64), rolled[0])
    return TokenAttention(maps.weights.mean(axis=2, dtype=np.float64), rolled.mean(axis=0))


def largest_word(table: pd.DataFrame, column: str) -> str:
    """The word with the largest value of a column, whatever its sign."""
    return shorten(str(table["word"].loc[table[column].abs().idxmax()]), 30)


def kendall_taus(table: pd.DataFrame) -> Taus:
    """Kendall's τ of each two attributions in a table of ``Attributions``; None where there is
    nothing to rank.
    """
    return {
        pair: kendall_tau(*(table[name].to_numpy() for name in pair))
        for pair in combinations((ATTENTION, GRADIENTS, LEAVE_ONE_OUT), 2)
    }


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
    model: LoadedModel,
    found: Attributions,
    table: pd.DataFrame,
    *,
    progress: Progress = no_progress,
) -> tuple[DeletionCurve, ...]:
    """Leave words out in the order of each column of ``table``; signed attributions count towards
    the model's answer.
    """
    towards = {ATTENTION: 1, **dict.fromkeys((GRADIENTS, LEAVE_ONE_OUT), 2 * found.positive - 1)}
    orders = {name: sign * table[name].to_numpy() for name, sign in towards.items()}
    return deletion_curves(
        model, found.review, orders, found.leave_one_out.units, progress=progress
    )
