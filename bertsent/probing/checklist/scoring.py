"""A suite and a model in, which expectations failed out: a failure rate with its interval for each
capability.

Whatever gives P(positive) of texts can be scored: a BERT, a checkpoint, a bag of words. Every
different text is asked once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.checklist.suite import DIRECTIONS, TEST_TYPES, Suite, SuiteCase, TestType
from bertsent.probing.slices import PAIRS, Slice, pairs_right
from bertsent.progress import Progress, no_progress, part
from bertsent.statistics import (
    accuracy_interval,
    best_of,
    best_of_sentence,
    majority_class_accuracy,
)

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

SURE = 0.95  # a DIR test that was so sure of the right side already has only to stay so
FEW = 10  # capabilities with fewer tests are not named as best or worst
COLUMNS = ("kind", "capability", "n", "failed", "failure", "low", "high", "majority")


class ProbabilityFunction(Protocol):
    """Texts in, (n,) P(positive) out."""

    def __call__(self, texts: Sequence[str], *, progress: Progress = ...) -> np.ndarray: ...


def probabilities_of_model(model: "LoadedModel") -> ProbabilityFunction:
    """A loaded model as a function of texts."""

    def ask(texts: Sequence[str], *, progress: Progress = no_progress) -> np.ndarray:
        return model.probabilities(texts, progress=progress)[:, 1]

    return ask


def probabilities_of_classifier(
    p_positive: Callable[[Sequence[str]], np.ndarray],
) -> ProbabilityFunction:
    """A classifier that reports no progress, such as the baselines, as a function of texts."""

    def ask(texts: Sequence[str], *, progress: Progress = no_progress) -> np.ndarray:
        found = p_positive(texts)
        progress(1.0)
        return found

    return ask


@dataclass(frozen=True)
class Scorecard:
    """What became of each case. ``p`` and ``p_base`` are (n,) P(positive) of its text and of its
    base, NaN where there is none.
    """

    suite: Suite
    p: np.ndarray
    p_base: np.ndarray

    @cached_property
    def passed(self) -> np.ndarray:
        """(n,): whether each expectation was met."""
        rows = zip(self.suite, self.p, self.p_base, strict=True)
        return np.array([_passes(*row) for row in rows], bool)

    def rate(self, kind: TestType, capability: str | None = None) -> Slice:
        """How many cases of a test type, or of one capability of it, passed.

        Raises:
            BadInput: there is no such case.
        """
        chosen = [
            (case, ok)
            for case, ok in zip(self.suite, self.passed.tolist(), strict=True)
            if case.kind == kind and capability in (None, case.capability)
        ]
        if not chosen:
            raise BadInput(
                f"The suite has no case of that kind: {kind}, {capability}.", "Choose another."
            )
        passed = [ok for _, ok in chosen]
        groups = [case.pair or case.id for case, _ in chosen]
        majority = majority_class_accuracy([case.label for case, _ in chosen])
        return Slice(
            capability or kind,
            len(passed),
            sum(passed),
            accuracy_interval(passed, groups),
            majority if kind == "MFT" else None,
        )

    def table(self) -> pd.DataFrame:
        """One row a capability, test types in their order: kind, capability, n, failed, failure,
        low and high (95 %, clustered by minimal pair), and for an MFT the failure rate of always
        answering the more frequent label.
        """
        names = dict.fromkeys((case.kind, case.capability) for case in self.suite)
        found: list[tuple[str, Slice]] = []
        for kind in TEST_TYPES:
            found += [(kind, self.rate(kind, name)) for each, name in names if each == kind]
            pairs = self._pairs() if kind == "MFT" else None
            found += [(kind, pairs)] if pairs else []
        return pd.DataFrame([_row(kind, each) for kind, each in found], columns=list(COLUMNS))

    def rows(self) -> pd.DataFrame:
        """One row a case, with both answers and whether it passed."""
        columns = [
            (i.id, i.kind, i.capability, i.text, i.base, LABELS[i.label], i.direction, i.source)
            for i in self.suite
        ]
        names = ["id", "kind", "capability", "text", "base", "label", "direction", "source"]
        return pd.DataFrame(columns, columns=names).assign(
            p_positive=self.p, p_base=self.p_base, passed=self.passed
        )

    def sentence(self, model: str) -> str:
        """Where a model fails most and least, and whether it reads the order of words."""
        table = self.table()
        counted = table[
            (table["kind"] != "ORDER") & (table["n"] >= FEW) & (table["capability"] != PAIRS)
        ]
        counted = counted if len(counted) else table
        ends = {counted["failure"].idxmax(): "most", counted["failure"].idxmin(): "least"}
        rates = [f"{_rate(counted.loc[place])} ({end})" for place, end in ends.items()]
        said = [f"{model} fails {' and '.join(rates)}."]
        order = table[table["kind"] == "ORDER"]
        if len(order):
            changed, total = int(order["failed"].sum()), int(order["n"].sum())
            reads = "so it reads their order" if changed else "so it may be blind to their order"
            said.append(f"When words are shuffled, {changed} of {total} answers change, {reads}.")
        return " ".join(said)

    def _mft(self) -> list[tuple[SuiteCase, bool]]:
        rows = zip(self.suite, self.passed.tolist(), strict=True)
        return [(case, ok) for case, ok in rows if case.kind == "MFT"]

    def _pairs(self) -> Slice | None:
        tests = self._mft()
        return pairs_right([case.pair for case, _ in tests], [ok for _, ok in tests])


def comparison_sentence(cards: Mapping[str, Scorecard]) -> str:
    """Which of several models finds most labels of the MFTs, if they can be told apart; empty for
    one model or without an MFT.
    """
    tests = [card._mft() for card in cards.values()]
    if len(tests) < 2 or not tests[0]:
        return ""
    groups = [case.pair or case.id for case, _ in tests[0]]
    found = best_of([[ok for _, ok in each] for each in tests], groups)
    return f"Labels found (MFT): {best_of_sentence(list(cards), found)}"


def score(suite: Suite, ask: ProbabilityFunction, *, progress: Progress = no_progress) -> Scorecard:
    """Score a model by a suite.

    Args:
        suite: the cases.
        ask: the model, as a function of texts.
        progress: told a fraction; may raise ``Cancelled``.

    Raises:
        BadInput: the suite is empty.
        BertsentError: the answers are not probabilities, one a text.
    """
    if not len(suite):
        raise BadInput("The suite has no cases.", "Add some.")
    p = np.asarray(ask(suite.texts, progress=progress), float)
    if p.shape != (len(suite.texts),) or not ((p >= 0) & (p <= 1)).all():
        raise BertsentError("The answers are not one probability a text.", "Choose another model.")
    known = dict(zip(suite.texts, p, strict=True))
    texts = np.array([known[case.text] for case in suite])
    return Scorecard(suite, texts, np.array([known.get(case.base, np.nan) for case in suite]))


def history(
    suite: Suite,
    checkpoints: Iterable[tuple[int, Callable[[], ProbabilityFunction]]],
    count: int,
    *,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """The scorecard of each checkpoint of a run: the columns of ``Scorecard.table`` after ``step``.

    Args:
        suite: the cases.
        checkpoints: the step, and what opens the model; each is let go before the next is opened.
        count: how many there are, for the progress.
        progress: told a fraction; may raise ``Cancelled``.
    """
    tables = []
    for done, (step, opened) in enumerate(checkpoints):
        share = part(progress, done / count, (done + 1) / count)
        tables.append(score(suite, opened(), progress=share).table().assign(step=step))
    whole = pd.concat(tables, ignore_index=True)
    return whole[["step", *COLUMNS]]


def _passes(case: SuiteCase, p: float, base: float) -> bool:
    if case.kind == "MFT":
        return (p > 0.5) == (case.label == 1)
    if case.kind != "DIR":
        return (p > 0.5) == (base > 0.5)
    sign = DIRECTIONS[case.direction]
    before, after = (q if sign > 0 else 1 - q for q in (base, p))
    return after > before or min(after, before) >= SURE


def _row(kind: str, found: Slice) -> tuple[object, ...]:
    low, high = found.interval
    majority = np.nan if found.majority is None else 1 - found.majority
    failed, failure = found.n - found.right, 1 - found.accuracy
    return kind, found.name, found.n, failed, failure, 1 - high, 1 - low, majority


def _rate(row: pd.Series) -> str:
    return (
        f"{row['failed']} of {row['n']} of “{row['capability']}”, {row['failure']:.1%} "
        f"({row['low']:.1%} to {row['high']:.1%})"
    )
