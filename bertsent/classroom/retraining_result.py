"""A model before and after it learned from the board, judged on what it never saw: did it learn the
trick, or only the sentences, and what did it forget?

Every number is a difference of two evaluations on the same reviews, which can be repeated from the
run's folder and the room's events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from bertsent.classroom.board_state import BoardEntry
from bertsent.classroom.retraining import example_of, validation_reviews
from bertsent.data.cache import array_path, cache_key, cached_arrays
from bertsent.data.examples import LABELS, Reviews
from bertsent.data.splits import review_groups
from bertsent.probing.ab_comparison import answers_of_models
from bertsent.probing.checklist.builtin_suite import builtin_suite
from bertsent.probing.checklist.scoring import Scorecard, score
from bertsent.progress import Progress, no_progress
from bertsent.statistics import PairedDifference, accuracy_interval, paired_difference
from bertsent.written_numbers import written

Verdict = Literal["trick", "too few", "sentences", "neither"]
TELLING = 6  # reviews below which not even all of them corrected would be significant
BEFORE, AFTER = "before", "after"
LEARNED, HELD_OUT, VALIDATION, SCORECARD = (
    "learned from",
    "never seen",
    "built-in validation",
    "scorecard labels",
)


@dataclass(frozen=True)
class TwoEvaluations:
    """Answers to the same labelled reviews, P(positive), (n,) each."""

    reviews: Reviews
    before: np.ndarray
    after: np.ndarray

    @property
    def right(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) whether each answer is right, before and after."""
        truth = np.array(self.reviews.labels) == 1
        return (self.before > 0.5) == truth, (self.after > 0.5) == truth

    @cached_property
    def difference(self) -> PairedDifference:
        """Accuracy after minus accuracy before; the sides of a minimal pair count as one."""
        return paired_difference(*self.right, review_groups(self.reviews))

    def table(self, places: np.ndarray | None = None) -> pd.DataFrame:
        """One row a review, or those at ``places``: id, text, label, phenomenon, before, after;
        both P(positive).
        """
        chosen = np.arange(len(self.reviews)) if places is None else places
        rows = [self.reviews.examples[i] for i in chosen]
        return pd.DataFrame(
            {
                "id": [e.id for e in rows],
                "text": [e.text for e in rows],
                "label": [LABELS[int(e.label == 1)] for e in rows],
                "phenomenon": [e.phenomenon for e in rows],
                BEFORE: self.before[chosen],
                AFTER: self.after[chosen],
            }
        )

    def forgotten(self) -> pd.DataFrame:
        """The rows of ``table`` that were right before and are wrong after, the largest change
        first.
        """
        was, is_now = self.right
        lost = np.flatnonzero(was & ~is_now)
        change = -np.abs(self.after - self.before)[lost]
        return self.table(lost[np.argsort(change, kind="stable")])

    def rows(self, name: str) -> list[dict[str, object]]:
        """Accuracy before and after with its 95 % interval."""
        groups = review_groups(self.reviews)
        found: list[dict[str, object]] = []
        for when, right in zip((BEFORE, AFTER), self.right, strict=True):
            low, high = accuracy_interval(right, groups)
            found.append(
                {
                    "reviews": name,
                    "when": when,
                    "n": len(right),
                    "right": int(right.sum()),
                    "accuracy": float(right.mean()),
                    "low": low,
                    "high": high,
                }
            )
        return found


