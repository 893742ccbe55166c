"""A room's rules hold for who follows it, however the press of a button or the address comes in."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom import rooms
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import all_rooms, open_room
from bertsent.errors import NotAllowed
from bertsent.training.runs.expected import Expected
from bertsent.ui.class_hour import opening
from bertsent.ui.fine_tune import run_buttons
from bertsent.ui.shared import rights
from bertsent.ui.shared.visitor import Visitor
from tests.security.conftest import ANN, BEN, forged, owned
from tests.ui.conftest import words
from tests.ui.fine_tune.test_run import PAGE, button

Visit, Looks = Callable[..., AppTest], Callable[..., None]
CLASS = "7_Class"


@pytest.fixture
def room(lab) -> Room:
    room = open_room()
    room.join(ANN, "Ann")
    return room


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    started: list[str] = []
    monkeypatch.setattr(run_buttons, "launch", lambda run: started.append(run.id))
    return started


def test_only_the_host_rules_a_room(
    room: Room, looks: Looks, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks(ANN)
    app = visit(CLASS)
    assert not app.exception and not any(b.key.startswith("room_") for b in app.button if b.key)
    said: list[str] = []
    monkeypatch.setattr(opening, "say", said.append)
    monkeypatch.setattr(opening, "visitor", lambda: Visitor(ANN, host=False))
    for act in (room.close, lambda: room.rule("nobody"), lambda: rooms.delete_room(room)):
        opening.do(act)
    assert len(said) == 3 and all("Only the host" in each for each in said)
    assert room in all_rooms() and not room.look().closed
    assert room.look().rules.training == "everyone"


def test_frozen_training_is_refused_with_the_reason(
    room: Room, crashed, visit: Visit, looks: Looks, launched: list[str]
) -> None:
    owned(crashed, ANN)
    room.rule("nobody")
    looks(ANN)
    app = visit(PAGE)
    forged(button(app, f"resume-{crashed.id}")).click().run()
    assert launched == [] and "stopped training" in words(app)
    looks(ANN, host=True)
    button(visit(PAGE), f"resume-{crashed.id}").click().run()
    assert launched == [crashed.id]


def allowed(who: str, monkeypatch: pytest.MonkeyPatch, *, host: bool = False) -> str:
    """Why that visitor may not start a run; empty where nothing speaks against it."""
    monkeypatch.setattr(rights, "visitor", lambda: Visitor(who, host))
    return rights.why_not_start(Expected(seconds=1.0, memory=1))


def test_chosen_members_may_train(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.join(BEN, "Ben")
    room.rule("chosen", trainers=[room.member(BEN)])
    assert "only some of the class" in allowed(ANN, monkeypatch)
    assert allowed(BEN, monkeypatch) == "" == allowed(ANN, monkeypatch, host=True)
    room.rule("everyone")
    assert allowed(ANN, monkeypatch) == ""


def test_not_joining_is_no_way_around(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    assert allowed(BEN, monkeypatch) == ""
    room.rule("nobody")
    assert "A class is using this lab" in allowed(BEN, monkeypatch)
    other = open_room()
    other.join(BEN, "Ben")
    assert allowed(BEN, monkeypatch) == ""  # a member follows the own room
    room.close()
    assert allowed("c" * 64, monkeypatch) == ""


def test_hidden_pages_are_hidden_by_address_too(room: Room, visit: Visit, looks: Looks) -> None:
    room.rule("everyone", hidden_pages=["Probe", "Home"])
    for who in (ANN, BEN):
        looks(who)
        app = visit("3_Probe")
        assert not app.exception and "hidden Probe" in words(app)
        assert not app.get("segmented_control") and not app.get("button_group")
        assert "hidden" not in words(visit("1_Home"))
    looks(ANN, host=True)
    assert "hidden Probe" not in words(visit("3_Probe"))


def test_nothing_is_given_away_before_the_reveal(room: Room, visit: Visit, looks: Looks) -> None:
    """F12: two votes are a count for the teacher; a student's page holds no model's answer."""
    room.join(BEN, "Ben")
    answers = (Answer("TF-IDF + LR", 1, 0.876), Answer("BERT: tiny", 0, 0.987))
    labels = ("NEGATIVE", "POSITIVE")
    name = room.ask(Question("sentence", "Which?", labels, 60, "A film", answers=answers, truth=0))
    room.vote(ANN, name, 1, 0.9)
    room.vote(BEN, name, 0, 0.6)
    looks("c" * 64, host=True)
    teacher = everything(visit(CLASS, **{"class": "Vote"}))
    assert "2 of 2 have voted" in teacher
    looks(ANN)
    student = everything(visit(CLASS))
    for page in (teacher, student):
        assert "A film" in page
        for secret in ("TF-IDF", "BERT: tiny", "876", "987", "NEGATIVE", "POSITIVE", "90 %"):
            assert secret not in page
    room.reveal(name, 2)
    student = everything(visit(CLASS))
    assert "88 %" in student and "BERT: tiny" not in student and "wrong" not in student
    room.reveal(name, 3)
    student = everything(visit(CLASS))
    assert (
        "BERT: tiny: NEGATIVE (99 %)" in student and "Sure (at least 80 %) and wrong: 1" in student
    )


def everything(app: AppTest) -> str:
    """All that the server sent for the page."""
    assert not app.exception
    return (words(app) + "".join(str(each.proto) for each in app.get("html"))).replace("\\", "")


def test_a_lab_without_rooms_reads_no_folder(lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs one stat, and nothing is refused."""
    monkeypatch.setattr(rooms, "all_rooms", lambda: pytest.fail("a folder was read"))
    assert allowed(ANN, monkeypatch) == "" and rights.pages_not_shown() == frozenset()
    with pytest.raises(NotAllowed):
        monkeypatch.setattr(opening, "visitor", lambda: Visitor(ANN, host=False))
        opening.check_host()
