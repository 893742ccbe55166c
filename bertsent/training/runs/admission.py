"""The runs of a lab in, their place in the queue, their time left, and whether another one may join
them out.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bertsent.errors import Busy, NotAllowed
from bertsent.settings import LIMITS
from bertsent.training.events import Finished, Stopped
from bertsent.training.run_estimate import duration, gigabytes
from bertsent.training.runs.expected import Expected, read_expected
from bertsent.training.runs.history import History
from bertsent.training.runs.queue import queue_position
from bertsent.training.runs.run import Run, list_runs

STARTING = 120.0  # seconds that a run without a worker counts as one that is about to start


@dataclass(frozen=True)
class Waiting:
    """How many runs train or wait, how many of them are one owner's, and for how long, in seconds;
    None where that is unknown of one of them.
    """

    everybody: int = 0
    own: int = 0
    seconds: float | None = 0.0


def waiting(owner: str, besides: Sequence[Run] = ()) -> Waiting:
    """The queue as ``owner`` meets it, without the runs of ``besides``."""
    left_out = {run.id for run in besides}
    runs = [run for run in list_runs() if run.id not in left_out and is_coming(run)]
    own = sum(run.owner == owner for run in runs)
    return Waiting(len(runs), own, total_seconds([seconds_left(run) for run in runs]))


def is_coming(run: Run) -> bool:
    """Whether a run trains, waits, or was prepared just now and is about to."""
    if run.alive():
        return True
    try:
        age = time.time() - (run.folder / "config.json").stat().st_mtime
    except OSError:
        return False
    return age < STARTING and not run.log.path.exists()


def seconds_left(run: Run, history: History | None = None) -> float | None:
    """How long a run that trains or waits still needs once it has the device."""
    history = history or run.history()
    if isinstance(history.last, Finished | Stopped):
        return 0.0
    if history.steps:
        return history.steps[-1].eta_seconds
    return read_expected(run.folder).seconds


def starts_in(run: Run) -> float | None:
    """Seconds until a run that waits gets the device; None where that is unknown."""
    place = queue_position(run.folder) or 0
    ahead = [
        other
        for other in list_runs()
        if other.alive() and (queue_position(other.folder) or 0) < place
    ]
    return total_seconds([seconds_left(other) for other in ahead])


def total_seconds(each: Sequence[float | None]) -> float | None:
    """Their sum; None where one is unknown."""
    known = [seconds for seconds in each if seconds is not None]
    return sum(known) if len(known) == len(each) else None


def check_admission(wanted: Sequence[Expected], queue: Waiting, free: float) -> None:
    """Do nothing for runs that may join the queue.

    Args:
        wanted: what each of them will take.
        queue: those that are there already.
        free: bytes of memory that a run could have.

    Raises:
        NotAllowed: they would take too long, or need more memory than there is.
        Busy: too many wait already.
    """
    most = max((each.memory for each in wanted), default=0)
    NotAllowed.raise_if(
        most > free,
        f"This run needs at least {gigabytes(most)} of memory, and {gigabytes(free)} are free.",
        "Make the batches smaller or the texts shorter, or train the head only.",
    )
    seconds, limit = sum(each.seconds or 0.0 for each in wanted), 60.0 * LIMITS.run_minutes
    NotAllowed.raise_if(
        seconds > limit,
        f"This would train for about {duration(seconds)}; the limit of this lab is "
        f"{duration(limit)}.",
        "Take fewer reviews, epochs or tokens, or ask the host to start it.",
    )
    Busy.raise_if(
        queue.own + len(wanted) > LIMITS.runs_each,
        f"You have {queue.own} runs that train or wait; a person may have {LIMITS.runs_each}.",
        "Wait until one has ended, or stop one.",
    )
    Busy.raise_if(
        queue.everybody + len(wanted) > LIMITS.runs_waiting,
        f"{queue.everybody} runs train or wait; the queue of this lab holds {LIMITS.runs_waiting}.",
        "Try again when it is shorter.",
    )


def queue_sentence(queue: Waiting) -> str:
    """How long the queue is; empty where nobody waits."""
    if not queue.everybody:
        return ""
    runs = "1 run trains" if queue.everybody == 1 else f"{queue.everybody} runs train or wait"
    wait = "" if queue.seconds is None else f", for about {duration(queue.seconds)}"
    return f"{runs} before it{wait}"


def start_sentence(run: Run) -> str:
    """When a run that waits will start; empty where that is unknown."""
    seconds = starts_in(run)
    return "" if seconds is None else f"starts in about {duration(seconds)}"
