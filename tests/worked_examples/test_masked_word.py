"""Row 001-26: −log 0.85 = 0.16."""

import math

import pytest

from bertsent.errors import BadInput
from bertsent.worked_examples.masked_word import MASKED_WORD
from bertsent.worked_examples.worked_example import agrees


def test_what_the_source_prints_is_found() -> None:
    found = MASKED_WORD.results(MASKED_WORD.typed())
    assert found["masked"] == "The movie was [MASK]"
    assert found["loss"] == pytest.approx(0.1625, abs=1e-4)
    said = {each.name: each.said for each in MASKED_WORD.quantities}
    assert all(agrees(found[name], digits) for name, digits in said.items())
    assert MASKED_WORD.finding is not None and "10.33" in MASKED_WORD.finding(found)


def test_other_words_follow_and_a_missing_one_is_told() -> None:
    typed = MASKED_WORD.typed() | {"sentence": "It is fine", "hidden": "is", "p": "0.01"}
    found = MASKED_WORD.results(typed)
    assert (found["masked"], found["loss"]) == ("It [MASK] fine", pytest.approx(math.log(100)))
    with pytest.raises(BadInput, match="not in the sentence"):
        MASKED_WORD.results(typed | {"hidden": "was"})
