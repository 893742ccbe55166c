"""A lesson before a class: a step's question goes to the phones, and the player shows how the class
did, but not before the reveal.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom.rooms import open_room
from bertsent.lessons.catalogue import find_lesson
from bertsent.ui.shared.visitor import NOBODY
from tests.lessons.tiny import TINY
from tests.ui.conftest import words

Visit = Callable[..., AppTest]


@pytest.fixture
def computed(lab: Path) -> None:
    (lab / "lessons").mkdir()
    text = TINY.replace("focus: [answer]", "hide: [answer]\nanswer: verdict").replace(
        "What will it say?", "What will *it* say?"
    )
    text = text.replace("- [x] Negative", "- [ ] Negative", 1)
    (lab / "lessons" / "tiny.md").write_text(text, encoding="utf-8")


def test_the_class_votes_on_the_question_of_a_step(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    for student in ("ann", "ben", "cem"):
        room.join(student)
    app = visit("8_Lessons", lesson="tiny", step="1")
    shown = room.look().lesson
    assert shown is not None and (shown.lesson, shown.step) == ("tiny", 1)
    app.button(key="player_ask").click().run()
    asked = room.look().question
    assert asked is not None and not app.error
    assert asked.content.prompt == "What will it say?" and asked.content.truth == 1
    assert [answer.choice for answer in asked.content.answers] == [1]
    for student, choice in (("ann", 1), ("ben", 0), ("cem", 1)):
        room.vote(student, asked.id, choice, 0.9)
    app.run()
    assert "3 of 3" in words(app) and "2 of 3" not in words(app)
    app.button(key="player_reveal").click().run()
    assert "2 of 3" in words(app) and "The model says" in words(app)
    asked = room.look().question
    assert asked is not None and asked.revealed == 2 and asked.phase(0.0) == "revealing"
    app.button(key="player_end").click().run()
    assert room.look().lesson is None


def test_the_host_may_show_the_answer_without_a_vote(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    app = visit("8_Lessons", lesson="tiny", step="1")
    app.button(key="player_show").click().run()
    assert "The model says" in words(app) and room.look().question is None


def test_a_vote_whose_time_is_over_can_be_asked_again(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    app = visit("8_Lessons", lesson="tiny", step="1")
    app.button(key="player_ask").click().run()
    first = room.look().question
    assert first is not None and "player_again" not in [str(each.key) for each in app.button]
    room.end(first.id)
    app.run()
    app.button(key="player_again").click().run()
    state = room.look()
    assert state.question is not None and state.question.id != first.id
    assert state.questions[first.id].withdrawn and not app.exception


def test_going_on_ends_a_vote_and_a_second_window_does_not_pull_the_class_back(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    app = visit("8_Lessons", lesson="tiny", step="1")
    app.button(key="player_ask").click().run()
    second = visit("8_Lessons", lesson="tiny", step="2")
    asked, shown = room.look().question, room.look().lesson
    assert asked is not None and asked.phase(time.time()) == "ended"
    assert shown is not None and shown.step == 2
    app.run()
    second.run()
    shown = room.look().lesson
    assert shown is not None and shown.step == 2


def test_the_quiz_goes_to_the_class_one_question_at_a_time(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    room.join("ann")
    app = visit("8_Lessons", lesson="tiny", step="quiz")
    assert "player_quiz_check" not in [str(each.key) for each in app.button]
    app.button(key="player_ask").click().run()
    asked = room.look().question
    assert asked is not None and asked.content.truth is not None
    room.vote("ann", asked.id, asked.content.truth, 1.0)
    app.button(key="player_reveal").click().run()
    assert "The class was right in 1 of 1 votes" in words(app)
    app.button(key="player_next_question").click().run()
    assert "player_ask" in [str(each.key) for each in app.button] and not app.exception


def test_the_notes_follow_the_class_on_a_second_screen(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    room.show_lesson("tiny", 1)
    note = find_lesson("tiny").steps[0].notes
    assert note and note in words(visit("8_Lessons"))
    app = visit("8_Lessons", lesson="tiny", step="1", present="1")
    assert note not in words(app)


def test_a_student_in_the_same_lab_answers_alone(
    computed: None, visit: Visit, with_shipped_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.ui.lessons import with_class

    room = open_room()
    monkeypatch.setattr(with_class, "visitor", lambda: NOBODY)
    app = visit("8_Lessons", lesson="tiny", step="1")
    keys = [str(each.key) for each in app.button]
    assert "player_option_1_0" in keys and "player_ask" not in keys and room.look().lesson is None


def test_a_room_that_closes_meanwhile_leaves_the_lesson_running(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    app = visit("8_Lessons", lesson="tiny", step="1")
    room.close()
    app.button(key="player_ask").click().run()
    assert not app.error and not app.exception
    assert "player_option_1_0" in [str(each.key) for each in app.button]
