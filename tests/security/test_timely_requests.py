"""A connection that does not say what it asks for, and one that takes its time for good reasons."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bertsent.ui import timely_requests
from bertsent.ui.timely_requests import TimelyRequests

LONGEST = 0.6  # seconds here
HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\n"


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(timely_requests, "LONGEST", LONGEST)

    async def answer(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await request.body())

    app = Starlette(routes=[Route("/", answer, methods=["POST"])])
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, http=TimelyRequests, log_level="warning", lifespan="off")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.force_exit = server.should_exit = True
    thread.join(10)


@pytest.fixture
def line(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as opened:
        yield opened


def ask(line: socket.socket) -> bytes:
    line.sendall(HEAD + b"content-length: 2\r\n\r\nhi")
    said = b""
    while not said.endswith(b"hi"):
        said += line.recv(1_000)
    return said


@pytest.mark.parametrize("begun", [b"", b"P", HEAD], ids=["nothing", "a letter", "half a header"])
def test_a_header_that_does_not_end_is_not_waited_for(line: socket.socket, begun: bytes) -> None:
    line.sendall(begun)
    assert line.recv(1) == b"", "it is closed"


def test_one_that_trickles_in_is_not_waited_for(line: socket.socket) -> None:
    with pytest.raises(ConnectionError):
        for letter in HEAD * 10:
            line.sendall(bytes([letter]))
            time.sleep(LONGEST / 20)


def test_a_later_request_of_a_connection_has_its_own_time(line: socket.socket) -> None:
    for _ in range(3):
        assert ask(line).startswith(b"HTTP/1.1 200")
        time.sleep(LONGEST / 2)
    line.sendall(HEAD)
    assert line.recv(1) == b""


def test_a_body_that_takes_longer_is_waited_for(line: socket.socket) -> None:
    line.sendall(HEAD + b"content-length: 2\r\n\r\nh")
    time.sleep(2 * LONGEST)
    line.sendall(b"i")
    assert line.recv(1_000).startswith(b"HTTP/1.1 200")
