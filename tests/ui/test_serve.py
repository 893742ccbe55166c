"""The server as a class starts it: what is printed, what is bound, and where tracebacks go."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertsent.settings import PROJECT
from bertsent.ui import serve


@pytest.fixture
def listening() -> Iterator[int]:
    """A port on which only this machine is answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield server.getsockname()[1]


def _accept(server: socket.socket) -> None:
    try:
        while True:
            server.accept()[0].close()
    except OSError:
        return


def test_the_class_is_told_an_address_only_where_it_is_answered(
    listening: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "for the class" was printed when only this machine could connect."""
    monkeypatch.setattr(serve, "own_address", lambda: "127.0.0.2")  # nobody listens there
    serve._print_addresses(listening)
    assert "for the class" not in capsys.readouterr().out
    monkeypatch.setattr(serve, "own_address", lambda: "127.0.0.1")
    serve._print_addresses(listening)
    assert f"for the class:     http://127.0.0.1:{listening}" in capsys.readouterr().out


def test_a_class_has_more_connections_than_a_shell_allows() -> None:
    asked = "import resource; from bertsent.ui.serve import allow_many_connections as allow; "
    asked += "allow(); print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    found = subprocess.run(
        ["sh", "-c", 'ulimit -Sn 256 && exec "$0" -c "$1"', sys.executable, asked],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    soft, hard = map(int, found.stdout.split())
    assert soft >= 1_000 or soft == hard


@pytest.mark.slow
def test_a_traceback_outside_every_frame_is_logged_under_the_number_on_screen(
    tmp_path: Path,
) -> None:
    """The server's standard output went to the null device, and Streamlit prints tracebacks
    there.
    """
    (tmp_path / "app.py").write_text(
        "import streamlit as st\n"
        "from bertsent.ui.shared.errors import handle_uncaught_errors\n"
        "handle_uncaught_errors()\n"
        "raise RuntimeError('nobody foresaw this')\n"
    )
    shutil.copytree(PROJECT / ".streamlit", tmp_path / ".streamlit")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code = (
        "import bertsent.ui.serve as s, pathlib; "
        f"s.PROJECT = pathlib.Path({str(tmp_path)!r}); s.main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PORT": str(port)}
    log = tmp_path / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, stdout=out, stderr=out
        )
        try:
            deadline = time.monotonic() + 90
            while "nobody foresaw this" not in log.read_text() and time.monotonic() < deadline:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/script-health-check")
                except OSError:
                    time.sleep(0.5)
        finally:
            server.terminate()
            server.wait(20)
    assert "Traceback" in log.read_text() and "error " in log.read_text()
