"""Probabilities of ordered steps in, what a person reads out: the likeliest step, the expected one,
and what two labels make of a text that judges nothing.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.tasks.task import OneLabel

CLOSE = 0.1  # on either side of even: neither label has odds of more than 3 to 2


@dataclass(frozen=True)
class StepsAnswer:
    """The ``probabilities`` of ordered ``labels``, and the expected step, the first being 0."""

    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    expected: float

    @property
    def likeliest(self) -> int:
        return int(np.argmax(self.probabilities))

    @property
    def middle(self) -> int | None:
        """The step between both sides; None where the number of steps is even."""
        return len(self.labels) // 2 if len(self.labels) % 2 else None

    @property
    def is_neither(self) -> bool:
        """Whether the middle step is the likeliest."""
        return self.likeliest == self.middle

    @property
    def is_surely_neither(self) -> bool:
        """Whether the middle step is likelier than all the others together."""
        return self.is_neither and self.probabilities[self.likeliest] > 0.5

    def title(self) -> str:
        """The likeliest step and how probable it is."""
        sign = "◇" if self.is_neither else "▲" if self.likeliest > len(self.labels) / 2 else "▼"
        return (
            f"{sign} {self.labels[self.likeliest]} {_percent(self.probabilities[self.likeliest])}"
        )

    def _said(self) -> str:
        label, share = self.labels[self.likeliest], self.probabilities[self.likeliest]
        return f"{label} {_percent(share)}"

    def sentence(self) -> str:
        """What the bars show."""
        last = len(self.labels) - 1
        said = (
            f"{self.labels[self.likeliest].capitalize()} is the likeliest step "
            f"({_percent(self.probabilities[self.likeliest])}); the expected step is "
            f"{self.expected:.2f} on the way from 0 ({self.labels[0]}) to {last} "
            f"({self.labels[-1]})."
        )
        if self.middle is not None and not self.is_neither:
            said += (
                f" {self.labels[self.middle].capitalize()}, which is neither side, gets "
                f"{_percent(self.probabilities[self.middle])}."
            )
        return said

    def table(self) -> pd.DataFrame:
        """A row for each step, with what it adds to the expected one."""
        steps = range(len(self.labels))
        return pd.DataFrame(
            {"step": steps, "label": self.labels, "probability": self.probabilities}
        ).assign(share_of_expected=lambda t: t["step"] * t["probability"])


def answer_in_steps(model: LoadedModel, text: str) -> StepsAnswer:
    """Ask a model of such a task.

    Raises:
        BertsentError: the model does not answer.
    """
    task = model.task
    if not isinstance(task, OneLabel):
        raise TypeError(f"{task.title} has no steps")
    answers = model.answers([(text, "")])
    return StepsAnswer(
        task.labels, tuple(answers[0].tolist()), float(task.expected_step(answers)[0])
    )


def doubt_sentence(answer: Prediction, steps: StepsAnswer | None) -> str:
    """What speaks against taking an answer of two labels at its word; empty where nothing does.

    The label stays what the model said: it has to name a side, and its scores count that side. But
    within ten points of even the odds are less than 3 to 2, and a model that has a word for neither
    side may find it likelier than all its others together.
    """
    said = []
    if abs(answer.p_positive - 0.5) < CLOSE:
        said.append("The two labels are nearly even: read this as undecided.")
    if steps is not None and steps.is_surely_neither:
        said.append(
            f"The model of five steps says {steps.labels[steps.likeliest]} "
            f"({_percent(steps.probabilities[steps.likeliest])}). Two labels have no word for a "
            "text that takes no side."
        )
    return " ".join(said)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
