"""Every browser has a secret of its own; nobody else, and no page, gets to see it."""

import hashlib

import pytest

from bertsent.ui.host_key import host_token
from bertsent.ui.visitors import HOST_HEADER, VISITOR_HEADER, Visitors
from tests.security.conftest import Answer, ask

SECRET = "0123456789abcdef" * 2


def test_a_browser_gets_its_secret_once_and_the_page_its_hash() -> None:
    first = ask(Visitors, "/_stcore/stream", kind="websocket")
    given = first.header("set-cookie")
    secret = given.partition("=")[2].partition(";")[0]
    assert len(bytes.fromhex(secret)) == 16
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(given.split("; "))
    assert first.told(VISITOR_HEADER) == hashlib.sha256(secret.encode()).hexdigest()
    again = ask(Visitors, "/_stcore/stream", kind="websocket", cookie=f"bertsent_visitor={secret}")
    assert again.told(VISITOR_HEADER) == first.told(VISITOR_HEADER)
    assert not again.header("set-cookie")


def test_it_comes_before_the_websocket_and_not_with_the_page() -> None:
    """A browser that follows a link of elsewhere keeps a strict cookie back: a new one given with
    the page would replace it, and its owner would lose his runs.
    """
    assert ask(Visitors, "/_stcore/host-config").header("set-cookie")
    assert not ask(Visitors, "/").header("set-cookie")
    assert not ask(Visitors, "/static/js/index.js").header("set-cookie")


@pytest.mark.parametrize("cookie", ["", "x", "Z" * 32, "a" * 31, "a" * 33, "a" * 9000])
def test_what_is_no_secret_is_replaced(cookie: str) -> None:
    answer = ask(Visitors, kind="websocket", cookie=f"bertsent_visitor={cookie}")
    assert answer.header("set-cookie")
    assert answer.told(VISITOR_HEADER) != hashlib.sha256(cookie.encode()).hexdigest()


def test_nobody_can_claim_to_be_another() -> None:
    answer = ask(
        Visitors,
        kind="websocket",
        cookie=f"bertsent_visitor={SECRET}",
        **{VISITOR_HEADER: "f" * 64, HOST_HEADER: "1"},
    )
    assert answer.told(VISITOR_HEADER) == hashlib.sha256(SECRET.encode()).hexdigest()
    assert answer.told(HOST_HEADER) == "0"


def host(**request: str) -> str:
    answer: Answer = ask(Visitors, kind="websocket", **request)
    return answer.told(HOST_HEADER)


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("127.0.0.1", "localhost:8501"),
        ("127.0.0.1", "127.0.0.1:8501"),
        ("::1", "[::1]:8501"),
        ("::ffff:127.0.0.1", "localhost:8501"),
    ],
)
def test_a_single_user_at_his_own_machine_is_the_host(lab, client: str, name: str) -> None:
    assert host(client=client, host=name, origin=f"http://{name}") == "1"
    assert host(client=client, host=name, cookie="bertsent_host=no") == "0", "given back"


@pytest.mark.parametrize(
    "request_",
    [
        {"client": "192.0.2.7"},
        {"client": "192.0.2.7", "x_forwarded_for": "127.0.0.1"},
        {"x_forwarded_for": "192.0.2.7"},
        {"x_forwarded_proto": "https"},
        {"x_real_ip": "192.0.2.7"},
        {"forwarded": "for=192.0.2.7"},
        {"via": "1.1 proxy"},
        {"host": "lab.example.org"},
        {"host": "192.0.2.1:8501"},
        {"origin": "https://lab.example.org"},
        {"origin": "null"},
        {"client": ""},
    ],
)
def test_nobody_is_the_host_by_address_through_a_proxy(lab, request_: dict[str, str]) -> None:
    assert host(**{"client": "127.0.0.1", "host": "localhost:8501"} | request_) == "0"


@pytest.mark.parametrize(
    ("variable", "value"),
    [("BERTSENT_HOSTS", "lab.example.org"), ("BERTSENT_HOST_BY_ADDRESS", "0")],
)
def test_a_server_with_names_of_its_own_asks_everybody_for_the_key(
    lab, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A proxy that hides itself would make everybody the host."""
    monkeypatch.setenv(variable, value)
    assert host(client="127.0.0.1", host="localhost:8501") == "0"
    token = host_token()
    assert host(client="127.0.0.1", host="localhost", cookie=f"bertsent_host={token}") == "1"
