"""Something to do in, seconds out."""

import statistics
import time
from collections.abc import Callable


class Clock:
    """Runs from its making."""

    def __init__(self) -> None:
        self._began, self._cpu_began = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Seconds that have passed, and seconds that the processor worked for this process, all
        threads added up.
        """
        return time.perf_counter() - self._began, time.process_time() - self._cpu_began


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def interleaved(
    works: dict[str, Callable[[int], object]], times: int, *, warm_up: int
) -> dict[str, float]:
    """The median seconds of each, done in turns, so that whatever else the machine does meets all
    of them alike.

    A work is called with the number of the turn.
    """
    for turn in range(warm_up):
        for work in works.values():
            work(turn)
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(times):
        for name, work in works.items():
            found[name].append(seconds(lambda work=work, turn=turn: work(turn)))
    return {name: statistics.median(values) for name, values in found.items()}