@dataclass(frozen=True)
class RetrainingResult:
    """What a retraining did."""

    learned: TwoEvaluations
    held_out: TwoEvaluations
    validation: TwoEvaluations
    cards: tuple[Scorecard, Scorecard]

    @property
    def verdict(self) -> Verdict:
        """``trick`` where the gain on the reviews that it never saw is more than chance explains;
        else ``sentences`` where more than half of those it learned from are right now, or ``too
        few`` where so few were held out that no gain could be more than chance; else ``neither``.
        """
        gain = self.held_out.difference
        if gain.significant and gain.difference > 0:
            return "trick"
        if self.learned.difference.second <= 0.5:
            return "neither"
        return "too few" if gain.n < TELLING else "sentences"

    def sentence(self) -> str:
        """The verdict with its numbers."""
        learned, unseen = self.learned.difference, self.held_out.difference
        seen = f"{_of(learned)} that it learned from"
        counts = {
            "trick": f"It learned the trick: {_of(unseen)} that it never saw are right now, "
            f"{_before(unseen)} before; {seen}, {_before(learned)} before.",
            "sentences": f"It learned the sentences, not the trick: {seen} are right now, but only "
            f"{_of(unseen)} that it never saw, {_before(unseen)} before.",
            "too few": f"It learned its sentences: {seen} are right now. Whether it learned the "
            f"trick cannot be told from {unseen.n} others ({_of(unseen)} are right); at least "
            f"{TELLING} are needed.",
            "neither": f"It learned neither the sentences nor the trick: {seen} are right now, and "
            f"{_of(unseen)} that it never saw.",
        }[self.verdict]
        return f"{counts} On those never seen that is {change_sentence(unseen)}."

    def forgotten_sentence(self) -> str:
        """What the training cost elsewhere, and whether the answers lean to one label now."""
        found = self.validation.difference
        answers = (self.validation.before, self.validation.after)
        before, after = (100 * float((p <= 0.5).mean()) for p in answers)
        return (
            f"Of {found.n:,} built-in validation reviews {found.broken:,} were forgotten and "
            f"{found.corrected:,} gained: {change_sentence(found)}. It calls {after:.0f} % of "
            f"them NEGATIVE, {before:.0f} % before."
        )

    def forgotten(self) -> pd.DataFrame:
        """The built-in validation reviews that were right before and are wrong after, the largest
        change first; columns as ``TwoEvaluations.table`` has them.
        """
        return self.validation.forgotten()

    def scorecard_sentence(self) -> str:
        """How many tests of the scorecard fail since, and where most of them are."""
        lost, gained = self.failed_since(), len(self._changed(was=False))
        since = f"{gained:,} pass that failed."
        if not len(lost):
            return f"No test of the scorecard fails that passed before; {since}"
        counts = lost["capability"].value_counts()
        return (
            f"{len(lost):,} tests of the scorecard fail that passed before, most of them "
            f"({counts.iloc[0]}) of “{counts.index[0]}”; {since}"
        )

    def table(self) -> pd.DataFrame:
        """Accuracy before and after on each set of reviews: reviews, when, n, right, accuracy, low,
        high.
        """
        rows = [row for name, found in self.sets().items() for row in found.rows(name)]
        for when, card in zip((BEFORE, AFTER), self.cards, strict=True):
            rate = card.rate("MFT")
            low, high = rate.interval
            rows.append(
                {
                    "reviews": SCORECARD,
                    "when": when,
                    "n": rate.n,
                    "right": rate.right,
                    "accuracy": rate.accuracy,
                    "low": low,
                    "high": high,
                }
            )
        return pd.DataFrame(rows)

    def sets(self) -> Mapping[str, TwoEvaluations]:
        """The reviews of the three sets, by what they are to the model."""
        names = (LEARNED, HELD_OUT, VALIDATION)
        return dict(zip(names, (self.learned, self.held_out, self.validation), strict=True))

    def scorecard_changes(self) -> pd.DataFrame:
        """One row a capability, the one that fell most first: kind, capability, n, failure rates
        before and after, and the difference.
        """
        first, second = (card.table() for card in self.cards)
        table = first[["kind", "capability", "n"]].assign(
            before=first["failure"], after=second["failure"]
        )
        table = table.assign(difference=table[AFTER] - table[BEFORE])
        return table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)

    def failed_since(self) -> pd.DataFrame:
        """The tests of the scorecard that passed before and fail now: kind, capability, text,
        label, before, after; both P(positive).
        """
        return self._changed(was=True)

    def _changed(self, *, was: bool) -> pd.DataFrame:
        """The tests that passed before and fail now, or the other way round."""
        first, second = (card.rows() for card in self.cards)
        changed = (first["passed"] == was) & (second["passed"] != was)
        lost = changed & (first["kind"] != "ORDER")
        table = first.assign(before=first["p_positive"], after=second["p_positive"])[lost]
        columns = ["kind", "capability", "text", "label", BEFORE, AFTER]
        return table[columns].reset_index(drop=True)


def judge_retraining(
    models: tuple[str, str],
    learned: tuple[BoardEntry, ...],
    held_out: tuple[BoardEntry, ...],
    progress: Progress = no_progress,
    *,
    cache: Path | None = None,
) -> RetrainingResult:
    """Ask both models about everything.

    Args:
        models: registry names of the model before and after.
        learned: the half that the run learned from.
        held_out: the other half.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.
        cache: a folder for what they answer, which takes them half a minute and is as it was after
            the server was started again; None keeps nothing.

    Raises:
        BertsentError: a model is gone.
    """
    suite = builtin_suite()
    sets = [
        _reviews("learned", learned),
        _reviews("held out", held_out),
        validation_reviews(),
    ]
    parts = [*(reviews.texts for reviews in sets), list(suite.texts)]
    texts = [text for part in parts for text in part]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    before, after = (np.split(p, ends) for p in _answers(models, texts, progress, cache))
    one, other, third = map(TwoEvaluations, sets, before[:3], after[:3])
    return RetrainingResult(one, other, third, (score(suite, before[3]), score(suite, after[3])))


def _answers(
    models: tuple[str, str], texts: list[str], progress: Progress, cache: Path | None
) -> Sequence[np.ndarray]:
    """P(positive) of every text before and after, kept under the weights and the texts."""
    from bertsent.probing.loaded_model import load

    if cache is None:
        return answers_of_models(models, texts, progress)
    key = cache_key([load(name).key for name in models], texts)
    found = cached_arrays(
        array_path(cache, "retraining", key),
        lambda: dict(zip((BEFORE, AFTER), answers_of_models(models, texts, progress), strict=True)),
    )
    return found[BEFORE], found[AFTER]


def change_sentence(found: PairedDifference) -> str:
    """A difference of accuracies with its interval and test."""
    low, high = (_points(each) for each in (found.low, found.high))
    unit = "point" if abs(round(100 * found.difference)) == 1 else "points"
    chance = "is more than chance explains" if found.significant else "may be chance"
    return (
        f"{_points(found.difference)} {unit}, 95 % interval {low} to {high}, which {chance} "
        f"(McNemar's exact test, p = {found.p_value:.2g})"
    )


def _reviews(name: str, entries: tuple[BoardEntry, ...]) -> Reviews:
    return Reviews(name, tuple(map(example_of, entries)))


def _of(found: PairedDifference) -> str:
    return f"{round(found.second * found.n)} of {found.n}"


def _before(found: PairedDifference) -> str:
    return str(round(found.first * found.n))


def _points(share: float) -> str:
    return written(100 * share, "+.0f")
