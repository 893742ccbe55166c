"""What a room promises to those who are in it, and to whom it does not open."""

import http.client
import logging

import pytest

from bertsent.classroom.rooms import open_room
from bertsent.ui.host_key import host_token
from bertsent.ui.room.rooms_on_phones import RoomsOnPhones
from bertsent.ui.visitors import OWN_SCRIPT, Visitors
from tests.security.conftest import ask
from tests.ui.room.conftest import QUESTION, phone, port, room  # noqa: F401 - fixtures
from tests.ui.room.phone import JSON, Phone, secret


def test_a_phone_gets_its_secret_with_what_its_script_asks_for_alone(lab) -> None:
    """A link of elsewhere, on which a browser keeps its cookie back, must not replace it."""
    code = open_room().code

    def get(path: str, **headers: str):
        return ask(lambda app: Visitors(RoomsOnPhones(app)), f"/room/{code}{path}", **headers)

    assert not get("").header("set-cookie")
    assert not get("/state").header("set-cookie") and get("/state").status == 403
    given = get("/state", **{OWN_SCRIPT: "1"}).header("set-cookie")
    assert {"HttpOnly", "SameSite=Strict"} <= set(given.split("; "))
    own = given.partition(";")[0]
    assert not get("/state", cookie=own, **{OWN_SCRIPT: "1"}).header("set-cookie")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({OWN_SCRIPT: "1"}, 403),
        ({"content-type": "application/json"}, 403),
        ({OWN_SCRIPT: "1", "content-type": "text/plain"}, 403),
        ({OWN_SCRIPT: "1", "content-type": "application/x-www-form-urlencoded"}, 403),
        ({**JSON, "origin": "http://evil.example"}, 421),
        ({**JSON, "origin": "null"}, 421),
        (JSON, 200),
    ],
)
def test_a_page_of_elsewhere_cannot_vote(phone, room, headers, status) -> None:  # noqa: F811
    """Browsers let another page send neither our header nor JSON without asking us first."""
    ann = phone().join()
    question = room.ask(QUESTION)
    vote = {"question": question, "choice": 0, "confidence": 0.5}
    assert ann.ask("vote", vote, headers=headers)[0] == status
    assert len(room.look().question.votes) == (status == 200)


def test_who_is_no_member_hears_nothing(phone, room) -> None:  # noqa: F811
    room.join("somebody", "Secret Sam")
    room.ask(QUESTION)
    stranger = phone()
    told = stranger.room()
    assert set(told) == {"code", "joined", "title", "password", "removed"}
    assert stranger.ask("events")[0] == 403
    assert stranger.vote("q1")[0] == 403
    assert phone(cookie="bertsent_visitor=forged").vote("q1")[0] == 401
    assert not room.look().question.votes


def test_nobody_votes_for_another(phone, room) -> None:  # noqa: F811
    """The visitor is who the cookie says, not who a header or the body claims to be."""
    ann, ben = phone().join("Ann"), phone().join("Ben")
    question = room.ask(QUESTION)
    member = next(m for m, name in room.look().members.items() if name == "Ann")
    body = {"question": question, "choice": 1, "confidence": 0.5, "member": member}
    ben.ask("vote", body, headers={**JSON, "x-bertsent-visitor": "a" * 64})
    (voter,) = room.look().question.votes
    assert voter != member and ann.room()["vote"] is None


def test_a_phone_cannot_do_what_the_teacher_does(phone, room) -> None:  # noqa: F811
    """Also with the host's token: the teacher's actions are no part of what a phone may ask."""
    ann = phone().join()
    room.ask(QUESTION)
    ann.cookie += f"; bertsent_host={host_token()}"
    for action in ("reveal", "end", "ask", "close", "rule", "remove", "withdraw", "set_board"):
        assert ann.ask(action, {"question": "q1"})[0] == 403
    assert not room.look().question.revealed and not room.look().closed


def test_a_guesser_of_codes_waits_and_the_class_does_not(phone, room) -> None:  # noqa: F811
    ann = phone(address="192.0.2.9").join("Ann")
    guesser = Phone(ann.port, "AAAAA", address="192.0.2.9")
    found = [guesser.ask("state")[0] for _ in range(320)]
    assert set(found[:290]) == {410} and found[-1] == 429
    hit = Phone(ann.port, room.code, address="192.0.2.9", cookie=secret(7))
    assert hit.ask("state")[0] == 429, "a right guess looks like a wrong one"
    assert ann.room()["joined"], "who is in the room is not kept from it"
    assert phone(address="192.0.2.10").join()


def test_a_guesser_of_passwords_waits(port, lab, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr("bertsent.classroom.room_password._COST", {"n": 2, "r": 1, "p": 1})
    locked = open_room(password="otter")
    guesser = Phone(port, locked.code)
    guesser.ask("state")
    found = []
    for number in range(310):
        guesser.cookie = secret(number)
        found.append(guesser.ask("join", {"password": f"guess {number}"})[0])
    assert set(found[:290]) == {403} and found[-1] == 429
    assert guesser.ask("join", {"password": "otter"})[0] == 429
    assert Phone(port, locked.code, address="192.0.2.10").join(password="otter").room()["joined"]


def test_one_phone_in_a_loop_is_stopped_and_a_class_behind_one_address_is_not(
    phone,  # noqa: F811
    room,  # noqa: F811
) -> None:
    ann = phone().join()
    assert [ann.vote("q9")[0] for _ in range(80)][-1] == 429
    for number in range(200):
        each = phone(cookie=secret(number)).join()
        assert each.vote("q9")[0] == 410


def test_a_phone_has_few_streams(phone, room) -> None:  # noqa: F811
    ann = phone().join()
    lines = [ann.listen() for _ in range(4)]
    for line in lines:
        next(line.__enter__())
    assert ann.ask("events")[0] == 429
    for line in lines:
        line.__exit__(None, None, None)


def test_the_page_runs_no_script_but_its_own(port) -> None:  # noqa: F811
    line = http.client.HTTPConnection("127.0.0.1", port)
    line.request("GET", "/room/ABCDE")
    answer = line.getresponse()
    policy = answer.getheader("content-security-policy")
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy and "form-action 'none'" in policy
    page = answer.read().decode()
    assert "<style" not in page and " style=" not in page and "onclick" not in page
    assert page.count("<script") == 1 and "<script src=" in page


def test_its_script_writes_what_others_typed_as_text(port) -> None:  # noqa: F811
    line = http.client.HTTPConnection("127.0.0.1", port)
    line.request("GET", "/room/files/phone.js")
    script = line.getresponse().read().decode()
    for way in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("):
        assert way not in script


def test_no_log_holds_a_nickname_a_review_or_a_vote(phone, room, caplog, capfd) -> None:  # noqa: F811
    caplog.set_level(logging.DEBUG)
    ann = phone().join("Secret Sam")
    question = room.ask(QUESTION)
    ann.vote(question, 1, 0.9)
    ann.ask("vote", {"question": question, "choice": "Secret Sam"})
    ann.ask("join", {"nickname": "Secret Sam" * 50})
    ann.ask("offer", {"text": "Secret review of Sam", "label": 1})
    out, err = capfd.readouterr()
    for said in ("Secret", "Great, another", "0.9", ann.cookie.partition("=")[2]):
        assert said not in caplog.text + out + err
