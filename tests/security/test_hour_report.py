"""The report of an hour is the host's, names nobody by itself, and holds what was revealed."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import open_room
from bertsent.ui.class_hour.report import NAMES, _file
from tests.security.conftest import ANN, BEN
from tests.ui.conftest import words

Visit, Looks = Callable[..., AppTest], Callable[..., None]
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture
def room(lab: object) -> Room:
    """Ann and Ben vote on two sentences, of which one is revealed."""
    found = open_room(MARKUP)
    found.join(ANN, f"Ann {MARKUP[:10]}")
    found.join(BEN, "Benjamin")
    for text in (f"Seen {MARKUP}", "Secret sentence"):
        labels = ("NEGATIVE", "POSITIVE")
        asked = Question("sentence", MARKUP, labels, 60, text, answers=(Answer("LR", 1, 0.9),))
        name = found.ask(asked)
        found.vote(ANN, name, 1, 0.8)
        if "Seen" in text:
            found.reveal(name, 2)
    return found


def test_only_the_host_sees_it(room: Room, visit: Visit, looks: Looks) -> None:
    looks(ANN)
    shown = visit("7_Class", **{"class": "Report"})
    assert not shown.exception and "1 question" not in words(shown)
    assert not [b for b in shown.get("download_button")]
    looks(ANN, host=True)
    shown = visit("7_Class", **{"class": "Report"})
    assert not shown.exception and not shown.error
    assert "2 students, 1 question, 1 vote" in words(shown)


def test_nobody_is_named_unless_the_host_asks_for_it(
    room: Room, visit: Visit, looks: Looks
) -> None:
    looks(ANN, host=True)
    shown = visit("7_Class", **{"class": "Report"})
    assert shown.toggle(key=NAMES).value is False
    for names in (False, True):
        page = _file(room, names, None, "").decode()
        for secret in (ANN, BEN, room.member(ANN), room.member(BEN)):
            assert secret not in page
        assert names or "Benjamin" not in page


def test_what_waits_is_left_out_and_markup_is_text(room: Room) -> None:
    page = _file(room, False, None, "https://lab.example.org").decode()
    assert "Seen" in page and "Secret sentence" not in page
    assert MARKUP not in page and "&lt;img src=x onerror" in page
