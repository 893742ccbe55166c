"""Who may change a run: its owner and the host. Everybody may look at it and probe it. Who is not
the host starts a bounded number of runs of bounded length, and none that the teacher of a room
forbids; pages that a teacher hides are not in the menu.

A button that is disabled says why; what it does asks again, because a browser can send a press of
any button.
"""

import math
from collections.abc import Iterable, Sequence

from bertsent.classroom.room_rules import hidden_pages, why_no_training
from bertsent.errors import BertsentError, NotAllowed
from bertsent.settings import machine
from bertsent.training.process import free_memory
from bertsent.training.runs.admission import check_admission, waiting
from bertsent.training.runs.expected import Expected, read_expected
from bertsent.training.runs.run import Run
from bertsent.ui.shared.visitor import visitor

OTHERS = "Started by somebody else"
_REMEDY = "Only they and the host of the lab can change it."


def may_change(runs: Iterable[Run]) -> bool:
    """Whether the visitor may pause, resume, stop, rename, repin and delete all of these runs."""
    who = visitor()
    return who.host or all(run.owner == who.id for run in runs)


def why_not(runs: Iterable[Run]) -> str | None:
    """Why the visitor may not change these runs, for a tooltip; None where there is no reason."""
    return None if may_change(runs) else f"{OTHERS}. {_REMEDY}"


def check_may_change(runs: Iterable[Run]) -> None:
    """Do nothing for who may change all of these runs.

    Raises:
        NotAllowed: everybody else.
    """
    NotAllowed.raise_if(not may_change(runs), f"{OTHERS}.", _REMEDY)


def check_may_start(runs: Sequence[Run]) -> None:
    """Do nothing for who may start the workers of these runs, which are prepared.

    Raises:
        NotAllowed: they are somebody else's, would take too long or more memory than there is, or
            a teacher has stopped training.
        Busy: too many runs wait already.
    """
    check_may_change(runs)
    _check([read_expected(run.folder) for run in runs], runs)


def why_not_start(wanted: Expected) -> str:
    """Why the visitor may not start such a run now; empty where nothing speaks against it."""
    try:
        _check([wanted])
    except BertsentError as error:
        return str(error)
    return ""


def _check(wanted: Sequence[Expected], prepared: Sequence[Run] = ()) -> None:
    who = visitor()
    if not who.host:
        reason = why_no_training(who.id)
        NotAllowed.raise_if(reason, reason, "You can look at every run and probe it.")
        free = free_memory("cpu") if machine().device == "cpu" else math.inf
        check_admission(wanted, waiting(who.id, prepared), free)


def pages_not_shown() -> frozenset[str]:
    """The pages that the visitor's teacher hides, by their words in the menu."""
    who = visitor()
    return frozenset() if who.host else hidden_pages(who.id)
