"""Another name for this machine, and pages of elsewhere, get no answer (DNS rebinding, cross-site
WebSockets).
"""

import socket

import pytest

from bertsent.ui.allowed_hosts import AllowedHosts, _reason
from tests.security.conftest import ask

REFUSED_SOCKET, REFUSED = 1008, 421


@pytest.mark.parametrize(
    "name",
    [
        "localhost",
        "localhost:8501",
        "LOCALHOST:8501",
        "127.0.0.1:8501",
        "192.168.1.5:8501",
        "[::1]:8501",
        "[fe80::1]:8501",
        socket.gethostname(),
    ],
)
def test_own_names_and_addresses_are_answered(name: str) -> None:
    assert ask(AllowedHosts, host=name).body == "passed on"
    assert ask(AllowedHosts, kind="websocket", host=name, origin=f"http://{name}").passed_on


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:8501",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@localhost",
        "localhost:99999999",
        "localhost/x",
        "2130706433",
        "0x7f.1",
        "",
    ],
)
def test_other_names_are_not(name: str) -> None:
    answer = ask(AllowedHosts, host=name)
    assert answer.status == REFUSED and answer.passed_on is None
    socket_ = ask(AllowedHosts, kind="websocket", host=name)
    assert socket_.status == REFUSED_SOCKET and socket_.passed_on is None


def test_names_can_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTSENT_HOSTS", "lab.example.org, *.school.example")
    for name in ("lab.example.org", "Lab.Example.org.", "a.school.example:443"):
        assert ask(AllowedHosts, host=name).body == "passed on"
    for name in ("example.org", "evil-school.example", "school.example", "lab.example.org.evil"):
        assert ask(AllowedHosts, host=name).status == REFUSED


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:3000",  # Streamlit's own check lets it through
        "http://192.0.2.1:9999",
        "http://192.0.2.1",
        "null",
        "file://",
        "http://192.0.2.1:8501.evil.example",
        "http://192.0.2.1:99999",
    ],
)
def test_a_page_of_elsewhere_opens_no_websocket_and_sends_nothing(origin: str) -> None:
    answer = ask(AllowedHosts, "/_stcore/stream", kind="websocket", origin=origin)
    assert answer.status == REFUSED_SOCKET and answer.passed_on is None
    for method in ("POST", "PUT", "DELETE"):
        assert ask(AllowedHosts, "/host", method=method, origin=origin).status == REFUSED


def test_own_pages_and_configured_ones_may(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(AllowedHosts, kind="websocket", origin="http://192.0.2.1:8501").passed_on
    assert ask(
        AllowedHosts, kind="websocket", host="127.0.0.1", origin="http://127.0.0.1:80"
    ).passed_on
    monkeypatch.setenv("BERTSENT_HOSTS", "lab.example.org")
    # a proxy that asks in its own name
    assert ask(
        AllowedHosts, kind="websocket", host="127.0.0.1:8501", origin="https://lab.example.org"
    ).passed_on


def test_two_host_headers_are_one_too_many() -> None:
    headers = [(b"host", b"localhost"), (b"host", b"evil.example")]
    assert _reason({"type": "http", "method": "GET", "headers": headers})
