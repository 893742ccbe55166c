"""The nouns of a test suite: a ``SuiteCase`` is one expectation of a model's behaviour, a ``Suite``
a named list of them.

The test types are those of CheckList (Ribeiro, Wu, Guestrin and Singh 2020, "Beyond Accuracy",
section 2): a minimum functionality test (MFT) has a label to be found; an invariance test (INV)
perturbs a text in a way that must leave the label; a directional expectation test (DIR) perturbs it
so that P(positive) must move one way. ORDER is ours: the words shuffled, which must not leave every
answer as it is.

A visitor's suite comes as a CSV file with the columns of ``SCHEMA``.
"""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any, Literal

from bertsent.data.cache import cache_key
from bertsent.data.cleaning import clean_text
from bertsent.data.table_columns import LABEL_WORDS
from bertsent.data.tables import read_cells
from bertsent.errors import BadInput
from bertsent.settings import LIMITS

TestType = Literal["MFT", "INV", "DIR", "ORDER"]
TEST_TYPES: dict[TestType, str] = {
    "MFT": "finds the label",
    "INV": "keeps its label",
    "DIR": "P(positive) moves the right way",
    "ORDER": "keeps its label though the words are shuffled",
}
DIRECTIONS = ("", "up", "down")
NEEDED = ("kind", "capability", "text", "label")
MOST_CASES = 5_000
SCHEMA = {
    "kind": "MFT (find the label), INV (the change must leave the label), DIR (P must move one "
    "way) or ORDER (words shuffled)",
    "capability": "what is tested, in a word or two; there is a failure rate for each",
    "text": "the review, or the review after the change",
    "label": "0 or negative, 1 or positive: of the text (MFT) or of the base (all others)",
    "base": "the review before the change; empty for MFT",
    "direction": "DIR only: up or down, where P(positive) has to go",
    "id": "optional: your name for the row",
    "source": "optional: where it comes from; else the file and the row",
    "pair": "optional: the same word for both sides of a minimal pair",
}
EXAMPLE = """kind,capability,text,label,base,direction
MFT,irony,"Great, another boring movie",negative,,
MFT,negation,This is not a bad film,positive,,
INV,typo,A wonderfull film,positive,A wonderful film,
DIR,praise added,A decent film. I loved it.,positive,A decent film.,up
"""


@dataclass(frozen=True)
class SuiteCase:
    """One expectation, its texts clean. Checked when made.

    ``label`` is that of ``text`` (MFT) or of ``base``; ``base`` is the text before the
    perturbation, empty for an MFT; ``direction`` is up or down, for a DIR; ``pair`` ties the two
    sides of a minimal pair.

    Raises:
        BadInput: the parts do not fit the test type.
    """

    id: str
    kind: TestType
    capability: str
    text: str
    label: int
    source: str
    base: str = ""
    direction: str = ""
    pair: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "base"):
            object.__setattr__(self, name, clean_text(getattr(self, name)))
        BadInput.raise_if(
            self.kind not in TEST_TYPES,
            f"“{self.kind[:20]}” is not a kind of test.",
            f"Use {', '.join(TEST_TYPES)}.",
        )
        BadInput.raise_if(
            self.label not in (0, 1),
            "The label is neither 0 nor 1.",
            "Use 0 or negative, 1 or positive.",
        )
        BadInput.raise_if(
            not (self.text and self.capability.strip() and self.source.strip()),
            "The text, the capability or the source is empty.",
            "Fill it in.",
        )
        BadInput.raise_if(
            (self.kind == "MFT") == bool(self.base),
            f"A test of kind {self.kind} has {'a' if self.base else 'no'} base.",
            "The base is the text before the change; an MFT has none.",
        )
        BadInput.raise_if(
            self.direction not in DIRECTIONS or (self.kind == "DIR") != bool(self.direction),
            f"A test of kind {self.kind} has the direction “{self.direction[:20]}”.",
            "DIR needs up or down, others none.",
        )


@dataclass(frozen=True)
class Suite:
    """A named, ordered, unchangeable set of cases."""

    name: str
    cases: tuple[SuiteCase, ...]

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[SuiteCase]:
        return iter(self.cases)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every text that has to be asked, once, in order of appearance."""
        return tuple(dict.fromkeys(t for case in self.cases for t in (case.text, case.base) if t))

    @cached_property
    def sha256(self) -> str:
        """Equal hashes mean equal work for a model."""
        return cache_key(*map(astuple, self.cases))


def read_suite(data: bytes, name: str) -> Suite:
    """Turn the bytes of a CSV or TSV file into a suite.

    Raises:
        BadInput: what is wrong, with the row where it is, and what to do.
    """
    table = read_cells(data, name)
    names = list(table.columns)
    for column in NEEDED:
        BadInput.raise_if(
            column not in names,
            f"{name} has no column “{column}” (found: {', '.join(map(str, names[:8]))[:200]}).",
            f"A suite needs {', '.join(NEEDED)}.",
        )
    for column in SCHEMA:
        BadInput.raise_if(
            names.count(column) > 1,
            f"{name} has more than one column “{column}”.",
            "Rename or delete all but one.",
        )
    BadInput.raise_if(not len(table), f"{name} has a header but no rows.", "Add one test per row.")
    BadInput.raise_if(
        len(table) > MOST_CASES,
        f"{name} has {len(table):,} tests; the limit is {MOST_CASES:,}.",
        "Leave some out.",
    )
    rows = table.reindex(columns=list(SCHEMA)).fillna("").map(str.strip).to_dict("records")
    cases = tuple(_case(row, number, name) for number, row in enumerate(rows, start=1))
    ids: set[str] = set()
    for case in cases:
        BadInput.raise_if(
            case.id in ids,
            f"{name} has the id “{case.id[:40]}” twice.",
            "Give each row its own, or none.",
        )
        ids.add(case.id)
    return Suite(name, cases)


def _case(row: dict[str, Any], number: int, name: str) -> SuiteCase:
    label = LABEL_WORDS.get(row["label"].lower())
    try:
        BadInput.raise_if(
            label is None,
            f"“{row['label'][:30]}” is not a label that is known.",
            "Use 0 or negative, 1 or positive.",
        )
        BadInput.raise_if(
            max(len(row["text"]), len(row["base"])) > LIMITS.review_chars,
            f"The text or the base has more than {LIMITS.review_chars:,} characters.",
            "Shorten it.",
        )
        row |= {
            "id": row["id"] or f"row-{number}",
            "kind": row["kind"].upper(),
            "label": label,
            "source": row["source"] or f"{name}, row {number}",
            "direction": row["direction"].lower(),
        }
        return SuiteCase(**row)
    except BadInput as error:
        raise BadInput(f"Row {number} of {name}: {error.what}", error.remedy) from None
