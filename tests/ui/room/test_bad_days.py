"""The Wi-Fi drops, and the server is killed in the middle of a vote. The phones are real browsers'
traffic; the page's own outbox is shown in tests/browser/test_phone.py.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import open_room
from bertsent.settings import PROJECT
from tests.conftest import wait_until
from tests.ui.room.conftest import QUESTION
from tests.ui.room.phone import Phone, secret

VOTERS = 40


def start_server(home: Path, port: int) -> subprocess.Popen:
    server = subprocess.Popen(
        [sys.executable, "-m", "bertsent.ui.serve"],
        cwd=PROJECT,
        env={**os.environ, "BERTSENT_HOME": str(home), "PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_until(lambda: answers(port), 120)
    return server


def answers(port: int) -> bool:
    try:
        return urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2).status
    except OSError:
        return False


@pytest.fixture
def free(lab: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    yield port


class Outbox(threading.Thread):
    """What the page's script does with a vote: sends it until it is confirmed."""

    def __init__(self, phone: Phone, question: str, choice: int) -> None:
        super().__init__()
        self.phone, self.question, self.choice = phone, question, choice
        self.given, self.confirmed, self.status = time.time(), 0.0, 0

    def run(self) -> None:
        while not self.confirmed:
            try:
                waited = time.time() - self.given
                self.status, _ = self.phone.vote(self.question, self.choice, 0.8, waited)
                self.confirmed = time.time()
            except OSError:
                time.sleep(0.3)


@pytest.mark.slow
def test_a_server_killed_in_the_middle_of_a_vote_loses_none(free: int, lab: Path) -> None:
    server = start_server(lab, free)
    try:
        room = open_room()
        phones = [Phone(free, room.code, cookie=secret(n)).join() for n in range(VOTERS)]
        question = room.ask(QUESTION)
        boxes = [Outbox(phone, question, n % 2) for n, phone in enumerate(phones)]
        for number, box in enumerate(boxes):
            box.start()
            if number == VOTERS // 2:
                os.kill(server.pid, signal.SIGKILL)
        server.wait()
        server = start_server(lab, free)
        again = time.time()
        for box in boxes:
            box.join(30)
        assert max(box.confirmed for box in boxes) - again < 10
        assert {box.status for box in boxes} == {200}
        votes = Room(room.folder).look().questions[question].votes
        assert len(votes) == VOTERS and sum(vote.choice for vote in votes.values()) == VOTERS // 2
        for phone in phones:
            with phone.listen() as news:
                assert next(news)["room"]["vote"]["question"] == question
    finally:
        server.kill()


@pytest.mark.slow
def test_a_server_with_open_streams_ends_when_it_is_asked_to(free: int, lab: Path) -> None:
    """A stream has no end of its own: the server once would have waited for it for ever."""
    server = start_server(lab, free)
    room = open_room()
    phone = Phone(free, room.code).join("Secret Sam")
    with phone.listen() as news:
        next(news)
        server.terminate()
        assert list(news) == []
    server.wait(20)
    output = server.stdout.read() if server.stdout else ""
    assert "Secret Sam" not in output and room.code not in output


class Wire:
    """A proxy between phones and server that can be pulled out: what is on the way is lost."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self.pulled = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if self.pulled:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                if self.pulled:
                    return
                target.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, target):
                end.close()

    def pull(self) -> None:
        """From now on nothing gets through, not even an answer."""
        self.pulled = True
        for end in self._open:
            end.close()

    def close(self) -> None:
        self._listener.close()


def test_votes_given_without_wifi_arrive_once_when_it_is_back(port: int, room: Room) -> None:
    """A second here for thirty in a class; the vote ends meanwhile. Some votes reach the
    server whose confirmation is lost, and are sent again.
    """
    wire = Wire(port)
    phones = [Phone(wire.port, room.code, cookie=secret(n)).join() for n in range(10)]
    question = room.ask(QUESTION)
    for phone in phones[:3]:  # confirmed, as far as the server knows
        phone.vote(question, 0, 0.8)
    wire.pull()
    boxes = [Outbox(phone, question, 0) for phone in phones]
    for box in boxes:
        box.start()
    time.sleep(0.5)
    assert not any(box.confirmed for box in boxes)
    room.end(question)
    time.sleep(0.5)
    wire.pulled = False
    for box in boxes:
        box.join(10)
    wire.close()
    assert {box.status for box in boxes} == {200}
    assert len(room.look().questions[question].votes) == 10
