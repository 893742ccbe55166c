"""Who may change a run: its owner and the host. Everybody may look at it and probe it.

A button that is disabled says why; what it does asks again, because a browser can send a press of
any button.
"""

from collections.abc import Iterable

from bertsent.errors import NotAllowed
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
