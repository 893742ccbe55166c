"""A server with a run beside it: what benchmarks of many visitors start, and read the run's speed
from.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import psutil

from bertsent.settings import PROJECT


class LiveServer:
    """The server of ``make run``, answering on ``port``."""

    def __init__(self, port: int, process: "subprocess.Popen[bytes]") -> None:
        self.port, self._process = port, process

    def memory(self) -> float:
        """MiB that it holds now."""
        return psutil.Process(self._process.pid).memory_info().rss / 2**20


@contextlib.contextmanager
def live_server() -> Iterator[LiveServer]:
    """The server of ``make run`` on a free port, ended afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "bertsent.ui.serve"],
        cwd=PROJECT,
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            time.sleep(0.3)
        yield LiveServer(port, process)
    finally:
        process.terminate()
        process.wait()


class SpeedOfRun:
    """How fast a run learns from this moment on."""

    def __init__(self, run) -> None:  # a Run
        self._run, self._first = run, len(run.history().steps)
        self._began = time.perf_counter()

    def tokens_per_second(self) -> float:
        """Tokens that it learned from since then, by the seconds since then."""
        steps = self._run.history().steps[self._first :]
        return sum(step.tokens for step in steps) / (time.perf_counter() - self._began)
