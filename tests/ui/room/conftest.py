"""The layers that phones meet, served over a real connection; the teacher is the test."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.rooms import open_room
from bertsent.ui.allowed_hosts import AllowedHosts
from bertsent.ui.response_headers import ResponseHeaders
from bertsent.ui.room.rooms_on_phones import RoomsOnPhones
from bertsent.ui.visitors import Visitors
from tests.ui.room.phone import Phone

QUESTION = Question(
    "sentence",
    "What is this review?",
    ("Negative", "Positive"),
    60,
    text="Great, another boring movie",
    link="/Probe?text=Great",
    answers=(Answer("BOW + SVM", 1, 0.9), Answer("BERT", 0, 0.98)),
    truth=0,
)


@pytest.fixture
def port(lab) -> Iterator[int]:
    inside = RoomsOnPhones(PlainTextResponse("passed on"))
    app = ResponseHeaders(AllowedHosts(Visitors(inside)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.force_exit = server.should_exit = True
    thread.join(10)


@pytest.fixture
def room(lab) -> Room:
    return open_room("Year 11")


@pytest.fixture
def phone(port: int, room: Room) -> Callable[..., Phone]:
    """Phones of this room: ``phone()``, ``phone(address="192.0.2.9")``."""
    return lambda **who: Phone(port, room.code, **who)
