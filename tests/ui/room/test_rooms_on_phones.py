"""A class on phones, over real connections."""

import gzip
import http.client
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from bertsent.classroom.rooms import delete_room
from bertsent.ui.room import watcher
from bertsent.ui.room.room_link import room_link
from tests.conftest import wait_until
from tests.ui.room.conftest import QUESTION
from tests.ui.room.phone import Phone, secret


def test_a_vote_is_told_to_the_class_as_a_number_and_revealed_at_once(phone, room):
    ann, bo = phone().join("Ann"), phone().join("Bo")
    with ann.listen() as news:
        assert next(news)["room"]["members"] == 2
        question = room.ask(QUESTION)
        asked = heard(news, lambda told: told["question"])["question"]
        assert asked["options"] == ["Negative", "Positive"] and asked["ends"] > time.time()
        status, content = bo.vote(question, 1, 0.9)
        assert status == 200 and content["room"]["vote"]["choice"] == 1
        assert heard(news, lambda told: told["question"]["voted"])["vote"] is None
        room.reveal(question)
        assert heard(news, lambda told: told["question"]["reveal"])


def heard(news, condition):
    """The room as the stream tells it once that is so."""
    return next(told["room"] for told in news if "room" in told and condition(told["room"]))


def test_a_phone_that_joins_while_others_listen_is_told_that_it_is_in(phone, room):
    """The stream once knew the room as it was before this phone came in, and sent it out."""
    ann = phone().join("Ann")
    with ann.listen() as news:
        next(news)
        for _ in range(3):
            with phone().join().listen() as own:
                assert next(own)["room"]["joined"]


def test_two_hundred_votes_in_a_moment_count_once_each(phone, room, monkeypatch):
    phones = [phone(cookie=secret(n)) for n in range(200)]
    with ThreadPoolExecutor(16) as people:
        list(people.map(Phone.join, phones))
        question = room.ask(QUESTION)
        answers = list(people.map(lambda each: each.vote(question), phones * 2))
    assert {status for status, _ in answers} == {200}
    assert len(room.look().question.votes) == 200


def test_one_watcher_looks_for_all_and_rests_when_nobody_listens(phone, room, monkeypatch):
    looks = []
    monkeypatch.setattr(
        watcher.Watcher, "_read", counted(watcher.Watcher._read, looks), raising=True
    )
    lines = [phone().join().listen() for _ in range(5)]
    for line in lines:
        next(line.__enter__())
    before = len(looks)
    time.sleep(1.0)
    assert len(looks) - before <= 5, "one look each quarter of a second, not one for each phone"
    for line in lines:
        line.__exit__(None, None, None)
    room.join("somebody")  # a stream learns that its phone has gone when it has something to say
    room.ask(QUESTION)
    wait_until(lambda: quiet(looks), 20)


def counted(function, calls):
    def counting(self):
        calls.append(1)
        return function(self)

    return counting


def quiet(calls) -> bool:
    before = len(calls)
    time.sleep(0.6)
    return len(calls) == before


def test_a_deleted_room_ends_its_streams(phone, room):
    ann = phone().join()
    with ann.listen() as news:
        next(news)
        delete_room(room)
        assert list(news) == []
    assert ann.ask("state")[0] == 410


def test_who_is_sent_out_is_told_at_once(phone, room):
    ann = phone().join()
    with ann.listen() as news:
        next(news)
        for member in room.look().members:
            room.remove(member)
        assert heard(news, lambda told: not told["joined"])["removed"]
    assert ann.ask("join", {"nickname": "Ann"})[0] == 403


def test_a_vote_that_waited_for_wifi_counts_until_the_reveal(phone, room):
    ann, bo = phone().join(), phone().join()
    question = room.ask(QUESTION)
    room.end(question)
    assert ann.vote(question)[0] == 410
    assert ann.vote(question, waited=30.0)[0] == 200
    room.reveal(question)
    assert bo.vote(question, waited=30.0)[0] == 410


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"nothing",
        b"[" * 15_000,
        b'{"question": 3}',
        b'{"question": "q1", "choice": "x"}',
        b'{"question": "q1", "choice": 0.5, "confidence": 0.5}',
        b'{"question": "q1", "choice": 1e400, "confidence": NaN}',
        b'{"question": "q1", "choice": 0, "confidence": NaN}',
        b'{"question": "q1", "choice": 0, "confidence": 0.5, "waited": Infinity}',
        b'{"question": "\\ud800", "choice": 0, "confidence": 0.5}',
        b"x" * 50_000,
    ],
)
def test_what_is_no_vote_is_refused_in_words(phone, room, body):
    ann = phone().join()
    room.ask(QUESTION)
    status, content = ann.ask("vote", body or b" ")
    assert status in (400, 410) and content["error"].endswith(".")
    assert not room.look().question.votes


def test_the_page_and_all_it_loads_are_small(port):
    sizes, plain = [], 0
    for path in ("/room/ABCDE", "/room/files/phone.css", "/room/files/phone.js"):
        line = http.client.HTTPConnection("127.0.0.1", port)
        line.request("GET", path, headers={"accept-encoding": "gzip"})
        body = line.getresponse().read()
        sizes.append(len(body))
        plain += len(gzip.decompress(body))
    assert plain <= 32_000 and sum(sizes) <= 10_000


def test_the_link_leads_a_phone_to_the_address_that_it_can_reach(monkeypatch):
    monkeypatch.setattr("bertsent.ui.room.room_link.own_address", lambda: "192.0.2.5")
    for headers, link in (
        ({"host": "localhost:8501"}, "http://192.0.2.5:8501/room/ABCDE"),
        ({"host": "127.0.0.1:8501"}, "http://192.0.2.5:8501/room/ABCDE"),
        ({"host": "192.0.2.1:8501"}, "http://192.0.2.1:8501/room/ABCDE"),
        ({"host": "[2001:db8::1]:8501"}, "http://[2001:db8::1]:8501/room/ABCDE"),
        (
            {"host": "127.0.0.1:8501", "origin": "https://lab.example.org"},
            "https://lab.example.org/room/ABCDE",
        ),
    ):
        assert room_link("ABCDE", headers) == link
