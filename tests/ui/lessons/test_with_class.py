"""A lesson before a class: a step's question goes to the phones, and the player shows how the class
did, but not before the reveal.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom.rooms import open_room
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
    app = visit("7_Lessons", lesson="tiny", step="1")
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
    app = visit("7_Lessons", lesson="tiny", step="1")
    app.button(key="player_show").click().run()
    assert "The model says" in words(app) and room.look().question is None


def test_a_student_in_the_same_lab_answers_alone(
    computed: None, visit: Visit, with_shipped_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.ui.lessons import with_class

    room = open_room()
    monkeypatch.setattr(with_class, "visitor", lambda: NOBODY)
    app = visit("7_Lessons", lesson="tiny", step="1")
    keys = [str(each.key) for each in app.button]
    assert "player_option_1_0" in keys and "player_ask" not in keys and room.look().lesson is None


def test_a_room_that_closes_meanwhile_leaves_the_lesson_running(
    computed: None, visit: Visit, with_shipped_model: None
) -> None:
    room = open_room()
    app = visit("7_Lessons", lesson="tiny", step="1")
    room.close()
    app.button(key="player_ask").click().run()
    assert not app.error and not app.exception
    assert "player_option_1_0" in [str(each.key) for each in app.button]
