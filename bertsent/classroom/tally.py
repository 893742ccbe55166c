"""The votes on a question, counted: what the class says, and who was sure and wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertsent.classroom.room_events import Answer
from bertsent.classroom.room_state import AskedQuestion, RoomState

SURE = 0.8  # confidence from which an answer counts as sure


@dataclass(frozen=True)
class Tally:
    """How a class voted: of each option how many votes it got and their mean confidence, which is
    None without any. ``right`` and ``sure_and_wrong`` are numbers of votes, None where no option is
    the right one.
    """

    counts: tuple[int, ...]
    confidences: tuple[float | None, ...]
    right: int | None
    sure_and_wrong: int | None

    @property
    def votes(self) -> int:
        return sum(self.counts)

    @property
    def majority(self) -> int | None:
        """The option with most votes; None where two have as many, or nobody voted."""
        most = max(self.counts)
        return self.counts.index(most) if self.counts.count(most) == 1 and most else None

    @property
    def sure(self) -> float | None:
        """The mean confidence of all votes; None without any."""
        total = sum(n * (mean or 0) for n, mean in zip(self.counts, self.confidences, strict=True))
        return total / self.votes if self.votes else None


def tally(asked: AskedQuestion) -> Tally:
    """Count the votes on a question."""
    truth, votes = asked.content.truth, list(asked.votes.values())
    by_option = [
        [vote.confidence for vote in votes if vote.choice == place]
        for place in range(len(asked.content.options))
    ]
    wrong = [vote for vote in votes if vote.choice != truth]
    known = truth is not None
    return Tally(
        tuple(map(len, by_option)),
        tuple(float(np.mean(each)) if each else None for each in by_option),
        len(votes) - len(wrong) if known else None,
        sum(vote.confidence >= SURE for vote in wrong) if known else None,
    )


def revealed(state: RoomState) -> list[AskedQuestion]:
    """The questions whose votes everybody may see, in the order in which they were asked."""
    return [each for each in state.questions.values() if each.revealed and not each.withdrawn]


def turned_over(asked: AskedQuestion) -> Sequence[Answer]:
    """The answers of others than the class that everybody may see."""
    return asked.content.answers[: max(asked.revealed - 1, 0)]


def is_complete(asked: AskedQuestion) -> bool:
    """Whether every answer to it was turned over."""
    return asked.revealed > len(asked.content.answers) and not asked.waits


def right_option(asked: AskedQuestion) -> int | None:
    """The place of the right option, where there is one and everybody may know it."""
    return asked.content.truth if is_complete(asked) else None


def sure_and_wrong_sentence(asked: AskedQuestion) -> str:
    """How many of the class were sure and wrong, and which of the others; empty where no option is
    the right one, and until all answers are turned over, for it gives away which is right.
    """
    counted, truth = tally(asked), asked.content.truth
    if truth is None or not is_complete(asked):
        return ""
    names = [
        answer.name
        for answer in asked.content.answers
        if answer.choice != truth and (answer.probability or 0) >= SURE
    ]
    votes = "1 vote" if counted.votes == 1 else f"{counted.votes} votes"
    said = f"Sure (at least {100 * SURE:.0f} %) and wrong: {counted.sure_and_wrong} of {votes}"
    return f"{said}; {', '.join(names)}." if names else f"{said}."


def tally_sentence(asked: AskedQuestion) -> str:
    """What the class says, how sure it is and, once all answers are turned over, how many are
    right.
    """
    counted, options = tally(asked), asked.content.options
    if not counted.votes:
        return "Nobody has voted."
    if counted.votes == 1:
        (choice,) = [place for place, n in enumerate(counted.counts) if n]
        said = f"The one vote is for “{options[choice]}”"
    elif counted.majority is None:
        said = f"The class is tied: {max(counted.counts)} of {counted.votes} votes each"
    else:
        most = counted.counts[counted.majority]
        said = f"{most} of {counted.votes} say “{options[counted.majority]}”"
    sure = f"{said}, {100 * (counted.sure or 0):.0f} % sure on average."
    if counted.right is None or not is_complete(asked):
        return sure
    right = {0: "None is", 1: "1 is"}.get(counted.right, f"{counted.right} are")
    return f"{sure} {right} right."
