"""The layers in the server that ``make run`` starts, asked over the network."""

import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bertsent.training.runs.owner import owner_of
from bertsent.ui.host_key import FILE
from tests.browser.conftest import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("served"), warmed=True)
    yield started
    started.stop()


def get(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{server.address}/{path}", headers=named)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, {k.lower(): v for k, v in answer.headers.items()}
    except urllib.error.HTTPError as error:
        return error.code, {k.lower(): v for k, v in error.headers.items()}


def open_socket(server: Server, **headers: str) -> tuple[int, dict[str, str]]:
    """The status of a handshake (101: it was accepted) and its headers."""
    address = f"ws://localhost:{server.port}/_stcore/stream"
    try:
        with connect(
            address,
            subprotocols=["streamlit"],
            additional_headers=headers,
            proxy=None,
            open_timeout=60,
        ) as opened:
            answer = opened.response
            return answer.status_code, {k.lower(): v for k, v in answer.headers.raw_items()}
    except InvalidStatus as refused:
        return refused.response.status_code, {}


def test_a_page_comes_with_its_policy_and_without_a_secret(server: Server) -> None:
    status, headers = get(server, "Fine-tune")
    assert status == 200 and "frame-ancestors 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and "bertsent" not in str(headers)
    script = re.search(r'src="\./(static/js/[^"]+)"', _body(server, ""))
    assert script and get(server, script[1])[1]["x-content-type-options"] == "nosniff"


def _body(server: Server, path: str) -> str:
    return urllib.request.urlopen(f"{server.address}/{path}", timeout=30).read().decode()


def test_another_name_gets_nothing(server: Server) -> None:
    for path in ("", "_stcore/health", "_stcore/host-config", "static/favicon.png", "host"):
        assert get(server, path, Host="evil.example")[0] == 421


def test_the_websocket_gives_a_secret_and_refuses_pages_of_elsewhere(server: Server) -> None:
    own = f"http://localhost:{server.port}"
    status, headers = open_socket(server, Origin=own)
    assert status == 101 and "bertsent_visitor=" in headers["set-cookie"]
    assert open_socket(server)[0] == 101, "what is no browser names no origin"
    for origin in ("http://evil.example", "http://localhost:3000", "null"):
        assert open_socket(server, Origin=origin)[0] == 403


def test_a_client_in_a_loop_is_stopped(server: Server) -> None:
    cookie = "bertsent_visitor=" + "c" * 32
    found = [open_socket(server, Cookie=cookie)[0] for _ in range(70)]
    assert found[:55] == [101] * 55 and found[-1] == 403


def test_no_log_and_no_file_of_the_lab_holds_a_secret(server: Server) -> None:
    secret = "d" * 32
    open_socket(server, Cookie=f"bertsent_visitor={secret}")
    get(server, "?key=wrong-key-of-a-test")
    for path in Path(server.home).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert secret.encode() not in content and b"wrong-key-of-a-test" not in content
    assert (server.home / FILE).stat().st_mode & 0o077 == 0
    assert owner_of(server.home) == ""


def test_the_server_reads_requests_in_time(server: Server) -> None:
    with socket.create_connection(("localhost", server.port), timeout=60) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        assert line.recv(1) == b"", "it is closed"
    assert get(server, "_stcore/health")[0] == 200
