import numpy as np
import pytest

from bertsent.errors import BadInput, NotAvailable
from bertsent.probing.attribution.units import (
    leave_one_out,
    positive_probabilities,
    segment_review,
)
from tests.probing.left_out import text_without

TEXTS = (
    "Great, another boring movie",
    "Absolutely incredible",
    "I don't like it's well-made café touché",
    "  A film\nwith  odd   blanks , and (marks)!",
    "Great",
    "a,b;c",
)


@pytest.mark.parametrize("text", [*TEXTS, "🎬🎬 fine", "电影 fun", "x" * 300 + " fine"])
@pytest.mark.parametrize("by", ["words", "pieces"])
def test_units_cover_every_token_once(tiny, text: str, by: str) -> None:
    found = segment_review(tiny(), text, by)
    assert sorted(place for unit in found.units for place in unit.tokens) == list(
        range(1, len(found.ids) - 1)
    )
    assert found.without([]) == found.ids
    assert found.without(range(len(found.units))) == (found.ids[0], found.ids[-1])
    if by == "words":
        assert all(found.text[unit.start : unit.end] == unit.text for unit in found.units)


def test_what_an_apostrophe_or_a_hyphen_joins_is_one_word(tiny) -> None:
    found = [
        unit.text for unit in segment_review(tiny(), "I don't like it, well-made - or 'odd'.").units
    ]
    assert found == ["I", "don't", "like", "it", ",", "well-made", "-", "or", "'", "odd", "'", "."]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_a_bar_is_the_difference_of_two_predictions(tiny, text: str, pooling: str) -> None:
    model = tiny(pooling)
    reading = segment_review(model, text)
    found = leave_one_out(model, reading, range(len(reading.units)))
    whole = model.predict([text])[0].p_positive
    assert found.p_positive == pytest.approx(whole, abs=1e-6)
    for unit, drop in zip(found.units, found.added, strict=True):
        assert drop == pytest.approx(
            whole - model.predict([text_without(reading, unit)])[0].p_positive, abs=1e-6
        )


def test_a_bar_of_the_shipped_model_is_the_difference_of_two_predictions(builtin) -> None:
    text = "Blew my mind how bad it was. I don't want more."
    reading = segment_review(builtin, text)
    found, whole = (
        leave_one_out(builtin, reading, range(len(reading.units))),
        builtin.predict([text])[0].p_positive,
    )
    alone = [
        whole - builtin.predict([text_without(reading, unit)])[0].p_positive for unit in found.units
    ]
    assert np.abs(found.added - alone).max() < 1e-6


def test_pieces_are_left_out_as_pieces(tiny) -> None:
    model, text = tiny(), "touché unfathomableness"
    reading = segment_review(model, text, "pieces")
    assert len(reading.units) > 2
    found = leave_one_out(model, reading, range(len(reading.units)))
    ids = [
        [v for i, v in enumerate(reading.ids) if i != place + 1]
        for place in range(len(reading.units))
    ]
    assert np.allclose(
        found.added,
        positive_probabilities(model, [reading.ids])[0] - positive_probabilities(model, ids),
        atol=1e-7,
    )


def test_a_review_that_is_cut_says_so_and_lets_nothing_slip_in(tiny) -> None:
    model, text = tiny(max_length=16), "one two three four " * 50
    reading = segment_review(model, text)
    assert (
        reading.cut
        and len(reading.ids) == 16
        and reading.text == ("one two three four " * 4)[: len(reading.text)]
    )
    assert len(reading.without([0])) == 15
    assert not segment_review(model, "one two three").cut
    found = leave_one_out(model, reading, [0, 5])
    assert found.units == (0, 5)
    assert found.added[0] == pytest.approx(
        model.predict([text])[0].p_positive
        - model.predict([text_without(reading, 0)])[0].p_positive,
        abs=1e-6,
    )


def test_a_model_without_a_head_has_no_answers(tiny) -> None:
    with pytest.raises(NotAvailable):
        leave_one_out(tiny(fine_tuned=False), segment_review(tiny(), "fine"), [0])


def test_what_cannot_be_read_is_told(tiny) -> None:
    with pytest.raises(BadInput):
        segment_review(tiny(), "\u0007")
