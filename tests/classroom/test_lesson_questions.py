"""A step of a lesson asks the class, and finds what the class said."""

import pytest

from bertsent.classroom.lesson_questions import (
    ask_class,
    asked_in_lesson,
    graded_in_lesson,
    question_at,
    score_in_lesson,
)
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import open_room
from bertsent.errors import NotAvailable
from bertsent.lessons.lesson import Lesson, LessonQuestion, Step


def test_a_step_finds_what_the_class_said_to_it(lab):
    room = open_room()
    asked = LessonQuestion("Which?", ("one", "two"), 1, "Because.")
    first = ask_class(room, "puzzle", 2, asked)
    second = ask_class(room, "puzzle", 2, asked, right=0, answers=[Answer("BERT", 0, 0.9)])
    ask_class(room, "puzzle", 3, asked)
    state = room.look()
    assert asked_in_lesson(state, "puzzle", 2).id == second
    assert state.questions[first].content.truth == 1
    assert state.questions[second].content.truth == 0
    room.withdraw(second)
    assert asked_in_lesson(room.look(), "puzzle", 2).id == first
    assert asked_in_lesson(room.look(), "bias", 2) is None


def test_a_question_about_a_run_waits_for_its_end(lab):
    room = open_room()
    name = room.ask(Question("curves", "When?", ("1", "2"), 60, run="calm-owl"))
    with pytest.raises(NotAvailable, match="still trains"):
        room.reveal(name)
    room.settle(name, [Answer("calm-owl", 1)], 1)
    room.settle(name, [Answer("calm-owl", 0)], 0)  # it has its answer
    content = room.look().questions[name].content
    assert content.truth == 1 and content.answers == (Answer("calm-owl", 1),)
    assert room.reveal(name) == 1 and room.reveal(name) == 2


def test_the_questions_of_the_quiz_go_on_behind_the_steps():
    asks, silent = Step("a", "", "Probe", question=question("1")), Step("b", "", "Probe")
    lesson = Lesson("puzzle", "", "", 9, (), (asks, silent), quiz=(question("2"), question("3")))
    found = [question_at(lesson, number) for number in range(6)]
    assert [each and each.text for each in found] == [None, "1", None, "2", "3", None]


def test_a_member_is_graded_on_what_is_known_to_all(lab):
    room = open_room()
    for visitor in ("ann", "ben"):
        room.join(visitor)
    for step, name in ((1, "puzzle"), (2, "puzzle"), (3, "puzzle"), (1, "bias")):
        asked = ask_class(room, name, step, question("Which?"))
        room.vote("ann", asked, 1, 0.9)
        if step == 1:
            room.vote("ben", asked, 0, 0.9)
        if step != 3:
            room.reveal(asked)
    state = room.look()
    assert [each.content.step for each in graded_in_lesson(state, "puzzle")] == [1, 2]
    assert score_in_lesson(state, "puzzle", room.member("ann")) == (2, 2)
    assert score_in_lesson(state, "puzzle", room.member("ben")) == (0, 2)


def test_the_time_of_a_lesson_begins_with_its_first_step(lab):
    room = open_room()
    room.show_lesson("puzzle", 1)
    began = room.look().lesson_began
    room.show_lesson("puzzle", 2)
    assert began and room.look().lesson_began == began
    room.show_lesson("bias", 1)
    assert room.look().lesson_began > began


def question(text):
    return LessonQuestion(text, ("one", "two"), 1, "Because.")
