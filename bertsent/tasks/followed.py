"""A task in, the one number out by which its answer to a single text is followed step by step."""

from dataclasses import dataclass, replace

import numpy as np

from bertsent.tasks.catalogue import FIVE_STEPS, SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import OneLabel, Rating, Task


@dataclass(frozen=True)
class FollowedAnswer:
    """How far an answer has come from the lowest to the highest one, as a share: for two labels the
    probability of the second, for steps the expected one, for a number its place in the range.

    ``title`` names it, ``sides`` are what it is below and above one half. ``task`` answers, from
    the column ``first`` of the logits on.
    """

    task: OneLabel | Rating
    title: str
    sides: tuple[str, str]
    first: int = 0

    def share(self, logits: np.ndarray) -> np.ndarray:
        """The shares (n,) of logits (n, outputs), in double precision."""
        task, end = self.task, self.first + self.task.outputs
        answers = task.answers(logits[:, self.first : end])
        if isinstance(task, Rating):
            return (answers - task.low) / (task.high - task.low)
        return task.expected_step(answers) / (task.outputs - 1)


P_POSITIVE = FollowedAnswer(SENTIMENT, "P(positive)", ("NEGATIVE", "POSITIVE"))


def followed_answer(task: Task) -> FollowedAnswer | None:
    """By what the answer to a sentence is followed; of several tasks by that of the first that has
    one. None where a single text has no answer that is more or less: where two are read, or labels
    are no steps.
    """
    if isinstance(task, MixedTask):
        return _of_first_part(task)
    if task.reads != "text" or not isinstance(task, OneLabel | Rating):
        return None
    if task == SENTIMENT:
        return P_POSITIVE
    if isinstance(task, Rating):
        low, high = f"{task.low:g}", f"{task.high:g}"
    elif task.ordered or task.outputs == 2:
        low, high = task.labels[0], task.labels[-1]
    else:
        return None
    sides = f"nearer to {low}", f"nearer to {high}"
    return FollowedAnswer(
        task, f"from {low} to {high}", ("negative", "positive") if task == FIVE_STEPS else sides
    )


def follows_sentences(task: Task) -> bool:
    """Whether sentences can be watched while that task is learned: by the answer to them, or by the
    guesses for their gap.
    """
    return isinstance(task, MaskedWords) or followed_answer(task) is not None


def _of_first_part(task: MixedTask) -> FollowedAnswer | None:
    for place, part in enumerate(task.parts):
        if found := followed_answer(part):
            return replace(found, first=task.columns(place).start)
    return None
