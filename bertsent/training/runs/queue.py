"""One training at a time on a device: workers take a ticket, the first living ticket may go.

A ticket is a file named after the time it was drawn; it counts for as long as its run's lock is
held, so a worker that died
in the queue holds nobody up. A run has one worker and one ticket: what an earlier worker of it left
behind is torn up, or the
run would wait for itself.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bertsent.settings import home
from bertsent.training.runs.lock import is_held


def _folder(device: str) -> Path:
    return home() / "queue" / device.replace(":", "-")


@contextmanager
def turn(run: Path, device: str, give_up: Callable[[], bool]) -> Iterator[bool]:
    """Wait for the device, while holding the run's lock; yields True once it is ours, False when
    ``give_up`` said so first.
    """
    folder = _folder(device)
    folder.mkdir(parents=True, exist_ok=True)
    ticket = folder / f"{time.time_ns():020d}~{run.name}"
    for left in _tickets(run):
        left.unlink(missing_ok=True)
    ticket.touch()
    lock = FileLock(folder / "device.lock")
    try:
        yield _wait(ticket, lock, give_up)
    finally:
        ticket.unlink(missing_ok=True)
        lock.release()


def _wait(ticket: Path, lock: FileLock, give_up: Callable[[], bool]) -> bool:
    while not give_up():
        if not _before(ticket):
            try:
                lock.acquire(timeout=0)
            except Timeout:
                pass
            else:
                ticket.unlink(missing_ok=True)
                return True
        time.sleep(0.3)
    return False


def position(run: Path) -> int | None:
    """How many are before this run in its queue, the one that trains included; None when it does
    not wait.
    """
    return next((len(_before(ticket)) + 1 for ticket in _tickets(run)), None)


def _tickets(run: Path) -> list[Path]:
    """On whatever device."""
    return list((home() / "queue").glob(f"*/*~{run.name}"))


def _before(ticket: Path) -> list[Path]:
    """Living tickets drawn earlier."""
    return [
        other
        for other in sorted(ticket.parent.glob("*~*"))
        if other.name < ticket.name and _lives(other)
    ]


def _lives(ticket: Path) -> bool:
    return is_held(home() / "runs" / ticket.name.partition("~")[2])
