"""The quiz: its key, a reason for every mistake, and nothing that breaks it."""

import itertools

import pytest

from bertsent.ui.fine_tune.lesson_quiz import ANSWERS, OPTIONS, STAGES, count_right, grade


def test_the_key_is_that_of_the_lecture() -> None:
    assert ANSWERS == {1: "A", 2: "B", 3: "C", 4: "D"}
    marks = grade(ANSWERS)
    assert count_right(marks) == 4 and [(m.stage, m.given) for m in marks] == [
        (1, "A"),
        (2, "B"),
        (3, "C"),
        (4, "D"),
    ]


def test_every_wrong_answer_has_a_reason_of_its_own() -> None:
    wrong = [
        grade({stage: letter})[stage - 1]
        for stage in STAGES
        for letter in OPTIONS
        if ANSWERS[stage] != letter
    ]
    assert len(wrong) == 12 and not any(mark.right for mark in wrong)
    assert len({mark.why for mark in wrong}) == 12


@pytest.mark.parametrize(
    "given", [{}, dict.fromkeys(STAGES), {1: "E", 2: "", 3: "a", 4: "AB"}, {7: "A"}]
)
def test_what_is_no_answer_is_neither_right_nor_explained_away(given: dict) -> None:
    marks = grade(given)
    assert (
        count_right(marks) == 0
        and {mark.why for mark in marks} == {"Not answered."}
        and {mark.given for mark in marks} == {None}
    )


def test_the_count_is_of_the_places_that_agree_with_the_key() -> None:
    for letters in itertools.product(OPTIONS, repeat=4):
        given = dict(zip(STAGES, letters, strict=True))
        assert count_right(grade(given)) == sum(given[stage] == ANSWERS[stage] for stage in STAGES)
