"""A review in, the fewest word changes that flip the answer out, as far as they were tried (Ribeiro
et al. 2020; Ross et al. 2021).

All single changes are tried first, so one that flips is found if it is among the candidates.
Otherwise the best five sets of
changes get one more, and so on (beam search); of what flips, every change without which it would
flip, too, is taken back. What
is found is asked once more, alone and as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from bertsent.errors import BadInput
from bertsent.probing.attribution.leave_one_out import leave_one_out
from bertsent.probing.attribution.units import (
    Progress,
    SegmentedReview,
    require_sentiment,
    segment_review,
    subprogress,
)
from bertsent.probing.counterfactual.candidates import Vocabulary, cased, distinct, opposites

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

EditKind = Literal["neighbours", "opposites", "own", "delete", "not"]
EDIT_KINDS: tuple[EditKind, ...] = ("neighbours", "opposites", "own", "delete", "not")
BEAM, MOST, SHOWN = (
    5,
    4,
    12,
)  # sets that are carried on, changes at most, flips that are handed back
TEXTS, TOKENS = (
    600,
    100_000,
)  # tried at most in each round: so many texts, of so many tokens together
RANKED = 128  # so many words of a long review are looked at, the first
LOOKED_AT = 40  # flips that are looked at for changes that are not needed


@dataclass(frozen=True, order=True)
class Edit:
    """One change of the word at ``position`` (from 0, among the words of the review): ``before``
    becomes ``after``.

    A word that goes has an empty ``after``; what is put in front of the word has an empty
    ``before``.
    """

    position: int
    before: str
    after: str

    def sentence(self) -> str:
        if not self.before:
            return f"insert “{self.after}” before word {self.position + 1}"
        return f"“{self.before}” → “{self.after}”" if self.after else f"leave out “{self.before}”"


@dataclass(frozen=True)
class Counterfactual:
    """A changed review and what the model says to it."""

    edits: tuple[Edit, ...]
    text: str
    p_positive: float


@dataclass(frozen=True)
class CounterfactualSearch:
    """``flips``: the fewest changes first, then the surest. ``closest`` is what came nearest where
    nothing flips.
    """

    text: str
    p_positive: float
    flips: tuple[Counterfactual, ...]
    closest: Counterfactual | None
    tried: int
    rounds: int
    words: int  # so many of the review's words were changed on trial
    of: int


def apply_edits(reading: SegmentedReview, edits: Sequence[Edit]) -> str:
    """The review with the changes made: exactly the text that the model is asked about.

    Raises:
        BadInput: a change does not fit the review.
    """
    text = reading.text
    for edit in sorted(edits, reverse=True):
        unit = reading.units[edit.position] if 0 <= edit.position < len(reading.units) else None
        if unit is None or (edit.before and edit.before != unit.text):
            raise BadInput(
                f"Word {edit.position + 1} of this review is not “{edit.before}”.", "Search again."
            )
        left, right = text[: unit.start], text[unit.end :]
        if not edit.before:
            text = f"{left}{edit.after} {text[unit.start :]}"
        elif edit.after:
            text = left + edit.after + right
        else:
            text = _closed(left, right)
    return text


def _closed(left: str, right: str) -> str:
    """What is left of a text around a gap: no two blanks, and no word grown together."""
    if left[-1:].isspace() or not left:
        return left + right.lstrip()
    if left[-1:].isalnum() and right[:1].isalnum():
        return f"{left} {right}"
    return left + right


def find_counterfactuals(
    learner: "LoadedModel",
    text: str,
    *,
    ways: Sequence[EditKind] = EDIT_KINDS,
    own: Sequence[str] = (),
    most: int = MOST,
    progress: Progress | None = None,
) -> CounterfactualSearch:
    """Look for the fewest changes that flip the answer to a review.

    Args:
        learner: whose answer it is.
        text: the review.
        ways: which changes are allowed: a word becomes one of its ``neighbours`` in the vocabulary,
            one of its ``opposites``, one
            of a person's ``own`` words; it is left out (``delete``); "not" is put in front of it.
        own: the words for ``own``.
        most: changes at most.
        progress: told how far the work is; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word in the review, or nothing may be changed.
        NotAvailable: the model has no trained head.
    """
    require_sentiment(learner)
    if not set(ways) & set(EDIT_KINDS) or (set(ways) == {"own"} and not own):
        raise BadInput(
            "No kind of change is allowed.",
            "Allow at least one, and give words where your own are wanted.",
        )
    return _BeamSearch(
        learner, segment_review(learner, text), tuple(ways), tuple(own), progress
    ).run(min(most, MOST))


class _BeamSearch:
    """One search: what was tried, and what came of it."""

    def __init__(
        self,
        learner: "LoadedModel",
        reading: SegmentedReview,
        ways: tuple[EditKind, ...],
        own: tuple[str, ...],
        progress: Progress | None,
    ) -> None:
        self.learner, self.reading, self.ways, self.own, self.progress = (
            learner,
            reading,
            ways,
            own,
            progress,
        )
        self.known: dict[tuple[Edit, ...], Counterfactual] = {}
        self.room = min(TEXTS, max(50, TOKENS // len(reading.ids)))
        words = range(min(RANKED, self.room, len(reading.units)))
        ranked = leave_one_out(learner, reading, words, progress=subprogress(progress, 0.0, 0.2))
        self.p_positive, self.positive = ranked.p_positive, ranked.p_positive > 0.5
        order = np.argsort(-ranked.drops if self.positive else ranked.drops, kind="stable")
        self.words = [i for i, unit in enumerate(reading.units) if unit.text[:1].isalnum()]
        self.singles = self._singles([int(i) for i in order if int(i) in set(self.words)])

    def run(self, most: int) -> CounterfactualSearch:
        beam: list[tuple[Edit, ...]] = [()]
        for depth in range(1, most + 1):
            grown = self._grown(beam)
            if not grown:
                break
            self._ask(
                grown,
                subprogress(
                    self.progress, 0.2 + 0.8 * (depth - 1) / most, 0.2 + 0.8 * depth / most
                ),
            )
            if any(self._flips(edits) for edits in grown):
                break
            beam = sorted(grown, key=self._other_side, reverse=True)[:BEAM]
        return self._told(depth)

    def _told(self, rounds: int) -> CounterfactualSearch:
        flipping = sorted(filter(self._flips, self.known), key=self._rank)[:LOOKED_AT]
        best = sorted({self._pruned(edits) for edits in flipping}, key=self._rank)[:SHOWN]
        flips = tuple(
            flip for flip in map(self._fresh, best) if (flip.p_positive > 0.5) != self.positive
        )
        closest = max(self.known, key=self._other_side, default=None)
        touched = {edit.position for edit in self.singles}
        return CounterfactualSearch(
            self.reading.text,
            self.p_positive,
            flips,
            None if flips or closest is None else self._fresh(closest),
            len(self.known),
            rounds,
            len(touched),
            len(self.words),
        )

    def _singles(self, positions: Sequence[int]) -> list[Edit]:
        """Every single change, the most promising words first, as many as there is room for."""
        vocabulary = Vocabulary(self.learner) if "neighbours" in self.ways else None
        found: list[Edit] = []
        for position in positions:
            word = self.reading.units[position].text
            swaps = list(self.own) if "own" in self.ways else []
            swaps += opposites().get(word.lower(), ()) if "opposites" in self.ways else ()
            swaps += vocabulary.near(word) if vocabulary else ()
            found += [Edit(position, word, cased(swap, word)) for swap in distinct(swaps, word)]
            found += (
                [Edit(position, word, "")]
                if "delete" in self.ways and len(self.reading.units) > 1
                else []
            )
            found += (
                [Edit(position, "", cased("not", word) if position == 0 else "not")]
                if "not" in self.ways
                else []
            )
        return found[: self.room]

    def _grown(self, beam: Sequence[tuple[Edit, ...]]) -> list[tuple[Edit, ...]]:
        """Each set with one more change at a word that it does not touch yet, those that helped
        most by themselves first.
        """
        singles = (
            sorted(self.singles, key=lambda edit: -self._other_side((edit,)))
            if beam != [()]
            else self.singles
        )
        room = max(1, self.room // len(beam))
        grown = {}
        for edits in beam:
            touched = {edit.position for edit in edits}
            more = [edit for edit in singles if edit.position not in touched][:room]
            grown |= dict.fromkeys(tuple(sorted((*edits, edit))) for edit in more)
        return list(grown)

    def _ask(self, asked: Sequence[tuple[Edit, ...]], progress: Progress | None = None) -> None:
        texts = [apply_edits(self.reading, edits) for edits in asked]
        shares = self.learner.probabilities(texts, progress=progress)[:, 1]
        self.known |= {
            edits: Counterfactual(edits, text, float(p))
            for edits, text, p in zip(asked, texts, shares, strict=True)
        }

    def _fresh(self, edits: tuple[Edit, ...]) -> Counterfactual:
        """The same changes, made anew and asked alone."""
        text = apply_edits(self.reading, edits)
        return Counterfactual(edits, text, self.learner.predict([text])[0].p_positive)

    def _pruned(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        """Without every change that is not needed."""
        for edit in edits:
            fewer = tuple(other for other in edits if other != edit)
            if fewer and fewer not in self.known:
                self._ask([fewer])
            if fewer and self._flips(fewer):
                return self._pruned(fewer)
        return edits

    def _rank(self, edits: tuple[Edit, ...]) -> tuple[int, float]:
        return len(edits), -self._other_side(edits)

    def _flips(self, edits: tuple[Edit, ...]) -> bool:
        return (self.known[edits].p_positive > 0.5) != self.positive

    def _other_side(self, edits: tuple[Edit, ...]) -> float:
        share = self.known[edits].p_positive if edits in self.known else self.p_positive
        return 1 - share if self.positive else share
