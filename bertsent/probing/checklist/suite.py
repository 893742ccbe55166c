"""The nouns of a test suite: a ``SuiteCase`` is one expectation of a model's behaviour, a ``Suite``
a named list of them.

The test types are those of CheckList (Ribeiro, Wu, Guestrin and Singh 2020, "Beyond Accuracy",
section 2): a minimum functionality test (MFT) has a label to be found; an invariance test (INV)
perturbs a text in a way that must leave the label; a directional expectation test (DIR) perturbs it
so that P(positive) must move one way. ORDER is ours: the words shuffled, which must not leave every
answer as it is.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Literal

from bertsent.data.cleaning import clean_text
from bertsent.errors import BadInput

TestType = Literal["MFT", "INV", "DIR", "ORDER"]
TEST_TYPES: dict[TestType, str] = {
    "MFT": "finds the label",
    "INV": "keeps its label",
    "DIR": "P(positive) moves the right way",
    "ORDER": "keeps its label though the words are shuffled",
}
DIRECTIONS = {"up": 1, "down": -1}


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
        if self.kind not in TEST_TYPES:
            raise BadInput(f"“{self.kind[:20]}” is no kind of test.", f"Use {_names(TEST_TYPES)}.")
        if self.label not in (0, 1):
            raise BadInput("The label is neither 0 nor 1.", "Use 0 or negative, 1 or positive.")
        if not (self.text and self.capability.strip() and self.source.strip()):
            raise BadInput("The text, the capability or the source is empty.", "Fill it in.")
        if (self.kind == "MFT") == bool(self.base):
            what = "has a base" if self.kind == "MFT" else "has no base"
            raise BadInput(
                f"A test of kind {self.kind} {what}.",
                "The base is the text before the change; an MFT has none.",
            )
        if (self.kind == "DIR") != (self.direction in DIRECTIONS):
            raise BadInput(
                f"A test of kind {self.kind} has the direction “{self.direction[:20]}”.",
                "DIR needs up or down, others none.",
            )


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


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
        rows = json.dumps([astuple(case) for case in self.cases])
        return hashlib.sha256(rows.encode()).hexdigest()
