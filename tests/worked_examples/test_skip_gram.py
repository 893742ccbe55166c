"""Rows 002-03 and 002-04: the pairs by hand, the shapes as printed, the softmax by its sum."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.worked_examples.skip_gram import (
    PAIRS,
    SENTENCE,
    SHAPES,
    pairs_at,
    read_words,
    skip_gram_pairs,
)
from bertsent.worked_examples.worked_example import agrees


def test_the_pairs_of_dog_are_those_of_the_source() -> None:
    found = PAIRS.results(PAIRS.typed())
    assert found["pairs"] == ("(dog,the)", "(dog,friendly)", "(dog,plays)", "(dog,in)")
    said = {each.name: each.said for each in PAIRS.quantities if each.said}
    assert agrees(found["pairs"], said["pairs"])
    assert "“dog” has 4 pairs;" in PAIRS.finding(found)


def test_all_pairs_of_the_sentence_by_hand() -> None:
    pairs = skip_gram_pairs(read_words(SENTENCE), 2)
    assert pairs == [
        ("the", "friendly"), ("the", "dog"),
        ("friendly", "the"), ("friendly", "dog"), ("friendly", "plays"),
        ("dog", "the"), ("dog", "friendly"), ("dog", "plays"), ("dog", "in"),
        ("plays", "friendly"), ("plays", "dog"), ("plays", "in"), ("plays", "the"),
        ("in", "dog"), ("in", "plays"), ("in", "the"), ("in", "park"),
        ("the", "plays"), ("the", "in"), ("the", "park"),
        ("park", "in"), ("park", "the"),
    ]  # fmt: off
    assert PAIRS.results(PAIRS.typed())["all"] == 22


def test_a_word_at_the_edge_has_fewer_pairs() -> None:
    found = PAIRS.results({**PAIRS.typed(), "word": "Park", "window": "3"})
    assert found["pairs"] == ("(park,plays)", "(park,in)", "(park,the)")
    assert "fewer than the 6" in PAIRS.finding(found)
    assert pairs_at(["a", "b"], 0, 10) == [("a", "b")]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"sentence": "!!!"}, "no word"),
        ({"sentence": "dog"}, "there is one"),
        ({"sentence": " "}, "Nothing is typed"),
        ({"word": "cat"}, "does not have the word “cat”"),
        ({"window": "0"}, "too small"),
        ({"window": "two"}, "not a number"),
    ],
)
def test_what_cannot_be_used_is_told(typed: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        PAIRS.results({**PAIRS.typed(), **typed})


def test_shapes_are_those_of_the_source_and_the_softmax_sums_to_one() -> None:
    found = SHAPES.results(SHAPES.typed())
    assert found["first"] == ("[1×10000]", "[10000×64]", "[1×64]")
    assert found["second"] == ("[1×64]", "[64×10000]", "[1×10000]")
    for each in SHAPES.quantities:
        assert not each.said or agrees(found[each.name], each.said), each.name
    assert found["sum"] == pytest.approx(1, abs=1e-12) and found["weights"] == 1_280_000
    assert found["change"] == 0 and "exactly row 217" in SHAPES.finding(found)


def test_a_small_network_by_numpy() -> None:
    found = SHAPES.results({"entries": "7", "width": "3", "place": "2"})
    random = np.random.default_rng(0)
    table = random.normal(0, 0.3, (7, 3)).astype(np.float32)
    outputs = random.normal(0, 0.3, (3, 7)).astype(np.float32)
    scores = (table[1] @ outputs).astype(float)
    shares = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(found["row"], table[1], atol=1e-7)
    assert found["probability"] == pytest.approx(shares[1], abs=1e-6)
    with pytest.raises(BadInput, match="no word 8 among 7"):
        SHAPES.results({"entries": "7", "width": "3", "place": "8"})
