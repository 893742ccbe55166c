"""A class of two hundred phones and a run that trains on the same machine: how long a vote takes to
be confirmed and a reveal to arrive, how much slower the run gets, and how long a hundred people who
probe at once wait. Before it, with no run, five hundred who join at once.

The server is the one of ``make run``. The phones run on the machine that they load, so all of it is
a little slower than in a classroom, where they are elsewhere.
"""

import asyncio
import contextlib
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.class_phones import SimulatedPhone
from tests.benchmarks.live_server import SpeedOfRun, live_server
from tests.benchmarks.reviews import front, typed_reviews
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import temporary_home

PHONES, PROBING, JOINING = 200, 100, 500
THREADS = 100  # from which they join
ARRIVE = 8.0  # seconds in which all come
LISTEN = 20.0  # seconds after the reveal in which they only listen
ROUNDS, PAUSE = 5, 6.0  # all probe at once so often, and so many seconds from one to the next


def rows(quick: bool) -> list[Row]:
    """One hour of a class in a minute."""
    phones, probing, joining = (n // 5 if quick else n for n in (PHONES, PROBING, JOINING))
    found = _measured(phones, probing, joining, quick)
    how = f"{phones} phones while a run trains; {os.cpu_count()} cores, load {found['load']:.1f}"
    votes = (
        f"{found['counted']} of {phones} votes counted once, "
        f"{found['refused']:.0f} requests refused"
    )
    joined = found["joined"]
    return [
        Row(
            f"{joining} people join at once, to the last",
            "s",
            joined.seconds,
            None,
            f"from {THREADS} threads; {joined.answered} answered, {joined.members} members, each "
            f"with a name of its own: {joined.names}; load {joined.load:.1f}",
        ),
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
        *_probing_rows(
            "ask on their phones at once, p95", found["asked"], probing, "each another review"
        ),
        *_probing_rows(
            "open a page of Probe at once, p95",
            found["opened"],
            probing,
            "each another review in the lab over a WebSocket, the whole page",
        ),
    ]


def _probing_rows(what: str, waits: "Probing", people: int, how: str) -> list[Row]:
    return [
        Row(
            f"{people} people {what}",
            "s",
            float(np.percentile(waits.seconds, 95)),
            None,
            f"{how}; median {np.median(waits.seconds):.1f} s; {ROUNDS} times, every {PAUSE:.0f} s, "
            "while a run trains; to be under 1.5 s",
        ),
        Row(
            "  the run meanwhile, tokens/s",
            "tokens/s",
            waits.watched,
            waits.alone,
            "against before and after",
            more_is_better=True,
        ),
    ]


@dataclass
class Probing:
    """How long each one waited, and the tokens a second of the run meanwhile and alone."""

    seconds: list[float]
    watched: float
    alone: float


@dataclass
class Joined:
    """How long all took to join, how many were let in, and how many the room knows then."""

    seconds: float
    answered: int
    members: int
    names: int
    load: float


def _measured(phones: int, probing: int, joining: int, quick: bool) -> dict[str, Any]:
    from bertsent.training.config import TrainingConfig
    from bertsent.training.runs.launcher import launch, prepare_run

    with temporary_home(), live_server() as server:
        port = server.port
        joined = _joins(port, joining)
        run = prepare_run(front(1_600), TrainingConfig(epochs=60, max_length=256))
        launch(run)
        try:
            while not run.history().steps:
                time.sleep(0.3)
            alone = [_alone(run, quick)]
            before = server.memory()
            found = asyncio.run(_class(port, run, phones))
            after = server.memory()
            for name, probe in (("asked", _ask_on_phones), ("opened", _open_pages)):
                alone.append(_alone(run, quick))
                waits, watched = asyncio.run(probe(port, probing, run))
                found[name] = Probing(waits, watched, 0.0)
            alone.append(_alone(run, quick))
        finally:
            run.request("stop")
            while run.alive():
                time.sleep(0.2)
    for place, name in enumerate(("asked", "opened"), 1):
        found[name].alone = statistics.mean(alone[place : place + 2])
    return found | {
        "joined": joined,
        "load": os.getloadavg()[0],
        "before": before,
        "after": after,
        "alone": statistics.mean(alone[:2]),
    }


def _joins(port: int, people: int) -> Joined:
    """All have the page of the room open, and press the button in the same moment."""
    from bertsent.classroom.rooms import open_room

    load, room = os.getloadavg()[0], open_room("Benchmark")
    phones = [SimulatedPhone(port, room.code) for _ in range(people)]
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(lambda phone: asyncio.run(phone.knock()), phones))
        began = time.perf_counter()
        list(threads.map(lambda phone: asyncio.run(phone.enter()), phones))
        seconds = time.perf_counter() - began
    members = room.look().members
    answered = sum(not phone.refused for phone in phones)
    return Joined(seconds, answered, len(members), len(set(members.values())), load)


