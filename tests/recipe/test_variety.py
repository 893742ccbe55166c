"""How varied texts are, by hand."""

import pytest

from bertsent.recipe.variety import variety, variety_lines


def test_words_endings_beginnings_and_lengths_by_hand() -> None:
    found = variety(["A good film.", "a good film 😭", "So it goes on and on", "never!"])
    assert (found["n"], found["tokens"], found["types"]) == (4, 13, 9)
    assert found["unended"] == pytest.approx(0.5)
    assert found["openings"] == pytest.approx(0.75)
    assert (found["shorter"], found["longer"]) == (2.5, 3.75)


def test_the_table_has_a_row_a_set(data) -> None:
    head, _, *rows = variety_lines(data)
    assert {row.count("|") for row in (head, *rows)} == {7}
    assert [row.split("|")[1].strip() for row in rows[:3]] == [
        "built-in reviews",
        "one-liners",
        "register",
    ]
