"""The suite that comes along: the built-in test reviews by phenomenon, and perturbations of them
that must or must not matter.

The reviews are those of the ``test`` part, which no model that ships or was trained here has
learned from.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice

from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.checklist.perturbations import (
    INVARIANCES,
    Perturbation,
    blamed,
    named,
    praised,
    shuffled,
)
from bertsent.probing.checklist.suite import Suite, SuiteCase, TestType

NAME = "Built-in suite"
EACH, MIXED = 60, 120  # cases of one perturbation; of the shuffled ones
PRAISED, BLAMED = "praise added", "blame added"
NAMED, SHUFFLED = "names and places swapped", "words shuffled"
# says what it means, so that a plain sentence after it does, too
LITERAL = ("plain", "negation", "comparison", "mixed", "intensity")


@lru_cache(maxsize=1)
def builtin_suite() -> Suite:
    """About 1,700 cases; the same on every machine."""
    return suite_of(test_reviews(), NAME)


def test_reviews() -> Reviews:
    """The test part of the built-in reviews."""
    whole = load_reviews("builtin")
    return whole.where([e.split == "test" for e in whole])


test_reviews.__test__ = False  # type: ignore[attr-defined]  # pytest: it is no test


def suite_of(reviews: Reviews, name: str) -> Suite:
    """A suite made of labelled reviews: each as an MFT under its phenomenon, and perturbed ones."""
    rows = [e for e in reviews if e.label is not None]
    literal = [e for e in rows if e.phenomenon in LITERAL]
    cases = [_case(e, "MFT", e.phenomenon or "(none)", e.text, pair=e.pair) for e in rows]
    for capability, change in INVARIANCES.items():
        cases += _perturbed(rows, "INV", capability, _from_itself(change))
    cases += _perturbed(rows, "INV", NAMED, named)
    cases += _perturbed(literal, "DIR", PRAISED, _from_itself(praised), direction="up")
    cases += _perturbed(literal, "DIR", BLAMED, _from_itself(blamed), direction="down")
    cases += _perturbed(rows, "ORDER", SHUFFLED, _from_itself(shuffled), count=MIXED)
    return Suite(name, tuple(cases))


BaseAndText = tuple[str, str]


def _from_itself(change: Perturbation) -> Callable[[str], BaseAndText | None]:
    """A perturbation whose base is the review itself."""

    def both(text: str) -> BaseAndText | None:
        changed = change(text)
        return (text, changed) if changed else None

    return both


def _perturbed(
    rows: Sequence[Example],
    kind: TestType,
    capability: str,
    change: Callable[[str], BaseAndText | None],
    *,
    count: int = EACH,
    direction: str = "",
) -> list[SuiteCase]:
    """The first ``count`` reviews that can be changed so."""
    found = ((e, change(e.text)) for e in _by_hash(rows, capability))
    cases = (
        _case(e, kind, capability, texts[1], base=texts[0], direction=direction)
        for e, texts in found
        if texts
    )
    return list(islice(cases, count))


def _case(example: Example, kind: TestType, capability: str, text: str, **rest: str) -> SuiteCase:
    ident = example.id if kind == "MFT" else f"{example.id} {capability}"
    label = POSITIVE if example.label else NEGATIVE
    source = f"Built-in reviews, {example.split}, {example.id}"
    return SuiteCase(ident, kind, capability, text, label, source, **rest)


def _by_hash(rows: Iterable[Example], salt: str) -> list[Example]:
    """All rows in an order that is random, but the same on every machine."""
    return sorted(rows, key=lambda e: hashlib.sha256(f"{salt} {e.id}".encode()).digest())