async def _class(port: int, run, phones: int) -> dict[str, Any]:  # a Run
    """All arrive, vote on the question that stands already, see it revealed, and listen on."""
    from bertsent.classroom.room_events import Answer, Question
    from bertsent.classroom.rooms import open_room

    room = open_room("Benchmark")
    answers = Answer("BOW + SVM", 1, 0.9), Answer("BERT", 0, 0.98)
    question = room.ask(
        Question("sentence", "What is it?", ("Negative", "Positive"), 60, answers=answers, truth=0)
    )
    speed, processor = SpeedOfRun(run), time.process_time()
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
        "watched": speed.tokens_per_second(),
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


async def _ask_on_phones(port: int, people: int, run) -> tuple[list[float], float]:  # a Run
    """Seconds that each waits for the answer on the phone, and the run's speed meanwhile."""
    from bertsent.classroom.rooms import open_room

    room, texts = open_room("Benchmark"), iter(_texts(people, "on a phone"))
    phones = [SimulatedPhone(port, room.code) for _ in range(people)]
    for phone in phones:
        await phone.come()
    await phones[0].probe(next(texts))  # which loads the model
    return await _rounds(run, lambda: [phone.probe(next(texts)) for phone in phones])


async def _open_pages(port: int, people: int, run) -> tuple[list[float], float]:  # a Run
    """Seconds that each waits for the whole page with the answer, and the run's speed meanwhile."""
    import websockets

    texts = iter(_texts(people, "on a page"))
    async with contextlib.AsyncExitStack() as stack:
        lines = []
        for _ in range(people):
            address = f"ws://127.0.0.1:{port}/_stcore/stream"
            line = websockets.connect(address, subprotocols=["streamlit"], max_size=None)
            lines.append(await stack.enter_async_context(line))
            await _page(lines[-1], next(texts))
        return await _rounds(run, lambda: [_page(line, next(texts)) for line in lines])


def _texts(people: int, where: str) -> list[str]:
    """One for each and each round, none twice, or its answer would be there already."""
    found = typed_reviews(1_000)
    return [f"{found[n % 1_000]} {where} {n}" for n in range((ROUNDS + 1) * people + 1)]


async def _rounds(run, ask) -> tuple[list[float], float]:  # a Run and a function
    speed, waits = SpeedOfRun(run), []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        waits += await asyncio.gather(*ask())
        await asyncio.sleep(max(0.0, began + PAUSE - time.perf_counter()))
    return waits, speed.tokens_per_second()


async def _page(line, text: str) -> float:  # a websocket
    """Ask for Probe with a review, and wait until all of it was sent; gives back the seconds."""
    from urllib.parse import urlencode

    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    began, asked = time.perf_counter(), BackMsg()
    asked.rerun_script.query_string = urlencode({"text": text})
    asked.rerun_script.page_name = "Probe"
    await line.send(asked.SerializeToString())
    while ForwardMsg.FromString(await line.recv()).WhichOneof("type") != "script_finished":
        pass
    return time.perf_counter() - began


def _alone(run, quick: bool) -> float:  # a Run
    speed = SpeedOfRun(run)
    time.sleep(8 if quick else 30)
    return speed.tokens_per_second()
