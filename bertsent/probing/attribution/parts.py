"""A review and a model in, what each of its words adds to the answer out, in one batch of bounded
size; in a long review, what stretches of neighbouring words add.

A word adds something on its own, and something else to the rest of the review: "great" alone is
praise, before "another boring movie" it hardly counts. What is given here is the mean of both,
which are the first and the last of the terms that a Shapley value averages (Shapley 1953).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from bertsent.data.cleaning import shorten
from bertsent.data.examples import UNDECIDED
from bertsent.probing.answer import SIGNS, answer_label, plain_answer
from bertsent.probing.attribution.units import (
    SegmentedReview,
    positive_probabilities,
    segment_review,
)
from bertsent.probing.loaded_model import LoadedModel

TOKENS = 1_500  # that the model reads for one review, all its shortened copies together


@dataclass(frozen=True)
class PartAttributions:
    """``spans`` (n): where each part stands in the text of the review; ``p_without`` and
    ``p_alone`` (n,): P(positive) without it, and of it alone; ``p_empty``: of no word at all.

    ``readable`` is false where the model knows no token of the review.
    """

    review: SegmentedReview
    spans: tuple[tuple[int, int], ...]
    p_positive: float
    p_empty: float
    p_without: np.ndarray
    p_alone: np.ndarray
    readable: bool

    @property
    def added(self) -> np.ndarray:
        """(n,): what each part adds to the log-odds of a positive review. Unlike a difference of
        probabilities it stays visible where the answer is sure.
        """
        to_the_rest = logit(self.p_positive) - logit(self.p_without)
        alone = logit(self.p_alone) - logit(self.p_empty)
        return (to_the_rest + alone) / 2

    @property
    def by_words(self) -> bool:
        return len(self.spans) == len(self.review.units)

    def text_of(self, part: int) -> str:
        start, end = self.spans[part]
        return self.review.text[start:end]

    def title(self) -> str:
        """The answer with its sign and its probability."""
        known = f"{SIGNS[UNDECIDED]} {UNDECIDED}: no known word"
        return answer_label(self.p_positive) if self.readable else known

    def sentence(self) -> str:
        """Which part the answer turns on, and which one speaks against it."""
        if not self.readable:
            return "The model knows none of its words, so its answer says nothing about them."
        if len(self.spans) == 1:
            return "It is one word: nothing is left without it."
        positive = self.p_positive > 0.5
        towards = self.added if positive else -self.added
        turning = (self.p_without > 0.5) != positive
        first = int(np.where(turning, towards, -np.inf).argmax())
        if turning.any():
            without = plain_answer(float(self.p_without[first]))
            return f"Without {self._name(first)} it would say {without}.{self._against(towards)}"
        kind = "word" if self.by_words else "stretch"
        most = int(towards.argmax())
        return (
            f"No single {kind} turns the answer. {self._name(most)} adds most: alone it says "
            f"{plain_answer(float(self.p_alone[most]))}."
        )

    def _against(self, towards: np.ndarray) -> str:
        """The part that speaks most against the answer, where it does so on its own."""
        least = int(towards.argmin())
        alone = float(self.p_alone[least])
        if towards[least] > -0.5 or (alone > 0.5) == (self.p_positive > 0.5):
            return ""
        return f" {self._name(least)} alone says {plain_answer(alone)}."

    def _name(self, part: int) -> str:
        return f"“{shorten(self.text_of(part), 40)}”"


def attribute_parts(model: LoadedModel, text: str) -> PartAttributions:
    """Ask about the review without each of its words, and about each word alone; where that would
    be much more than ``TOKENS`` tokens to read, by stretches of words, as fine as that allows.

    Raises:
        NotAvailable: the model has no trained head.
        BadInput: there is no word that the model can read.
    """
    review = segment_review(model, text)
    units = range(len(review.units))
    count = min(len(units), max(1, TOKENS // len(review.ids) - 1))
    parts = [part.tolist() for part in np.array_split(units, count)]
    without = [review.without(part) for part in parts]
    alone = [review.without(set(units) - set(part)) for part in parts]
    p = positive_probabilities(model, [review.ids, review.without(units), *without, *alone])
    return PartAttributions(
        review,
        tuple((review.units[part[0]].start, review.units[part[-1]].end) for part in parts),
        float(p[0]),
        float(p[1]),
        p[2 : 2 + count],
        p[2 + count :],
        any(token != model.tokenizer.unknown_id for token in review.ids[1:-1]),
    )
