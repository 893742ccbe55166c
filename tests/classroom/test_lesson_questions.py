"""A step of a lesson asks the class, and finds what the class said."""

import pytest

from bertsent.classroom.lesson_questions import ask_class, asked_in_lesson
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import open_room
from bertsent.errors import NotAvailable
from bertsent.lessons.lesson import LessonQuestion


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
