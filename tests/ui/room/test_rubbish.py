"""What a phone should not send: it is said, and nobody else notices."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from bertsent.classroom.room import MOST_MEMBERS
from bertsent.ui.host_key import host_token
from bertsent.ui.room import rooms_on_phones
from bertsent.ui.visitors import SECRET
from tests.conftest import wait_until
from tests.ui.room.conftest import QUESTION
from tests.ui.room.phone import Phone, secret


@pytest.mark.parametrize(
    ("nickname", "known_as"),
    [
        ("x" * 10_000, None),
        ("<script>alert(1)</script>", None),  # 25 characters, one too many
        ("<b>Ann</b>", "<b>Ann</b>"),  # it is text wherever it is shown
        ("[Ann](http://x)", "[Ann](http://x)"),
        ("  Ann\u200b\n\tLee  ", "Ann Lee"),
    ],
)
def test_a_strange_nickname_is_refused_or_is_text(phone, room, nickname, known_as):
    ann = phone()
    ann.ask("state")
    status, told = ann.ask("join", {"nickname": nickname})
    assert status == (200 if known_as else 400)
    assert list(room.look().members.values()) == ([known_as] if known_as else [])
    if not known_as:
        assert told["error"] == "A nickname has at most 24 characters. Choose a shorter one."


def test_two_of_one_name_are_told_apart(phone, room):
    phone().join("Ann")
    other = phone()
    other.ask("state")
    status, told = other.ask("join", {"nickname": "aNN"})
    assert status == 400 and "“aNN 2” is free" in told["error"]
    other.join("aNN 2")
    assert sorted(room.look().members.values()) == ["Ann", "aNN 2"]


def test_votes_out_of_turn_are_said_and_change_nothing(phone, room):
    ann, bo = phone().join(), phone().join()
    question = room.ask(QUESTION)
    assert ann.vote(question, 0, 0.9)[0] == 200
    assert ann.vote(question, 0, 0.9)[0] == 200, "the same one sent again"
    twice = ann.vote(question, 1, 0.9)
    room.end(question)
    late = bo.vote(question)
    room.withdraw(question)
    gone, never = bo.vote(question), bo.vote("q77")
    assert [status for status, _ in (twice, late, gone, never)] == [403, 410, 410, 410]
    assert [told["error"].partition(".")[0] for _, told in (twice, late, gone, never)] == [
        "You have voted already",
        "The time to vote on this is over",
        "That question is gone",
        "That question is gone",
    ]
    votes = room.look().questions[question].votes
    assert [vote.choice for vote in votes.values()] == [0]


CODES = (
    "%2e%2e",
    "..%2f..%2frooms",
    "A" * 10_000,
    "%00%00%00%00%00",
    "%C3%84B%C3%9FC1",
    "<b>A",
    "*",
)


@pytest.mark.parametrize("code", CODES)
def test_a_forged_room_is_none(phone, lab, code):
    (lab / "rooms" / "events.jsonl").write_text('{"kind": "opened"}\n')  # beside the rooms
    stranger = Phone(phone().port, code)
    for path, body in (("state", None), ("vote", {"question": "q1"}), ("probe", {"text": "x"})):
        status, told = stranger.ask(path, body)
        assert 400 <= status < 500 and "room" not in told


@pytest.mark.parametrize(
    "cookie",
    [
        f"{SECRET}=",
        f"{SECRET}=" + "g" * 32,
        f"{SECRET}=" + "A" * 32,
        f"{SECRET}=" + "a" * 10_000,
        f'{SECRET}="{"a" * 32}; x"',
        f"{SECRET}={'b' * 32}; {SECRET}=../../x",
        f"bertsent_host={'0' * 64}",
    ],
)
def test_a_forged_cookie_is_nobody(phone, room, cookie):
    room.ask(QUESTION)
    forger = phone(cookie=cookie)
    assert not forger.room()["joined"]
    forger.cookie = cookie  # not the one that it was given
    assert forger.vote("q1")[0] in (401, 403)
    assert forger.ask("events")[0] == 403
    assert not room.look().question.votes


def test_a_forged_teacher_key_opens_nothing_that_the_own_one_does_not(phone, room):
    ann = phone().join()
    room.ask(QUESTION)
    for token in (host_token()[:-1] + "!", "1", "no", "x" * 5_000):
        ann.cookie = f"{ann.cookie.partition(';')[0]}; bertsent_host={token}"
        assert ann.ask("reveal", {"question": "q1"})[0] == 403
        assert ann.room()["joined"], "and costs nobody the own place"
    assert not room.look().question.revealed


def test_more_than_a_room_takes_are_all_answered(phone, room):
    """Nobody who was told to be in is lost, and who is not in knows why."""
    with ThreadPoolExecutor(50) as people:
        answers = list(
            people.map(come, (phone(cookie=secret(n)) for n in range(MOST_MEMBERS + 50)))
        )
    members = room.look().members
    assert len(members) == len(set(members.values())) == MOST_MEMBERS
    assert [status for status, _ in answers].count(200) == MOST_MEMBERS
    assert {told["error"] for status, told in answers if status != 200} == {"This room is full."}


def come(each: Phone) -> tuple[int, dict]:
    return each.ask("join", {"nickname": ""})


def head(each: Phone, length: int) -> bytes:
    return (
        f"POST /room/{each.code}/vote HTTP/1.1\r\nhost: 127.0.0.1:{each.port}\r\n"
        f"cookie: {each.cookie}\r\ncontent-type: application/json\r\nx-bertsent-script: 1\r\n"
        f"content-length: {length}\r\n\r\n"
    ).encode()


def test_what_arrives_in_part_ends_by_itself(phone, room, monkeypatch, caplog):
    """A request whose rest never comes is answered, one that is cut off forgotten; meanwhile the
    others vote.
    """
    monkeypatch.setattr(rooms_on_phones, "SLOWEST", 0.5)
    ann, bo = phone().join(), phone().join()
    question = room.ask(QUESTION)
    slow = socket.create_connection(("127.0.0.1", ann.port))
    slow.sendall(head(ann, 90) + b'{"question": ')
    for cut in (head(ann, 90) + b'{"ques', head(ann, 90), head(ann, 90)[:70], b"\x16\x03\x01\x00"):
        with socket.create_connection(("127.0.0.1", ann.port)) as line:
            line.sendall(cut)
    assert bo.vote(question)[0] == 200
    slow.settimeout(5)
    assert slow.recv(20).startswith(b"HTTP/1.1 408")
    slow.close()
    assert ann.vote(question)[0] == 200
    assert not [r for r in caplog.records if r.exc_info], "no traceback in the log"


def test_a_vote_that_trickles_in_counts(phone, room):
    ann = phone().join()
    question = room.ask(QUESTION)
    body = json.dumps({"question": question, "choice": 1, "confidence": 0.5}).encode()
    with socket.create_connection(("127.0.0.1", ann.port)) as line:
        for byte in head(ann, len(body)) + body:
            line.sendall(bytes([byte]))
        assert line.recv(20).startswith(b"HTTP/1.1 200")
    assert len(room.look().question.votes) == 1


@pytest.mark.slow
def test_a_thousand_streams_of_one_address_leave_room_for_the_class(phone, room):
    """Half of them are never read. What is asked is answered meanwhile, and they all end."""
    phones = [phone(cookie=secret(n)) for n in range(250)]
    with ThreadPoolExecutor(16) as people:
        list(people.map(Phone.join, phones))
    question = room.ask(QUESTION)

    async def crowd() -> list[int]:
        lines = [await opened(each) for each in phones for _ in range(4)]
        late = await opened(phones[0])
        assert (await late[0].readline()).split()[1] == b"429"
        for reader, _ in lines[::2]:
            assert (await reader.readline()).split()[1] == b"200"
        votes = await asyncio.to_thread(lambda: [each.vote(question)[0] for each in phones[:100]])
        for _, writer in [*lines, late]:
            writer.close()
        return votes

    votes = asyncio.run(crowd())
    assert set(votes) == {200}
    assert len(room.look().question.votes) == 100
    room.end(question)  # a stream learns that its phone has gone when it has something to say
    wait_until(lambda: can_listen(phones[0]), 20)


async def opened(each: Phone) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", each.port)
    writer.write(
        f"GET /room/{each.code}/events HTTP/1.1\r\nhost: 127.0.0.1:{each.port}\r\n"
        f"cookie: {each.cookie}\r\n\r\n".encode()
    )
    return reader, writer


def can_listen(each: Phone) -> bool:
    try:
        with each.listen() as news:
            return bool(next(news))
    except AssertionError:
        return False
