"""The quiz: its key, a reason for every answer, and nothing that breaks it."""

import itertools

import pytest

from bertsent.ui.fine_tune.lesson_quiz import (
    ANSWERS,
    CONCLUSION,
    OPTIONS,
    REASONS,
    STAGES,
    count_right,
    marks,
)


def test_the_key_is_that_of_the_lecture() -> None:
    assert ANSWERS == {1: "A", 2: "B", 3: "C", 4: "D"}
    assert count_right(ANSWERS) == 4 and CONCLUSION in marks(ANSWERS)


def test_every_answer_has_a_reason_of_its_own() -> None:
    assert set(REASONS) == {f"{stage}{letter}" for stage in STAGES for letter in OPTIONS}
    assert len(set(REASONS.values())) == 16
    for stage, letter in itertools.product(STAGES, OPTIONS):
        verdict = "right" if ANSWERS[stage] == letter else "wrong"
        assert f"**{stage}-{letter}** is {verdict}. " in marks({stage: letter})


@pytest.mark.parametrize(
    "given", [{}, dict.fromkeys(STAGES), {1: "E", 2: "", 3: "a", 4: "AB"}, {7: "A"}]
)
def test_anything_else_counts_as_not_answered(given: dict) -> None:
    assert count_right(given) == 0 and marks(given).count("Not answered.") == 4


def test_the_count_is_of_the_stages_that_agree_with_the_key() -> None:
    for letters in itertools.product(OPTIONS, repeat=4):
        given = dict(zip(STAGES, letters, strict=True))
        assert count_right(given) == sum(given[stage] == ANSWERS[stage] for stage in STAGES)
