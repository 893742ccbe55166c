"""A folder in, its lock out: held by one worker for as long as it lives; the kernel lets go of it
when the worker dies, however it dies.
"""

import fcntl
from pathlib import Path

from filelock import FileLock


def lock_of(folder: Path) -> FileLock:
    """The lock of a run's folder, for its worker to hold."""
    return FileLock(folder / "lock")


def is_held(folder: Path) -> bool:
    """True while a worker holds the lock of ``folder``. Onlookers share it, so that no two of them
    take each other for a worker.
    """
    try:
        with (folder / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
