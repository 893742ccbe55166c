"""A class of two hundred phones and a run that trains on the same machine: how long a vote takes to
be confirmed and a reveal to arrive, how much slower the run gets, and how long a hundred people who
probe at once wait.

The server is the one of ``make run``. The phones run on the machine that they load, so all of it is
a little slower than in a classroom, where they are elsewhere.
"""

import asyncio
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import numpy as np

from bertsent.settings import PROJECT
from tests.benchmarks.class_phones import SimulatedPhone
from tests.benchmarks.reviews import front, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import temporary_home

PHONES, PROBING = 200, 100
ARRIVE = 8.0  # seconds in which all come
LISTEN = 20.0  # seconds after the reveal in which they only listen


def rows(quick: bool) -> list[Row]:
    """One hour of a class in a minute."""
    found = _measured(PHONES // 5 if quick else PHONES, PROBING // 5 if quick else PROBING, quick)
    phones, probing = found["phones"], found["probing"]
    how = (
        f"{phones:.0f} phones while a run trains; {os.cpu_count()} cores, load {found['load']:.1f}"
    )
    votes = (
        f"{found['counted']:.0f} of {phones:.0f} votes counted once, "
        f"{found['refused']:.0f} requests refused"
    )
    return [
        Row(
            "a class joins and votes, to the last vote",
            "s",
            found["voted"],
            None,
            f"{how}; {votes}",
        ),
        Row("  a vote is confirmed, p95", "s", found["confirmed"], None, "to be under 1 s"),
        Row("  the reveal on the last phone", "s", found["revealed"], None, "to be under 2 s"),
        Row(
            "  the run meanwhile, tokens/s",
            "tokens/s",
            found["watched"],
            found["alone"],
            f"against before and after; the phones themselves took {found['driver']:.0%} of a core",
            more_is_better=True,
        ),
        Row(
            "  the server's memory after the class, MiB",
            "MiB",
            found["after"],
            found["before"],
            "against before it; all phones gone",
        ),
        Row(
            f"{probing:.0f} people probe at once, p95",
            "s",
            found["probe_p95"],
            None,
            f"each another review on Probe over a WebSocket, the whole page; median "
            f"{found['probe_median']:.1f} s; to be under 1.5 s",
        ),
    ]


def _measured(phones: int, probing: int, quick: bool) -> dict[str, float]:
    from bertsent.training.config import TrainingConfig
    from bertsent.training.runs.launcher import launch, prepare_run

    with temporary_home(), _server() as (port, memory):
        run = prepare_run(front(1_600), TrainingConfig(epochs=20, max_length=256))
        launch(run)
        try:
            while not run.history().steps:
                time.sleep(0.3)
            before = memory()
            alone = [_alone(run, 8 if quick else 30)]
            found = asyncio.run(_class(port, run, phones))
            alone.append(_alone(run, 8 if quick else 30))
            found |= {"before": before, "after": memory(), "alone": statistics.mean(alone)}
        finally:
            run.request("stop")
            while run.alive():
                time.sleep(0.2)
        load = os.getloadavg()[0]
        waits = asyncio.run(_probe(port, probing))
    return found | {
        "phones": phones,
        "probing": probing,
        "load": load,
        "probe_p95": float(np.percentile(waits, 95)),
        "probe_median": float(np.median(waits)),
    }


async def _class(port: int, run, phones: int) -> dict[str, float]:  # a Run
    """All arrive, vote on the question that stands already, see it revealed, and listen on."""
    from bertsent.classroom.room_events import Answer, Question
    from bertsent.classroom.rooms import open_room

    room = open_room("Benchmark")
    answers = Answer("BOW + SVM", 1, 0.9), Answer("BERT", 0, 0.98)
    question = room.ask(
        Question("sentence", "What is it?", ("Negative", "Positive"), 60, answers=answers, truth=0)
    )
    speed, processor = _mark(run), time.process_time()
    began, clock = time.time(), time.perf_counter()
    people = [SimulatedPhone(port, room.code) for _ in range(phones)]
    pace = ARRIVE / phones
    tasks = [asyncio.create_task(p.attend(n * pace)) for n, p in enumerate(people)]
    await _until(lambda: all(phone.voted_at for phone in people), 120)
    revealed = time.time()
    room.reveal(question)
    await _until(lambda: all(phone.revealed_at for phone in people), 60)
    await asyncio.sleep(LISTEN)
    driver = (time.process_time() - processor) / (time.perf_counter() - clock)
    found = {
        "voted": max(phone.voted_at for phone in people) - began,
        "confirmed": float(np.percentile([phone.confirmed for phone in people], 95)),
        "revealed": max(phone.revealed_at for phone in people) - revealed,
        "counted": len(room.look().questions[question].votes),
        "refused": sum(len(phone.refused) for phone in people),
        "watched": _speed(run, speed),
        "driver": driver,
    }
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return found


async def _until(condition, seconds: float) -> None:  # a function
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)


async def _probe(port: int, people: int) -> list[float]:
    """Seconds that each waits for the whole page with the answer, all asking at once."""
    ready, start = asyncio.Semaphore(0), asyncio.Event()
    texts = typed_reviews(2 * people)
    tasks = [
        asyncio.create_task(_prober(port, texts[2 * n : 2 * n + 2], ready, start))
        for n in range(people)
    ]
    for _ in tasks:
        await asyncio.wait_for(ready.acquire(), 300)
    start.set()
    return await asyncio.gather(*tasks)


async def _prober(
    port: int, texts: list[str], ready: asyncio.Semaphore, start: asyncio.Event
) -> float:
    """One browser's conversation: the page, then another review."""
    import websockets

    async with websockets.connect(
        f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"], max_size=None
    ) as line:
        await _page(line, texts[0])
        ready.release()
        await start.wait()
        began = time.perf_counter()
        await _page(line, texts[1])
        return time.perf_counter() - began


async def _page(line, text: str) -> None:  # a websocket
    """Ask for Probe with a review, and wait until all of it was sent."""
    from urllib.parse import urlencode

    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    asked = BackMsg()
    asked.rerun_script.query_string = urlencode({"text": text})
    asked.rerun_script.page_name = "Probe"
    await line.send(asked.SerializeToString())
    while ForwardMsg.FromString(await line.recv()).WhichOneof("type") != "script_finished":
        pass


def _alone(run, seconds: float) -> float:  # a Run
    mark = _mark(run)
    time.sleep(seconds)
    return _speed(run, mark)


def _mark(run) -> tuple[int, float]:  # a Run
    return len(run.history().steps), time.perf_counter()


def _speed(run, mark: tuple[int, float]) -> float:  # a Run
    """Tokens a second that the run learned from since that mark."""
    first, began = mark
    return sum(step.tokens for step in run.history().steps[first:]) / (time.perf_counter() - began)


@contextlib.contextmanager
def _server() -> Iterator[tuple[int, object]]:
    """The server of ``make run``: its port, and what measures its MiB."""
    import psutil

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
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
        yield port, lambda: psutil.Process(server.pid).memory_info().rss / 2**20
    finally:
        server.terminate()
        server.wait()
