"""Every worked example, as its card begins."""

import numpy as np
import pytest

from bertsent.ui.probe.take_apart.lecture import Card
from bertsent.ui.probe.take_apart.parts import PARTS
from bertsent.worked_examples.worked_example import agrees

CARDS = [card for part in PARTS for card in part.cards]
ROWS = (
    "000-01 000-02 001-18 001-19 001-20 001-21 001-24 001-27 001-34 002-15 002-16 002-17 002-19 "
    "003-01 003-02 003-03 003-04 003-07 003-08 003-09"
)
SLIPS = "E-01 E-02 E-03 E-10 E-12 E-13 E-14 E-16"


def test_every_row_and_slip_has_its_card() -> None:
    assert set(ROWS.split()) <= {row for card in CARDS for row in card.example.rows}
    assert set(SLIPS.split()) <= {slip.number for card in CARDS for slip in card.example.slips}
    keys = [card.example.key for card in CARDS]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    "card", [card for card in CARDS if not card.example.of_model], ids=lambda c: c.example.key
)
def test_what_a_source_prints_is_found_or_its_slip_is_named(card: Card) -> None:
    example = card.example
    found = example.results(example.typed())
    for quantity in example.quantities:
        same = not quantity.said or agrees(found[quantity.name], quantity.said)
        assert same or quantity.why, quantity.name
        assert np.size(found[quantity.name]), quantity.name
        assert isinstance(quantity.formula, str) or quantity.formula(found)
    assert example.finding is None or example.finding(found)
