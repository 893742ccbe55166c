"""A room on disk: who joins, who votes, what counts."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import (
    all_rooms,
    delete_expired_rooms,
    delete_room,
    find_room,
    open_room,
    open_rooms,
    rooms_folder,
)
from bertsent.errors import BadInput, Busy, NotAllowed, NotAvailable

QUESTION = Question(
    "sentence",
    "What will BERT say?",
    ("Negative", "Positive"),
    60,
    text="Great, another boring movie",
    answers=(Answer("BOW + SVM", 1, 0.9), Answer("BERT", 0, 0.98)),
    truth=0,
)


@pytest.fixture
def room(lab):
    return open_room("Year 11")


def test_a_lab_without_rooms_has_none_and_makes_no_folder(lab):
    assert open_rooms() == [] and not rooms_folder().exists()


def test_a_room_is_found_by_its_code_however_it_is_typed(room):
    assert find_room(f" {room.code[:2].lower()}-{room.code[2:].lower()} ") is room
    for wrong in ("", "AAAA", "../..", "A" * 10_000, "ABCD0"):
        with pytest.raises(NotAvailable, match="no room"):
            find_room(wrong)


def test_another_process_reads_what_this_one_wrote(room):
    room.join("a", "Ann")
    question = room.ask(QUESTION)
    room.vote("a", question, 0, 0.8)
    other = Room(room.folder).look()
    assert other == room.look()
    assert other.question.content == QUESTION
    assert {(v.choice, v.confidence) for v in other.question.votes.values()} == {(0, 0.8)}


def test_what_is_kept_tells_nobody_who_it_was(room):
    room.join("a" * 64, "Ann")
    assert b"a" * 64 not in room.log.path.read_bytes()
    assert room.member("a" * 64) != open_room().member("a" * 64)


def test_two_of_the_same_name_are_told_apart_and_a_random_animal_is_given(room):
    assert room.join("a", "  Ann\n") == "Ann"
    with pytest.raises(BadInput, match="“ann 2” is free"):
        room.join("b", "ann")
    animals = {room.join(str(n)) for n in range(50)}
    assert len(animals) == 50 and all(animal[0].isupper() for animal in animals)


def test_who_comes_back_keeps_the_name_and_may_change_it(room):
    room.join("a", "Ann")
    assert room.join("a") == room.join("a", "Ann") == "Ann"
    assert room.join("a", "Anna") == "Anna"
    assert list(room.look().members.values()) == ["Anna"]


@pytest.mark.parametrize("name", ["x" * 10_000, "x" * 25])
def test_a_nickname_of_many_characters_is_refused(room, name):
    with pytest.raises(BadInput, match="at most 24"):
        room.join("a", name)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("<b>Ann</b>", "<b>Ann</b>"),  # markup is a text like any other, and drawn as one
        ("A\u202enn", "A nn"),
        ("Zoë\u0000\u200b", "Zoë"),
        ("Ａｎｎ", "Ann"),
    ],
)
def test_a_nickname_is_one_line_of_signs_that_are_seen(room, typed, shown):
    assert room.join("a", typed) == shown


def test_a_password_is_asked_once(lab):
    room = open_room(password="otter")
    with pytest.raises(NotAllowed, match="not the password"):
        room.join("a", "Ann", "Otter")
    room.join("a", "Ann", "otter")
    assert room.join("a") == "Ann"
    assert b"otter" not in room.log.path.read_bytes()


def test_who_was_sent_out_stays_out(room):
    room.join("a", "Ann")
    room.remove(room.member("a"))
    assert not room.look().members
    with pytest.raises(NotAllowed, match="sent out"):
        room.join("a", "Ann")


def test_five_hundred_join_at_once(room):
    with ThreadPoolExecutor(16) as people:
        names = list(people.map(lambda n: room.join(f"visitor {n}"), range(500)))
    assert len(set(names)) == len(room.look().members) == 500


def test_a_full_room_says_so(room, monkeypatch):
    monkeypatch.setattr("bertsent.classroom.room.MOST_MEMBERS", 1)
    room.join("a")
    assert room.join("a")
    with pytest.raises(Busy, match="full"):
        room.join("b")


def test_a_vote_counts_once_and_stays_as_it_is(room):
    room.join("a")
    question = room.ask(QUESTION)
    for _ in range(3):  # the Wi-Fi came back and the phone was not sure
        room.vote("a", question, 1, 0.7)
    with pytest.raises(NotAllowed, match="already"):
        room.vote("a", question, 0, 0.7)
    assert len(room.look().question.votes) == 1


@pytest.mark.parametrize(
    ("choice", "confidence"), [(-1, 0.5), (2, 0.5), (0, -0.1), (0, 1.1), (0, float("nan"))]
)
def test_a_vote_for_nothing_is_refused(room, choice, confidence):
    room.join("a")
    question = room.ask(QUESTION)
    with pytest.raises(BadInput):
        room.vote("a", question, choice, confidence)


def test_a_stranger_does_not_vote_and_a_lost_question_says_so(room):
    question = room.ask(QUESTION)
    with pytest.raises(NotAllowed, match="not in this room"):
        room.vote("a", question, 0, 0.5)
    room.join("a")
    room.withdraw(question)
    for gone in (question, "q9", ""):
        with pytest.raises(NotAvailable, match="gone"):
            room.vote("a", gone, 0, 0.5)
    assert room.look().question is None


def test_a_vote_after_the_end_is_refused_but_one_that_waited_for_wifi_counts(room):
    room.join("a")
    room.join("b")
    question = room.ask(QUESTION)
    room.end(question)
    with pytest.raises(NotAvailable, match="over"):
        room.vote("a", question, 0, 0.5)
    room.vote("a", question, 0, 0.5, waited=30.0)
    room.reveal(question)
    with pytest.raises(NotAvailable, match="over"):
        room.vote("b", question, 0, 0.5, waited=30.0)


def test_the_next_question_ends_the_one_before(room):
    first = room.ask(QUESTION)
    room.ask(QUESTION)
    assert room.look().questions[first].phase(time.time()) == "ended"


def test_the_reveal_goes_answer_by_answer_and_stops_at_the_last(room):
    question = room.ask(QUESTION)
    assert [room.reveal(question) for _ in range(5)] == [1, 2, 3, 3, 3]
    assert room.look().question.phase(time.time()) == "revealing"


def test_a_closed_room_can_be_read_and_not_changed(room):
    room.join("a", "Ann")
    question = room.ask(QUESTION)
    room.close()
    assert open_rooms() == [] and all_rooms() == [room]
    for act in (
        lambda: room.join("b"),
        lambda: room.vote("a", question, 0, 0.5),
        lambda: room.ask(QUESTION),
        room.close,
    ):
        with pytest.raises(NotAvailable, match="closed"):
            act()
    assert room.look().members


def test_a_deleted_room_is_gone_for_everybody(room):
    other = Room(room.folder)
    delete_room(room)
    delete_room(room)
    assert list(rooms_folder().iterdir()) == []
    for gone in (room, other):
        for act in (gone.look, lambda gone=gone: gone.join("a")):
            with pytest.raises(NotAvailable):
                act()
    assert list(rooms_folder().iterdir()) == [], "nothing was made again"


def test_a_room_is_deleted_when_its_time_is_over(lab):
    room = open_room(hours=0.2 / 3600)
    time.sleep(0.25)
    with pytest.raises(NotAvailable, match="closed"):
        find_room(room.code)
    delete_expired_rooms()
    assert not room.folder.exists()


def test_a_line_torn_by_a_crash_costs_that_line_alone(room):
    room.join("a", "Ann")
    with room.log.path.open("ab") as file:
        file.write(b'{"event": "joined", "mem')
    again = Room(room.folder)
    again.join("b", "Bo")
    assert set(again.look().members.values()) == {"Ann", "Bo"}
    assert Room(room.folder).look() == again.look()


VOTES = """
import sys
from bertsent.classroom.rooms import find_room
room = find_room(sys.argv[1])
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    room.join(str(n)); room.vote(str(n), "q1", n % 2, 0.5)
"""


def test_two_processes_count_every_vote_once(room):
    room.ask(QUESTION)
    ranges = [("0", "60"), ("40", "100")]
    workers = [
        subprocess.Popen([sys.executable, "-c", VOTES, room.code, *r], env=dict(os.environ))
        for r in ranges
    ]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert len(room.look().question.votes) == 100
    assert len(room.log.path.read_text().splitlines()) == 2 + 200


@pytest.mark.parametrize("hours", [0, -1, 10_000, float("nan")])
def test_a_room_is_kept_for_a_bounded_time(lab, hours):
    with pytest.raises(BadInput, match="30 days"):
        open_room(hours=hours)
