"""Before several processes train one run: whether each of them sees its folder.

The first process writes a token into the folder and tells the others, over the network through
which they found each other, what it says. One that does not read the same there works on another
disk, and then none of them begins. Later the others wait there until the first one has had its turn
on the device, or was asked to pause before it.
"""

import os
import secrets
import socket
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from bertsent.errors import NotAvailable

SECONDS = 15.0  # in which a file that one host wrote is there for all; some network disks take 10
MEETING = timedelta(minutes=10)  # in which all hosts are started
_TOKEN, _BEGINS = "token", "begins"


class Meeting(Protocol):
    """A place where processes leave words for each other; a ``torch.distributed.Store`` is one."""

    def set(self, key: str, value: str) -> None: ...

    def get(self, key: str) -> bytes: ...

    def check(self, keys: list[str]) -> bool: ...


def check_shared_folder(folder: Path) -> Meeting | None:
    """Wait until every process of this training has looked into ``folder``; gives back where they
    meet, None where there is one process only.

    Raises:
        NotAvailable: at least one of them does not see the folder that the first one works in.
    """
    processes, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    if processes == 1:
        return None
    meeting: Meeting = _meeting()
    compare(meeting, folder, rank, processes)
    return meeting


def tell_others(meeting: Meeting | None, begins: bool) -> None:
    """Let the first process say whether it begins now."""
    if meeting is not None:
        meeting.set(_BEGINS, "yes" if begins else "no")


def first_begins(meeting: Meeting | None) -> bool:
    """Wait, as long as it takes, until the first process has said whether it begins."""
    if meeting is None:
        return True
    while not meeting.check([_BEGINS]):
        time.sleep(0.2)
    return meeting.get(_BEGINS) == b"yes"


def compare(
    meeting: Meeting, folder: Path, rank: int, processes: int, seconds: float = SECONDS
) -> None:
    """What ``check_shared_folder`` does, given the place where the processes meet."""
    path = folder / ".shared-folder"
    if rank == 0:
        token = secrets.token_hex(8)
        with suppress(OSError):  # then it does not see it either
            path.write_text(token, encoding="utf-8")
        meeting.set(_TOKEN, token)
    seen = _sees(path, meeting.get(_TOKEN).decode(), seconds)
    meeting.set(f"seen-{rank}", "" if seen else socket.gethostname())
    blind = {each: meeting.get(f"seen-{each}").decode() for each in range(processes)}
    if rank == 0:
        path.unlink(missing_ok=True)
    first = next((each for each, host in blind.items() if host), None)
    NotAvailable.raise_if(
        first is not None,
        f"Process {first} on host {blind.get(first or 0)} does not see the folder of the run, "
        f"{folder}.",
        "Put BERTSENT_HOME on a disk that all hosts share, under the same path, and start again.",
    )


def _sees(path: Path, token: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if path.read_text(encoding="utf-8") == token:
                return True
        except (OSError, ValueError):
            pass
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)


def _meeting() -> Any:
    """The store through which ``torchrun`` and ``accelerate launch`` bring processes together."""
    from torch.distributed import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    store, _, _ = next(iter(rendezvous("env://", timeout=MEETING)))
    again = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return PrefixStore(f"bertsent-shared-folder-{again}", store)
