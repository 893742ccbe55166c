"""The teacher key: drawn once, readable by its owner alone, never kept by a browser, not to be
guessed, and taken out of addresses.
"""

import stat
import threading
from pathlib import Path
from urllib.parse import urlencode

import pytest

from bertsent.ui.host_key import FILE, host_token, is_host_token, is_teacher_key, teacher_key
from bertsent.ui.host_page import HostPage
from bertsent.ui.visitors import HOST_HEADER, Visitors
from tests.security.conftest import ask


def test_it_is_drawn_once_and_only_its_owner_can_read_it(lab: Path) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(teacher_key())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1, "two processes drew two keys"
    assert stat.S_IMODE((lab / FILE).stat().st_mode) == 0o600
    assert len(found[0].replace("-", "")) == 20
    assert [path.name for path in lab.iterdir()] == [FILE], "nothing unfinished is left"


def test_it_can_be_typed_as_people_type(lab: Path) -> None:
    key = teacher_key()
    assert is_teacher_key(key) and is_teacher_key(f" {key.upper()} ")
    assert is_teacher_key(key.replace("-", " "))
    for wrong in ("", key[:-1], key + "x", "x" * 10_000, "é\x00\ud800"[:2]):
        assert not is_teacher_key(wrong)


def test_a_token_is_worth_nothing_for_another_key_or_by_itself(lab: Path) -> None:
    token = host_token()
    assert is_host_token(token) and teacher_key().replace("-", "") not in token
    nonce, _, signature = token.partition(".")
    for forged in ("", ".", nonce, f"{nonce}.", f".{signature}", f"x{token}", "1", "é.é"):
        assert not is_host_token(forged)
    (lab / FILE).unlink()
    assert not is_host_token(token), "a new key ends all that the old one allowed"


def test_without_a_key_nobody_is_the_host(lab: Path) -> None:
    token = host_token()
    (lab / FILE).write_text("")
    assert not is_host_token(token)


def enter(page: HostPage, key: str, client: str = "192.0.2.7"):
    body = urlencode({"key": key}).encode()
    return ask(page, "/host", method="POST", body=body, client=client)


def test_the_key_makes_a_host_and_can_be_given_back(lab: Path) -> None:
    page = HostPage(None)
    answer = enter(page, teacher_key())
    given = answer.header("set-cookie")
    assert (answer.status, answer.header("location")) == (303, "/")
    assert {"HttpOnly", "SameSite=Strict"} <= set(given.split("; ")) and teacher_key() not in given
    cookie = given.partition(";")[0]
    assert ask(Visitors, kind="websocket", cookie=cookie).told(HOST_HEADER) == "1"
    assert "You are the host" in ask(page, "/host", cookie=cookie).body
    back = ask(page, "/host", method="POST", body=b"leave=1", cookie=cookie).header("set-cookie")
    gone = back.partition(";")[0]
    assert ask(Visitors, kind="websocket", cookie=gone).told(HOST_HEADER) == "0"


def test_a_wrong_key_makes_none(lab: Path) -> None:
    page = HostPage(None)
    for wrong in ("", "x", "'; drop", "<script>", "a" * 5000):
        answer = enter(page, wrong)
        assert not answer.header("set-cookie") and "<script" not in answer.body
    assert "not the key" in ask(page, "/host", query="wrong").body


def test_attempts_are_limited_and_another_address_is_not_locked_out(lab: Path) -> None:
    page = HostPage(None)
    found = [enter(page, f"wrong-{i}").status for i in range(12)]
    assert found[:10] == [303] * 10 and found[10:] == [429] * 2
    assert enter(page, teacher_key()).status == 429, "not even the right one"
    assert enter(page, teacher_key(), client="192.0.2.8").header("set-cookie")
    for i in range(200):  # from many addresses
        last = enter(page, f"wrong-{i}", client=f"198.51.100.{i}")
    assert last.status == 429


@pytest.mark.parametrize(
    ("path", "query", "target"),
    [
        ("/", "key={key}", "/"),
        (
            "/Fine-tune",
            "run=curious-otter&key={key}&tab=Run",
            "/Fine-tune?run=curious-otter&tab=Run",
        ),
        ("//evil.example", "key={key}", "/evil.example"),
        ("/\\evil.example", "key={key}", "/evil.example"),
    ],
)
def test_a_link_with_the_key_leads_to_the_same_address_without_it(
    lab: Path, path: str, query: str, target: str
) -> None:
    answer = ask(HostPage, path, query=query.format(key=teacher_key()))
    assert (answer.status, answer.header("location")) == (303, target)
    assert answer.header("set-cookie") and answer.passed_on is None


def test_a_link_with_a_wrong_key_is_taken_out_as_well(lab: Path) -> None:
    answer = ask(HostPage, "/", query="key=wrong")
    assert answer.status == 303 and "key=" not in answer.header("location")
    assert not answer.header("set-cookie")
