"""A class of three hundred phones before two copies of the lab, through nginx and TLS with the
files of ``deploy/``: how long a vote takes to be confirmed and a reveal to arrive, and when the
people of a copy that is killed are back on the other.

Phones, nginx and both copies share this machine, and nothing trains.
"""

import asyncio
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.class_phones import SimulatedPhone
from tests.benchmarks.rows import Row
from tests.benchmarks.temporary_home import temporary_home
from tests.deploy.two_copies import NAME, WHY_NOT, TwoCopies, two_copies

PHONES = 300
ARRIVE = 12.0  # seconds in which all come
PATIENCE = 180.0  # seconds for each part, then what has arrived counts


def rows(quick: bool) -> list[Row]:
    """A vote, its reveal, and a copy killed after it.

    Raises:
        RuntimeError: nginx is not installed.
    """
    if WHY_NOT:
        raise RuntimeError(WHY_NOT)
    phones = PHONES // 5 if quick else PHONES
    load = os.getloadavg()[0]
    with temporary_home(), tempfile.TemporaryDirectory(prefix="bertsent-nginx-") as folder:
        with two_copies(Path(folder), Path(os.environ["BERTSENT_HOME"])) as copies:
            found = asyncio.run(_class(copies, phones))
    how = (
        f"{phones} phones, two copies behind nginx with TLS; {os.cpu_count()} cores, load "
        f"{load:.0f} before and {os.getloadavg()[0]:.0f} after"
    )
    said = f"{found['counted']:.0f} of {phones} votes counted once, {found['refused']:.0f} refused"
    return [
        Row(
            "a class joins and votes, to the last vote", "s", found["voted"], None, f"{how}; {said}"
        ),
        Row("  a vote is confirmed, p95", "s", found["confirmed"], None, "to be under 1 s"),
        Row("  the reveal on the last phone", "s", found["revealed"], None, "to be under 2 s"),
        Row(
            "  one copy killed: its people hear the other one, the last",
            "s",
            found["back"],
            None,
            f"to be under 10 s; {found['moved']:.0f} of {phones} were on it, "
            f"{found['listening']:.0f} listen in the end",
        ),
    ]


async def _class(copies: TwoCopies, number: int) -> dict[str, float]:
    from bertsent.classroom.room_events import Answer, Question
    from bertsent.classroom.rooms import open_room

    room = open_room("Benchmark")
    answers = Answer("BOW + SVM", 1, 0.9), Answer("BERT", 0, 0.98)
    question = room.ask(
        Question("sentence", "What is it?", ("Negative", "Positive"), 300, answers=answers, truth=0)
    )
    trusted, began = copies.context, time.time()
    phones = [
        SimulatedPhone(copies.secure, room.code, name=NAME, trusted=trusted) for _ in range(number)
    ]
    tasks = [asyncio.create_task(p.attend(n * ARRIVE / number)) for n, p in enumerate(phones)]
    await _until(lambda: all(phone.voted_at for phone in phones))
    revealed = time.time()
    room.reveal(question)
    await _until(lambda: all(phone.revealed_at for phone in phones))
    await _until(lambda: all(phone.listens for phone in phones))
    killed = time.time()
    copies.kill(next(iter(copies.copies)))
    await asyncio.sleep(0.4)  # a phone waits at least half a second
    await _until(lambda: all(phone.listens for phone in phones))
    moved = [phone.opened_at - killed for phone in phones if phone.opened_at > killed]
    listening = sum(phone.listens for phone in phones)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "voted": max(phone.voted_at for phone in phones) - began,
        "confirmed": float(np.percentile([phone.confirmed for phone in phones], 95)),
        "revealed": max(phone.revealed_at for phone in phones) - revealed,
        "counted": len(room.look().questions[question].votes),
        "refused": sum(len(phone.refused) for phone in phones),
        "back": max(moved, default=float("nan")),
        "moved": len(moved),
        "listening": listening,
    }


async def _until(condition) -> None:  # a function
    deadline = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
