"""The nouns of a suite: an ``SuiteCase`` is one expectation of a model's behaviour, a ``Suite`` is a
named list of them.

The kinds are those of CheckList (Ribeiro, Wu, Guestrin and Singh 2020, "Beyond Accuracy", section
2): a minimum functionality test
(MFT) has a label to be found; an invariance test (INV) changes a text in a way that must leave the
label; a directional test (DIR)
changes it so that P(positive) must move one way. ORDER is ours: the words shuffled, which a model
that reads cannot take calmly.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Literal

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
    """One expectation. Checked when made.

    ``label`` is that of ``text`` (MFT) or of ``base``; ``base`` is the text before the change,
    empty for an MFT; ``direction``
    is up or down, for a DIR; ``pair`` ties the two sides of a minimal pair.

    Raises:
        BadInput: the parts do not fit the kind.
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
        if self.kind not in TEST_TYPES:
            raise BadInput(
                f"“{self.kind[:20]}” is no kind of test.", f"Use {', '.join(TEST_TYPES)}."
            )
        if self.label not in (0, 1):
            raise BadInput("The label is neither 0 nor 1.", "Use 0 or negative, 1 or positive.")
        if not (self.text.strip() and self.capability.strip() and self.source.strip()):
            raise BadInput("The text, the capability or the source is empty.", "Fill it in.")
        if (self.kind == "MFT") == bool(self.base.strip()):
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


@dataclass(frozen=True)
class Suite:
    """A named, ordered, unchangeable set of items."""

    name: str
    items: tuple[SuiteCase, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[SuiteCase]:
        return iter(self.items)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every text that has to be asked, once, in order of appearance."""
        return tuple(
            dict.fromkeys(text for item in self.items for text in (item.text, item.base) if text)
        )

    @cached_property
    def sha256(self) -> str:
        """Equal hashes mean equal work for a model."""
        return hashlib.sha256(
            json.dumps([astuple(item) for item in self.items]).encode()
        ).hexdigest()

    def of_kind(self, *kinds: TestType) -> "Suite":
        return Suite(self.name, tuple(item for item in self.items if item.kind in kinds))

    @property
    def positive_share(self) -> float:
        """The share of positive labels among the tests that have a label to be found."""
        labels = [item.label for item in self.items if item.kind == "MFT"]
        return sum(labels) / len(labels) if labels else float("nan")
