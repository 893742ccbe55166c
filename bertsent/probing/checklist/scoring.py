"""A suite and a model's answers in, which expectations failed out: a failure rate with its interval
for each capability.

Whatever gives P(positive) of texts can be scored: a BERT, a checkpoint, a bag of words.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.data.examples import LABELS
from bertsent.errors import BadInput, BertsentError
from bertsent.probing.checklist.suite import TEST_TYPES, Suite, TestType
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.slices import PAIRS, Slice, pairs_right
from bertsent.progress import Progress, no_progress, part
from bertsent.statistics import (
    accuracy_interval,
    best_of,
    best_of_sentence,
    majority_class_accuracy,
)

SURE = 0.95  # a DIR test that was so sure of the right side already has only to stay so
FEW = 10  # capabilities with fewer tests are not named as best or worst
COLUMNS = ("kind", "capability", "n", "failed", "failure", "low", "high", "majority")


@dataclass(frozen=True)
class Scorecard:
    """The result of each case of ``suite``: the columns of ``cases`` are the fields of a case,
    ``p_positive`` of its text, ``p_base`` of its base (NaN where there is none), ``passed``.
    """

    suite: Suite
    cases: pd.DataFrame

    def rate(self, kind: TestType, capability: str | None = None) -> Slice:
        """How many cases of a test type, or of one capability of it, passed."""
        cases = self.cases[self.cases["kind"] == kind]
        if capability is not None:
            cases = cases[cases["capability"] == capability]
        return Slice(
            capability or kind,
            len(cases),
            int(cases["passed"].sum()),
            accuracy_interval(cases["passed"].to_numpy(), _groups(cases)),
            majority_class_accuracy(cases["label"].to_numpy()) if kind == "MFT" else None,
        )

    def table(self) -> pd.DataFrame:
        """One row per capability, test types in their order: kind, capability, n, failed, failure,
        low and high (95 %, clustered by minimal pair), and for an MFT the failure rate of always
        answering the more frequent label.
        """
        found: list[tuple[object, ...]] = []
        for kind in TEST_TYPES:
            cases = self.cases[self.cases["kind"] == kind]
            found += [_row(kind, self.rate(kind, name)) for name in cases["capability"].unique()]
            pairs = pairs_right(cases["pair"], cases["passed"]) if kind == "MFT" else None
            found += [_row(kind, pairs)] if pairs else []
        return pd.DataFrame(found, columns=list(COLUMNS))

    def rows(self) -> pd.DataFrame:
        """One row per case, with both answers and whether it passed."""
        names = ["id", "kind", "capability", "text", "base", "label", "direction", "source"]
        rows = self.cases[[*names, "p_positive", "p_base", "passed"]]
        return rows.assign(label=rows["label"].map(dict(enumerate(LABELS))))

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


def summary_table(cards: Mapping[str, Scorecard]) -> pd.DataFrame:
    """One row per capability, the one that fails most at the top of its test type: capability,
    kind, n, the 95 % interval of the first model in words, and in percent the majority class and
    the failure rate of each model under its name.
    """
    tables = {name: card.table() for name, card in cards.items()}
    first = next(iter(tables.values()))
    between = [
        f"{100 * low:.0f}–{100 * high:.0f} %"
        for low, high in zip(first["low"], first["high"], strict=True)
    ]
    rates = {name: 100 * table["failure"] for name, table in tables.items()}
    table = first[["capability", "kind", "n"]].assign(
        majority=100 * first["majority"], interval=between, **rates
    )
    order = np.lexsort((-first["failure"], first["kind"].map(list(TEST_TYPES).index)))
    return table.iloc[order].reset_index(drop=True)


def expectations(rows: pd.DataFrame) -> list[str]:
    """What each row of ``Scorecard.rows`` expects of the model, in words."""
    return [
        str(row.label)
        if row.kind == "MFT"
        else f"{'above' if row.direction == 'up' else 'below'} {100 * row.p_base:.1f} %"
        if row.kind == "DIR"
        else f"{LABELS[int(row.p_base > 0.5)]} as before"
        for row in rows.itertuples()
    ]


def comparison_sentence(cards: Mapping[str, Scorecard]) -> str:
    """Which of several models finds most labels of the MFTs, if they can be told apart; empty for
    one model or without an MFT.
    """
    tests = [card.cases[card.cases["kind"] == "MFT"] for card in cards.values()]
    if len(tests) < 2 or tests[0].empty:
        return ""
    found = best_of([each["passed"].to_numpy() for each in tests], _groups(tests[0]))
    return f"Labels found (MFT): {best_of_sentence(list(cards), found)}"


def score(suite: Suite, p_positive: np.ndarray) -> Scorecard:
    """Evaluate a model on a suite.

    Args:
        suite: the cases.
        p_positive: (n,) P(positive) of ``suite.texts`` by the model.

    Raises:
        BadInput: the suite is empty.
        BertsentError: the answers are not probabilities, one for each text.
    """
    BadInput.raise_if(not len(suite), "The suite has no cases.", "Add some.")
    answers = np.asarray(p_positive, float)
    BertsentError.raise_if(
        answers.shape != (len(suite.texts),) or not ((answers >= 0) & (answers <= 1)).all(),
        "The answers are not one probability per text.",
        "Choose another model.",
    )
    known = pd.Series(answers, index=list(suite.texts))
    cases = pd.DataFrame(list(suite))
    p, base = (known.reindex(cases[name]).to_numpy() for name in ("text", "base"))
    before, after = (np.where(cases["direction"] == "up", x, 1 - x) for x in (base, p))
    passed = np.select(
        [cases["kind"] == "MFT", cases["kind"] == "DIR"],
        [
            (p > 0.5) == (cases["label"] == 1),
            (after > before) | (np.minimum(after, before) >= SURE),
        ],
        (p > 0.5) == (base > 0.5),
    )
    return Scorecard(suite, cases.assign(p_positive=p, p_base=base, passed=passed.astype(bool)))


def history(
    suite: Suite,
    checkpoints: Iterable[tuple[int, Callable[[], LoadedModel]]],
    count: int,
    *,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """The scorecard of each checkpoint of a run: the columns of ``Scorecard.table`` after ``step``.

    Args:
        suite: the cases.
        checkpoints: the step, and what opens the model; each is let go before the next is opened.
        count: how many there are, for the progress.
        progress: called with a fraction from 0 to 1; may raise ``Cancelled``.
    """
    tables = []
    for done, (step, opened) in enumerate(checkpoints):
        share = part(progress, done / count, (done + 1) / count)
        p_positive = opened().probabilities(suite.texts, progress=share)[:, 1]
        tables.append(score(suite, p_positive).table().assign(step=step))
    return pd.concat(tables, ignore_index=True)[["step", *COLUMNS]]


def _groups(cases: pd.DataFrame) -> np.ndarray:
    return np.where(cases["pair"] == "", cases["id"], cases["pair"])


def _row(kind: str, found: Slice) -> tuple[object, ...]:
    low, high = found.interval
    majority = np.nan if found.majority is None else 1 - found.majority
    failed, failure = found.n - found.right, 1 - found.accuracy
    return kind, found.name, found.n, failed, failure, 1 - high, 1 - low, majority


def _rate(row: pd.Series) -> str:
    return (
        f"{row['failed']} of {row['n']} of “{row['capability']}”, {100 * row['failure']:.1f} % "
        f"({100 * row['low']:.1f} % to {100 * row['high']:.1f} %)"
    )
