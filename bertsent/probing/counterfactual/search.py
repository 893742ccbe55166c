"""A review in, counterfactuals out: the fewest word changes found that flip the answer (Ribeiro et
al. 2020; Ross et al. 2021).

All single changes are tried first, so one that flips is found if it is among the candidates.
Otherwise the best five sets of changes get one more, and so on (beam search); of what flips, every
change that is not needed is undone. What is found is asked once more, alone and as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from bertsent.probing.answer import plain_answer
from bertsent.probing.attribution.units import SegmentedReview, leave_one_out, segment_review
from bertsent.probing.counterfactual.candidates import Vocabulary, antonyms, cased, distinct
from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress, part

EditKind = Literal["neighbours", "opposites", "own", "delete", "not"]
EDIT_KINDS: tuple[EditKind, ...] = ("neighbours", "opposites", "own", "delete", "not")
BEAM, MOST, SHOWN = 5, 4, 12  # sets carried on, changes at most, counterfactuals handed back
TEXTS, TOKENS = 600, 100_000  # tried at most in each round: texts, and their tokens together
RANKED = 128  # words of a long review that are changed on trial, the first
PRUNED = 40  # counterfactuals that are searched for changes that are not needed


@dataclass(frozen=True, order=True)
class Edit:
    """One change of the word at ``position`` (from 0, among the words of the review): ``before``
    becomes ``after``.

    A word that is left out has an empty ``after``; what is inserted in front of the word has an
    empty ``before``.
    """

    position: int
    before: str
    after: str

    def sentence(self) -> str:
        if not self.before:
            return f"insert “{self.after}” before word {self.position + 1}"
        return f"“{self.before}” → “{self.after}”" if self.after else f"leave out “{self.before}”"


Edits = tuple[Edit, ...]


@dataclass(frozen=True)
class Counterfactual:
    """A changed review and what the model says to it."""

    edits: Edits
    text: str
    p_positive: float


@dataclass(frozen=True)
class CounterfactualSearch:
    """``counterfactuals``: the fewest changes first, then the surest. ``closest`` is the one whose
    answer came nearest to flipping, where none flips.
    """

    text: str
    p_positive: float
    counterfactuals: tuple[Counterfactual, ...]
    closest: Counterfactual | None
    tried: int
    rounds: int
    words: int  # how many of the review's words were changed in some try
    of: int  # how many words the review has

    def headline(self) -> str:
        """What came of the search, in one line."""
        before = plain_answer(self.p_positive)
        if not self.counterfactuals:
            near = self.closest and f" The closest reached {plain_answer(self.closest.p_positive)}."
            return f"Nothing that was tried flips the answer, {before}.{near or ''}"
        best = self.counterfactuals[0]
        count = len(best.edits)
        how = "One change flips it" if count == 1 else f"{count} changes flip it"
        return f"{how}: {before} → {plain_answer(best.p_positive)}."

    def extent_sentence(self) -> str:
        """How much was tried, and of how much of the review."""
        only = f" Only {self.words} of {self.of} words were changed."
        return (
            f"{self.tried:,} changed reviews were tried in {self.rounds} "
            f"{'round' if self.rounds == 1 else 'rounds'}.{only if self.words != self.of else ''}"
        )

    def table(self) -> pd.DataFrame:
        """One row per counterfactual: changes, edits, positions, from, to, P(positive), text."""
        return pd.DataFrame(
            {
                "changes": len(each.edits),
                "edits": "; ".join(edit.sentence() for edit in each.edits),
                "positions": ", ".join(str(edit.position + 1) for edit in each.edits),
                "from": ", ".join(edit.before for edit in each.edits),
                "to": ", ".join(edit.after for edit in each.edits),
                "P(positive)": each.p_positive,
                "text": each.text,
            }
            for each in self.counterfactuals
        )


def apply_edits(review: SegmentedReview, edits: Sequence[Edit]) -> str:
    """The review with the changes made: exactly the text that the model is asked about."""
    text = review.text
    for edit in sorted(edits, reverse=True):
        unit = review.units[edit.position]
        left, right = text[: unit.start], text[unit.end :]
        if not edit.before:
            text = f"{left}{edit.after} {text[unit.start :]}"
        else:
            text = left + edit.after + right if edit.after else _close_gap(left, right)
    return text


def _close_gap(left: str, right: str) -> str:
    """Two pieces of text with one space in between at most, and one where two words would grow
    together.
    """
    left, blank, right = left.rstrip(), left[-1:].isspace() or right[:1].isspace(), right.lstrip()
    grow = left[-1:].isalnum() and right[:1].isalnum()
    return f"{left} {right}".strip() if blank or grow else left + right


def find_counterfactuals(
    model: LoadedModel,
    text: str,
    *,
    kinds: Sequence[EditKind] = EDIT_KINDS,
    own: Sequence[str] = (),
    most: int = MOST,
    progress: Progress = no_progress,
) -> CounterfactualSearch:
    """Look for the fewest changes that flip the answer to a review.

    Args:
        model: the model that answers.
        text: the review.
        kinds: which changes are allowed: a word becomes one of its ``neighbours`` in the
            vocabulary, one of its ``opposites``, one of a person's ``own`` words; it is left out
            (``delete``); "not" is inserted in front of it.
        own: the words for ``own``.
        most: changes at most.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.

    Raises:
        BadInput: there is no word in the review.
        NotAvailable: the model has no trained head.
    """
    search = _BeamSearch(model, segment_review(model, text), kinds, own, progress)
    return search.run(min(most, MOST))


class _BeamSearch:
    def __init__(
        self,
        model: LoadedModel,
        review: SegmentedReview,
        kinds: Sequence[EditKind],
        own: Sequence[str],
        progress: Progress,
    ) -> None:
        self.model, self.review, self.kinds, self.own = model, review, kinds, own
        self.progress = progress
        self.known: dict[Edits, Counterfactual] = {}
        self.room = min(TEXTS, max(50, TOKENS // len(review.ids)))
        units = range(min(RANKED, self.room, len(review.units)))
        ranked = leave_one_out(model, review, units, progress=part(progress, 0.0, 0.2))
        self.p_positive, self.positive = ranked.p_positive, ranked.p_positive > 0.5
        self.words = [i for i, unit in enumerate(review.units) if unit.text[:1].isalnum()]
        order = np.argsort(-ranked.added if self.positive else ranked.added, kind="stable")
        self.singles = self._singles([i for i in order.tolist() if i in set(self.words)])

    def run(self, most: int) -> CounterfactualSearch:
        beam: list[Edits] = [()]
        for depth in range(1, most + 1):
            grown = self._grown(beam)
            if not grown:
                break
            done, next_done = (0.2 + 0.8 * each / most for each in (depth - 1, depth))
            self._ask(grown, part(self.progress, done, next_done))
            if any(self._flips(edits) for edits in grown):
                break
            beam = sorted(grown, key=self._other_side, reverse=True)[:BEAM]
        return self._outcome(depth)

    def _outcome(self, rounds: int) -> CounterfactualSearch:
        flipping = sorted(filter(self._flips, self.known), key=self._rank)[:PRUNED]
        best = sorted({self._pruned(edits) for edits in flipping}, key=self._rank)[:SHOWN]
        asked = map(self._ask_again, best)
        found = tuple(each for each in asked if (each.p_positive > 0.5) != self.positive)
        closest = max(self.known, key=self._other_side, default=None)
        return CounterfactualSearch(
            text=self.review.text,
            p_positive=self.p_positive,
            counterfactuals=found,
            closest=None if found or closest is None else self._ask_again(closest),
            tried=len(self.known),
            rounds=rounds,
            words=len({edit.position for edit in self.singles}),
            of=len(self.words),
        )

    def _singles(self, positions: Sequence[int]) -> list[Edit]:
        """Every single change, the most promising words first, as many as there is room for."""
        vocabulary = Vocabulary(self.model) if "neighbours" in self.kinds else None
        found: list[Edit] = []
        for position in positions:
            word = self.review.units[position].text
            swaps = [*self.own] if "own" in self.kinds else []
            swaps += antonyms().get(word.lower(), ()) if "opposites" in self.kinds else ()
            swaps += vocabulary.nearest(word) if vocabulary else ()
            found += [Edit(position, word, cased(swap, word)) for swap in distinct(swaps, word)]
            if "delete" in self.kinds and len(self.review.units) > 1:
                found.append(Edit(position, word, ""))
            if "not" in self.kinds:
                found.append(Edit(position, "", cased("not", word) if position == 0 else "not"))
        return found[: self.room]

    def _grown(self, beam: Sequence[Edits]) -> list[Edits]:
        """Each set with one more change at a word that it does not touch yet, those that helped
        most by themselves first.
        """
        singles = self.singles
        if beam != [()]:
            singles = sorted(singles, key=lambda edit: -self._other_side((edit,)))
        room = max(1, self.room // len(beam))
        grown: dict[Edits, None] = {}
        for edits in beam:
            touched = {edit.position for edit in edits}
            more = [edit for edit in singles if edit.position not in touched][:room]
            grown |= dict.fromkeys(tuple(sorted((*edits, edit))) for edit in more)
        return list(grown)

    def _ask(self, asked: Sequence[Edits], progress: Progress = no_progress) -> None:
        texts = [apply_edits(self.review, edits) for edits in asked]
        shares = self.model.probabilities(texts, progress=progress)[:, 1].tolist()
        self.known |= zip(asked, map(Counterfactual, asked, texts, shares), strict=True)

    def _ask_again(self, edits: Edits) -> Counterfactual:
        text = apply_edits(self.review, edits)
        return Counterfactual(edits, text, self.model.predict([text])[0].p_positive)

    def _pruned(self, edits: Edits) -> Edits:
        for edit in edits:
            fewer = tuple(other for other in edits if other != edit)
            if fewer and fewer not in self.known:
                self._ask([fewer])
            if fewer and self._flips(fewer):
                return self._pruned(fewer)
        return edits

    def _rank(self, edits: Edits) -> tuple[int, float]:
        return len(edits), -self._other_side(edits)

    def _flips(self, edits: Edits) -> bool:
        return (self.known[edits].p_positive > 0.5) != self.positive

    def _other_side(self, edits: Edits) -> float:
        share = self.known[edits].p_positive if edits in self.known else self.p_positive
        return 1 - share if self.positive else share
