"""The probabilities of several labels in, what a person reads out: which are over a threshold, and
where they lie on Plutchik's wheel.
"""

from dataclasses import dataclass

import pandas as pd

from bertsent.probing.loaded_model import LoadedModel

WHEEL = (  # clockwise from the top; opposites face each other (Plutchik 1980)
    *("joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation"),
)
DYADS = {  # what two neighbours make together; the third is of two that do not touch
    "love": ("joy", "trust"),
    "optimism": ("anticipation", "joy"),
    "pessimism": ("sadness", "anticipation"),
}


@dataclass(frozen=True)
class FeelingsAnswer:
    """The probability of each label, each for itself: they need not add up to 1."""

    labels: tuple[str, ...]
    probabilities: tuple[float, ...]

    def given(self, threshold: float) -> list[str]:
        """The labels over a threshold, the surest first."""
        over = zip(self.probabilities, self.labels, strict=True)
        return [label for share, label in sorted(over, reverse=True) if share > threshold]

    def title(self, threshold: float) -> str:
        """The labels that are given."""
        return ", ".join(self.given(threshold)) or "none of them"

    def sentence(self, threshold: float) -> str:
        """What the bars show."""
        shares = dict(zip(self.labels, self.probabilities, strict=True))
        over = self.given(threshold)
        named = [f"{label} {100 * shares[label]:.0f} %" for label in over]
        rest = [label for label in self.labels if label not in over]
        if not over:
            nearest = max(rest, key=shares.__getitem__)
            return (
                f"No label is over {100 * threshold:.0f} %; the nearest is {nearest} with "
                f"{100 * shares[nearest]:.0f} %."
            )
        said = f"Over {100 * threshold:.0f} %: {', '.join(named)}."
        if rest:
            nearest = max(rest, key=shares.__getitem__)
            said += f" The next is {nearest} with {100 * shares[nearest]:.0f} %."
        return said

    def sum_sentence(self) -> str:
        """Why the bars do not add up to 100 %."""
        return (
            f"The {len(self.labels)} bars add up to {100 * sum(self.probabilities):.0f} %: each "
            "has a sigmoid of its own."
        )

    def on_the_wheel(self) -> dict[str, float]:
        """The eight of the wheel with their probabilities; empty where a label is missing."""
        shares = dict(zip(self.labels, self.probabilities, strict=True))
        return {name: shares[name] for name in WHEEL} if set(WHEEL) <= shares.keys() else {}

    def dyads(self) -> dict[str, float]:
        """The labels of two feelings together that the model has."""
        shares = dict(zip(self.labels, self.probabilities, strict=True))
        return {name: shares[name] for name in DYADS if name in shares}

    def table(self, threshold: float) -> pd.DataFrame:
        """A row for each label."""
        return pd.DataFrame({"label": self.labels, "probability": self.probabilities}).assign(
            given=lambda t: t["probability"] > threshold
        )


def answer_feelings(model: LoadedModel, text: str) -> FeelingsAnswer:
    """Ask a model of such a task.

    Raises:
        BertsentError: the model does not answer.
    """
    return FeelingsAnswer(model.task.output_names, tuple(model.answers([(text, "")])[0].tolist()))
