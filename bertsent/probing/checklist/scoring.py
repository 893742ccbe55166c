"""A suite and somebody who answers in, which expectations failed out: a rate with its interval for
each capability.

Whoever gives P(positive) of texts can be judged: a BERT, a checkpoint, counted words, a stub. Every
different text is asked once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.checklist.suite import DIRECTIONS, TEST_TYPES, Suite, SuiteCase, TestType
from bertsent.probing.slices import Slice, pairs_right

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

SURE = 0.95  # a DIR test that was so sure of the right side already has only to stay so
Progress = Callable[[float], None]


class ProbabilityFunction(Protocol):
    """Texts in, (n,) P(positive) out."""

    def __call__(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray: ...


def probabilities_of_model(learner: "LoadedModel") -> ProbabilityFunction:
    """A loaded model as somebody who answers."""
    return lambda texts, *, progress=None: learner.probabilities(texts, progress=progress)[:, 1]


def probabilities_of_classifier(
    p_positive: Callable[[Sequence[str]], np.ndarray],
) -> ProbabilityFunction:
    """A classifier without progress, such as those of the duel, as somebody who answers."""
    return lambda texts, *, progress=None: p_positive(texts)  # noqa: ARG005


@dataclass(frozen=True)
class Scorecard:
    """What became of each item. ``p`` and ``p_base`` are (n,) P(positive) of its text and of its
    base, NaN where there is none.
    """

    suite: Suite
    p: np.ndarray
    p_base: np.ndarray

    @cached_property
    def passed(self) -> np.ndarray:
        """(n,): whether each expectation was met."""
        return np.array(
            [_passes(*row) for row in zip(self.suite, self.p, self.p_base, strict=True)], bool
        )

    def rate(self, kind: TestType, capability: str | None = None) -> Slice:
        """How many items of a kind, or of one capability of it, passed.

        Raises:
            BadInput: there is no such item.
        """
        chosen = [
            ok
            for item, ok in zip(self.suite, self.passed, strict=True)
            if item.kind == kind and capability in (None, item.capability)
        ]
        if not chosen:
            raise BadInput(
                f"The suite has no item of that kind: {kind}, {capability}.", "Choose another."
            )
        return Slice(capability or kind, len(chosen), int(sum(chosen)))

    def table(self) -> pd.DataFrame:
        """One row a capability, kinds in their order: kind, capability, n, failed, failure, low and
        high (95 %, Wilson 1927).
        """
        names = dict.fromkeys((item.kind, item.capability) for item in self.suite)
        found = [
            (kind, self.rate(kind, name)) for kind in TEST_TYPES for k, name in names if k == kind
        ]
        pairs = self._pairs()
        if pairs:
            after = sum(kind == "MFT" for kind, _ in found)
            found.insert(after, ("MFT", pairs))
        return pd.DataFrame(
            [_row(kind, each) for kind, each in found],
            columns=["kind", "capability", "n", "failed", *_RATES],
        )

    def rows(self) -> pd.DataFrame:
        """One row an item, with both answers and whether it passed."""
        columns = [
            (i.id, i.kind, i.capability, i.text, i.base, LABELS[i.label], i.direction, i.source)
            for i in self.suite
        ]
        names = ["id", "kind", "capability", "text", "base", "label", "direction", "source"]
        return pd.DataFrame(columns, columns=names).assign(
            p_positive=self.p, p_base=self.p_base, passed=self.passed
        )

    def _pairs(self) -> Slice | None:
        """Both sides of a minimal pair right (the consistency of Gardner et al. 2020)."""
        tests = [
            (case.pair, ok)
            for case, ok in zip(self.suite, self.passed, strict=True)
            if case.kind == "MFT"
        ]
        return pairs_right([pair for pair, _ in tests], [ok for _, ok in tests])


_RATES = ("failure", "low", "high")


def score(suite: Suite, ask: ProbabilityFunction, *, progress: Progress | None = None) -> Scorecard:
    """Judge somebody by a suite.

    Args:
        progress: told a fraction; may raise ``Cancelled``.

    Raises:
        BadInput: the suite is empty.
        BertsentError: the answers are not probabilities, one a text.
    """
    if not len(suite):
        raise BadInput("The suite has no items.", "Add some.")
    p = np.asarray(ask(suite.texts, progress=progress), float)
    if p.shape != (len(suite.texts),) or not ((p >= 0) & (p <= 1)).all():
        raise BertsentError("The answers are not one probability a text.", "Choose another model.")
    known = dict(zip(suite.texts, p, strict=True))
    return Scorecard(
        suite,
        np.array([known[i.text] for i in suite]),
        np.array([known.get(i.base, np.nan) for i in suite]),
    )


def history(
    suite: Suite,
    checkpoints: Iterable[tuple[int, Callable[[], ProbabilityFunction]]],
    count: int,
    *,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The scorecard of each checkpoint of a run: the columns of ``Scorecard.table`` after ``step``.

    Args:
        checkpoints: the step, and what opens who answers; each is let go before the next is opened.
        count: how many there are, for the progress.
    """
    tables = []
    for done, (step, opened) in enumerate(checkpoints):
        told = progress and (lambda part, done=done: progress((done + part) / count))
        tables.append(score(suite, opened(), progress=told).table().assign(step=step))
    whole = pd.concat(tables, ignore_index=True)
    return whole[["step", *(column for column in whole if column != "step")]]


def _passes(item: SuiteCase, p: float, base: float) -> bool:
    if item.kind == "MFT":
        return (p > 0.5) == (item.label == 1)
    if item.kind != "DIR":
        return (p > 0.5) == (base > 0.5)
    sign = DIRECTIONS[item.direction]
    before, after = (q if sign > 0 else 1 - q for q in (base, p))
    return after > before or min(after, before) >= SURE


def _row(kind: str, found: Slice) -> tuple:
    low, high = found.interval
    return kind, found.name, found.n, found.n - found.right, 1 - found.accuracy, 1 - high, 1 - low
