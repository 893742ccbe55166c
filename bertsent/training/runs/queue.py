"""A run's folder in, its lock and its place in the queue out: one training at a time on a device.

The lock is held by one worker for as long as it lives; the kernel releases it when the worker dies,
however it dies. A worker draws a ticket, and the first ticket of a living worker may go: a ticket
is a file named after the time it was drawn, and counts while its run's lock is held. A run has one
worker and one ticket: what an earlier worker of it left behind is removed, or the run would wait
for itself.
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bertsent.settings import home


def lock_of(run: Path) -> FileLock:
    """The lock of a run's folder, for its worker to hold."""
    return FileLock(run / "lock")


def is_held(run: Path) -> bool:
    """True while a worker holds the lock of a run's folder. Onlookers share it, so that no two of
    them take each other for a worker.
    """
    try:
        with (run / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def turn(run: Path, device: str, give_up: Callable[[], bool]) -> Iterator[bool]:
    """Wait for the device while holding the run's lock; yields True once the device is free, False
    when ``give_up`` returned True first.
    """
    folder = home() / "queue" / device.replace(":", "-")
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
            with suppress(Timeout):
                lock.acquire(timeout=0)
                ticket.unlink(missing_ok=True)
                return True
        time.sleep(0.3)
    return False


def queue_position(run: Path) -> int | None:
    """How many runs are ahead of this one, the one that trains included; None when it does not
    wait.
    """
    return next((len(_before(ticket)) + 1 for ticket in _tickets(run)), None)


def _tickets(run: Path) -> list[Path]:
    return list((home() / "queue").glob(f"*/*~{run.name}"))


def _before(ticket: Path) -> list[Path]:
    return [
        other
        for other in sorted(ticket.parent.glob("*~*"))
        if other.name < ticket.name and is_held(home() / "runs" / other.name.partition("~")[2])
    ]
