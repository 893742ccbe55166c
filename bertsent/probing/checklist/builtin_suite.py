"""The suite that comes along: the built-in test reviews by phenomenon, and perturbations of them
that must or must not matter.

The reviews are those of the ``test`` part, which no model that ships or was trained here has
learned from.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.checklist.perturbations import (
    INVARIANCES,
    Perturbation,
    blamed,
    praised,
    shuffled,
)
from bertsent.probing.checklist.suite import Suite, SuiteCase, TestType

NAME = "Built-in suite"
EACH, MIXED = 60, 120  # cases of one perturbation; of the shuffled ones
PRAISED, BLAMED = "praise added", "blame added"
SHUFFLED = "words shuffled"
# says what it means, so that a plain sentence after it does, too
LITERAL = ("plain", "negation", "comparison", "mixed", "intensity")


@lru_cache(maxsize=1)
def builtin_suite() -> Suite:
    """About 1,600 cases; the same on every machine."""
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
        cases += islice(_perturbed(rows, "INV", capability, change), EACH)
    cases += islice(_perturbed(literal, "DIR", PRAISED, praised, "up"), EACH)
    cases += islice(_perturbed(literal, "DIR", BLAMED, blamed, "down"), EACH)
    cases += islice(_perturbed(rows, "ORDER", SHUFFLED, shuffled), MIXED)
    return Suite(name, tuple(cases))


def _perturbed(
    rows: Sequence[Example],
    kind: TestType,
    capability: str,
    change: Perturbation,
    direction: str = "",
) -> Iterator[SuiteCase]:
    """The reviews that can be changed so, in an order that is random, but the same on every
    machine.
    """
    salted = {e.id: hashlib.sha256(f"{capability} {e.id}".encode()).digest() for e in rows}
    for e in sorted(rows, key=lambda e: salted[e.id]):
        changed = change(e.text)
        base, text = changed if isinstance(changed, tuple) else (e.text, changed)
        if text:
            yield _case(e, kind, capability, text, base=base, direction=direction)


def _case(example: Example, kind: TestType, capability: str, text: str, **rest: str) -> SuiteCase:
    name = example.id if kind == "MFT" else f"{example.id} {capability}"
    label = POSITIVE if example.label else NEGATIVE
    source = f"Built-in reviews, {example.split}, {example.id}"
    return SuiteCase(name, kind, capability, text, label, source, **rest)
