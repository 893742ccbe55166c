"""How long work reports how far it is."""

from collections.abc import Callable

Progress = Callable[[float], None]  # called with a fraction from 0 to 1; may raise ``Cancelled``


def no_progress(_fraction: float) -> None:
    """Nobody wants to know."""


def part(progress: Progress, start: float, end: float) -> Progress:
    """The progress of one part of the work, reported as progress of the whole: its 0 is ``start``,
    its 1 is ``end``.
    """
    return lambda fraction: progress(min(end, start + (end - start) * fraction))
