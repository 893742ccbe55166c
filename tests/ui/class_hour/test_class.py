"""A teacher's hour: opens a room, asks, reveals, and looks at the numbers."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import all_rooms, open_room
from bertsent.training.runs import admission
from bertsent.ui.class_hour import vote_sentence
from bertsent.ui.fine_tune import all_runs
from tests.classroom.test_questions import classifier
from tests.security.conftest import ANN, BEN
from tests.ui.conftest import words

CLASS = "7_Class"
Visit, Looks = Callable[..., AppTest], Callable[..., None]
LABELS = ("NEGATIVE", "POSITIVE")
QUESTION = Question(
    "sentence", "Which?", LABELS, 60, "A film", answers=(Answer("LR", 1, 0.9),), truth=0
)


def press(app: AppTest, key: str) -> AppTest:
    return next(b for b in app.button if b.key == key).click().run()


def html(app: AppTest) -> str:
    assert not app.exception
    return "".join(str(each.proto) for each in app.get("html"))


@pytest.fixture
def host(looks: Looks) -> None:
    looks("d" * 64, host=True)


def test_a_room_is_opened_closed_and_deleted(visit: Visit, host: None) -> None:
    app = visit(CLASS)
    assert not app.exception and "A room is where a class meets" in words(app)
    app.text_input(key="room_title_first").set_value("Year <b>11</b>")
    app = press(app, "room_open_first")
    (room,) = all_rooms()
    assert room.code in html(app) and room.look().title == "Year <b>11</b>"
    room.join(ANN, "<i>Ann</i>")
    app.run()
    assert "&lt;i&gt;Ann" in html(app) and "<i>Ann" not in html(app)
    app.segmented_control(key=f"training_{room.code}").set_value("nobody").run()
    assert room.look().rules.training == "nobody"
    press(app, "room_send")
    assert not room.look().members
    press(app, "room_close")
    assert room.look().closed
    app = press(app.run(), "room_delete")
    assert not all_rooms() and "is deleted" in "".join(i.value for i in app.info)


def test_several_rooms_are_told_apart(visit: Visit, host: None, lab) -> None:
    first, second = open_room("One"), open_room("Two")
    app = visit(CLASS, room=first.code)
    assert first.code in html(app) and second.code not in html(app)


def test_a_member_finds_the_own_room_and_others_the_way_into_one(
    visit: Visit, looks: Looks, lab
) -> None:
    room = open_room("Year 11")
    room.join(ANN, "Ann")
    looks(ANN)
    assert "you are Ann" in words(visit(CLASS))
    looks(BEN)
    app = visit(CLASS)
    assert "you are" not in words(app)
    ways = [link.proto.url for link in app.get("link_button")]
    assert ways == ["/room", "/host"]


def test_answers_are_turned_over_one_by_one(visit: Visit, host: None, lab) -> None:
    room = open_room()
    for member in (ANN, BEN):
        room.join(member)
    name = room.ask(QUESTION)
    room.vote(ANN, name, 0, 0.9)
    room.vote(BEN, name, 1, 0.9)
    app = visit(CLASS, **{"class": "Vote"})
    assert "2 of 2 have voted" in html(app)
    app = press(app, "vote_end")
    assert "The vote is over" in html(app)
    for count in (1, 2):
        app = press(app, "vote_reveal_next")
        assert room.look().questions[name].revealed == count
    said = words(app).replace("\\", "")
    assert "Right is “NEGATIVE”" in said and "and wrong: 1 of 2 votes; LR." in said
    assert "calibration error" in said and len(app.dataframe) == 1  # a tie agrees with nobody
    app = press(app, "vote_withdraw")
    assert room.look().question is None


def test_a_sentence_is_asked_with_the_models_that_are_there(
    visit: Visit, host: None, lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No model ships here: who cannot answer is named, and the others do."""
    room = open_room()
    found = classifier("BOW + SVM", {"A film": 0.7})
    monkeypatch.setattr(vote_sentence, "_baselines", lambda learned: [found])
    app = visit(CLASS, **{"class": "Vote"})
    assert "No model that classifies" in app.error[0].value
    assert next(b for b in app.button if b.key == "vote_ask").disabled
    app.text_input(key="vote_text").set_value("A film").run()
    app = press(app, "vote_ask")
    assert [a.name for a in room.look().question.content.answers] == ["BOW + SVM"]
    assert "0 of 0 have voted" in html(app) and "BOW" not in html(app) + words(app)


def test_a_waiting_run_shows_its_place_and_time(
    running, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"status": "queued"}
    monkeypatch.setattr(all_runs, "run_row", lambda run: dict(row))
    monkeypatch.setattr(all_runs, "queue_position", lambda folder: 2)
    monkeypatch.setattr(admission, "starts_in", lambda run: 130.0)
    assert all_runs._row_of_live(running)["status"].startswith("queued, 2 ahead, starts in about 2")
