"""The alignment against a longest common subsequence worked out by brute force, and the properties
that a reader relies on.
"""

import random
from functools import cache

import pytest

from bertsent.probing.pairs.alignment import AlignmentRow, align, words_of


def longest(first, second):
    """Length of a longest common subsequence, straight from its definition."""

    @cache
    def best(i, j):
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + best(i + 1, j + 1)
        return max(best(i + 1, j), best(i, j + 1))

    return best(0, 0)


def drawn(seed):
    chance = random.Random(seed)
    return [[chance.choice("abcd") for _ in range(chance.randrange(9))] for _ in range(2)]


@pytest.mark.parametrize("seed", range(60))
def test_every_unchanged_word_is_covered_and_every_word_comes_once(seed):
    first, second = drawn(seed)
    steps = align(first, second)
    assert [s.first for s in steps if s.first is not None] == list(range(len(first)))
    assert [s.second for s in steps if s.second is not None] == list(range(len(second)))
    same = [s for s in steps if s.kind == "same"]
    assert all(first[s.first] == second[s.second] for s in same) and len(same) == longest(
        tuple(first), tuple(second)
    )
    for s in steps:
        assert s.kind == {(True, False): "removed", (False, True): "added"}.get(
            (s.second is None, s.first is None), s.kind
        )


@pytest.mark.parametrize("seed", range(60))
def test_swapping_the_texts_swaps_the_columns(seed):
    first, second = drawn(seed)
    turned = {"removed": "added", "added": "removed"}
    expected = tuple(
        AlignmentRow(s.second, s.first, turned.get(s.kind, s.kind)) for s in align(first, second)
    )
    assert align(second, first) == expected


def test_not_bad_beside_bad():
    first, second = (words_of(text) for text in ("This is not a bad film", "This is a bad film"))
    steps = align([w.text for w in first], [w.text for w in second])
    assert [s.kind for s in steps] == ["same", "same", "removed", "same", "same", "same"]


def test_equal_texts_stay_and_empty_ones_come_or_go():
    assert {s.kind for s in align(list("aba"), list("aba"))} == {"same"}
    assert [s.kind for s in align([], ["a", "b"])] == ["added", "added"] and align([], []) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Great, another boring movie", ["Great", ",", "another", "boring", "movie"]),
        ("isn't a well-made “film”!", ["isn't", "a", "well-made", "“", "film", "”", "!"]),
        ("  ", []),
        ("😀 good_film", ["😀", "good", "_", "film"]),
    ],
)
def test_words_are_those_a_person_sees(text, found):
    words = words_of(text)
    assert [w.text for w in words] == found and all(text[w.start : w.end] == w.text for w in words)


def test_five_thousand_words_are_aligned():
    first, second = ["a", "b"] * 1200, ["b", "a", "c"] * 800
    assert len([s for s in align(first, second) if s.kind == "same"]) >= 1600
