"""Which question a task asks, for who shows its answers: each is answered in a tab of its own."""

from bertsent.tasks.catalogue import FEELINGS, SENTIMENT
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, SeveralLabels, Task


def asks_for_steps(task: Task) -> bool:
    """Whether a task asks which of at least three ordered steps one text is."""
    return isinstance(task, OneLabel) and task.ordered and task.outputs > 2 and task.reads == "text"


def asks_of_aspects(task: Task) -> bool:
    """Whether a task asks what is said of an aspect."""
    return isinstance(task, OneLabel) and task.reads == "aspect"


def asks_for_feelings(task: Task) -> bool:
    """Whether a task asks for any number of feelings in one text."""
    if not isinstance(task, SeveralLabels) or task.reads != "text":
        return False
    return task.name == FEELINGS.name or {*task.labels} <= {*FEELINGS.labels}


def asks_how_alike(task: Task) -> bool:
    """Whether a task asks for a number about two texts."""
    return isinstance(task, Rating) and task.reads == "two texts"


def asks_whether_same(task: Task) -> bool:
    """Whether a task asks for one of two labels of two texts."""
    return isinstance(task, OneLabel) and task.reads == "two texts" and task.outputs == 2


def asks_for_own(task: Task) -> bool:
    """Whether a task asks something that none of the others does: labels of one's own, or a number
    for one text.
    """
    others = (asks_for_steps, asks_of_aspects, asks_for_feelings, asks_how_alike, asks_whether_same)
    known = task == SENTIMENT or isinstance(task, MixedTask)
    return not known and not any(asks(task) for asks in others)
