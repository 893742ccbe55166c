"""The suite that comes along: the built-in test reviews by phenomenon, and changes of them that
must or must not matter.

The reviews are those of the ``test`` part, which no model that ships or was trained here has
learned from.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from bertsent.data.examples import NEGATIVE, POSITIVE, Example, Reviews
from bertsent.data.sources import load_reviews
from bertsent.probing.checklist.perturbations import INVARIANCES, blamed, named, praised, shuffled
from bertsent.probing.checklist.suite import Suite, SuiteCase

NAME = "Built-in suite"
EACH, MIXED = 60, 120  # items of one change; of the shuffled ones
PRAISED, BLAMED, NAMED, SHUFFLED = (
    "praise added",
    "blame added",
    "names and places swapped",
    "words shuffled",
)
MEANT = (
    "plain",
    "negation",
    "comparison",
    "mixed",
    "intensity",
)  # says what it means, so that a plain sentence after it does, too
SARCASM, SINCERE = "sarcasm", "sincere"


@lru_cache(maxsize=1)
def builtin_suite() -> Suite:
    """About 1,700 items; the same on every machine."""
    return suite_of(test_reviews(), NAME)


def test_reviews() -> Reviews:
    """The test part of the built-in reviews."""
    whole = load_reviews("builtin")
    return whole.where([e.split == "test" for e in whole])


test_reviews.__test__ = False  # it is no test, though its name begins like one


def suite_of(reviews: Reviews, name: str) -> Suite:
    """A suite made of labelled reviews: each as an MFT under its phenomenon, and changed ones."""
    rows = [e for e in reviews if e.label is not None]
    items = [_item(e, "MFT", e.phenomenon or "(none)", e.text, pair=e.pair) for e in rows]
    for capability, change in INVARIANCES.items():
        found = ((e, change(e.text)) for e in _drawn(rows, capability))
        items += _first(
            EACH, (_item(e, "INV", capability, text, base=e.text) for e, text in found if text)
        )
    items += _first(
        EACH,
        (
            _item(e, "INV", NAMED, second, base=first)
            for e in _drawn(rows, NAMED)
            for first, second in [named(e.text)]
        ),
    )
    meant = [e for e in rows if e.phenomenon in MEANT]
    items += _directed(meant, PRAISED, praised, "up") + _directed(meant, BLAMED, blamed, "down")
    mixed = ((e, shuffled(e.text)) for e in _drawn(rows, SHUFFLED))
    items += _first(
        MIXED, (_item(e, "ORDER", SHUFFLED, text, base=e.text) for e, text in mixed if text)
    )
    return Suite(name, tuple(items))


def sincere_share(suite: Suite) -> float:
    """The share of sincere controls among the sarcastic and the sincere items: with many, seeing
    irony everywhere does not win.
    """
    kinds = [
        item.capability
        for item in suite
        if item.kind == "MFT" and item.capability in (SARCASM, SINCERE)
    ]
    return kinds.count(SINCERE) / len(kinds) if kinds else float("nan")


def _directed(
    rows: Sequence[Example], capability: str, change: Callable[[str], str], direction: str
) -> list[SuiteCase]:
    return _first(
        EACH,
        (
            _item(e, "DIR", capability, change(e.text), base=e.text, direction=direction)
            for e in _drawn(rows, capability)
        ),
    )


def _item(example: Example, kind: str, capability: str, text: str, **rest: str) -> SuiteCase:
    ident = example.id if kind == "MFT" else f"{example.id} {capability}"
    source = f"Built-in reviews, {example.split}, {example.id}"
    return SuiteCase(
        ident, kind, capability, text, POSITIVE if example.label else NEGATIVE, source, **rest
    )


def _drawn(rows: Iterable[Example], salt: str) -> list[Example]:
    """All rows in an order that chance, but no clock and no machine, decided."""
    return sorted(rows, key=lambda e: hashlib.sha256(f"{salt} {e.id}".encode()).digest())


def _first(count: int, items: Iterable[SuiteCase]) -> list[SuiteCase]:
    return [item for item, _ in zip(items, range(count), strict=False)]
