"""A task: what a model reads, what it answers, by which loss it learns and by which numbers it is
judged.

There are three kinds, named as ``problem_type`` of transformers names them: one of several labels,
any number of labels at once, a number in a range. Everything that trains, keeps, exports or shows a
model asks its task; sentiment with two labels is one of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np

from bertsent.errors import BadInput

if TYPE_CHECKING:
    import torch

Reads = Literal["text", "two texts", "aspect"]  # the last: an aspect, and the text that it is in
MOST_LABELS = 64
SHARE = 0.5  # a label of several is given from this probability on, unless another is chosen


def aspect_is_in(aspect: str, text: str) -> bool:
    """Whether there is an aspect and its text has it, in capitals or not."""
    return bool(aspect.strip()) and aspect.strip().lower() in text.lower()


class TaskTarget(Protocol):
    """What is true of a text, as an ``Example`` has it."""

    @property
    def label(self) -> int | None: ...
    @property
    def scores(self) -> tuple[float, ...]: ...
    @property
    def part(self) -> str: ...


@dataclass(frozen=True)
class Task(ABC):
    """What a model is asked.

    ``name`` is for cards, links and commands, ``title`` for people.
    """

    name: str
    title: str
    reads: Reads = "text"
    problem_type: ClassVar[str]
    main_metric: ClassVar[str]

    @property
    @abstractmethod
    def output_names(self) -> tuple[str, ...]:
        """What each logit stands for."""

    @property
    def outputs(self) -> int:
        """How many logits the head gives."""
        return len(self.output_names)

    @property
    def is_single(self) -> bool:
        """Whether one value is true of a text, not one for each output."""
        return True

    @abstractmethod
    def target_of(self, row: TaskTarget) -> Any:
        """What is true of one text, as ``targets`` takes it; None where it is unknown."""

    @abstractmethod
    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        """What is true of some texts as the loss wants it: a label, a number for each label, or one
        number, of each text.
        """

    def step_weights(
        self, targets: "torch.Tensor", labels: "torch.Tensor | None"
    ) -> "tuple[torch.Tensor | None, float]":
        """For the rows of one update: the ``weights`` that ``loss`` takes, and what the sum of
        their losses is divided by; ``labels`` says what each label counts, if they differ.
        """
        if labels is None:
            return None, float(len(targets))
        return labels, labels[targets].sum().item()

    @abstractmethod
    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """The losses of some texts, added up.

        Args:
            logits: (B, outputs).
            targets: of these texts, as ``targets`` gives them.
            weights: (outputs,) what each label counts, for one of several labels alone.
            smoothing: the share of every label that is spread over all, for the same.
        """

    @abstractmethod
    def answers(self, logits: np.ndarray) -> np.ndarray:
        """What a person reads of logits (n, outputs): probabilities (n, outputs), or numbers (n,)
        in the range of the task, in double precision.
        """

    @abstractmethod
    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """How many of some texts are answered right, for the curve while training: a sum that need
        not be whole.
        """

    @abstractmethod
    def metrics(self, targets: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """How good ``answers`` are, by name; ``main_metric`` is one of them, larger is better."""

    def kept(self, answers: np.ndarray) -> np.ndarray:
        """What a run keeps of ``answers`` after an evaluation."""
        return answers

    def to_dict(self) -> dict[str, Any]:
        """The task as it stands in a run's configuration and on a checkpoint's card."""
        own = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        return {"kind": self.problem_type, **own}


def _plain(value: Any) -> Any:
    """A field of a task as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.to_dict() if isinstance(value, Task) else value


@dataclass(frozen=True)
class OneLabel(Task):
    """One of some labels; ``ordered`` says that each is a step above the one before it."""

    labels: tuple[str, ...] = ()
    ordered: bool = False
    problem_type: ClassVar[str] = "single_label_classification"
    main_metric: ClassVar[str] = "accuracy"

    def __post_init__(self) -> None:
        check_labels(self.labels, 2)

    @property
    def output_names(self) -> tuple[str, ...]:
        return self.labels

    def target_of(self, row: TaskTarget) -> int | None:
        return row.label

    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        import torch

        return torch.tensor(rows, dtype=torch.long)

    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """Cross-entropy."""
        from torch.nn.functional import cross_entropy

        return cross_entropy(logits, targets, weights, reduction="sum", label_smoothing=smoothing)

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """The softmax."""
        from scipy.special import softmax

        return softmax(logits.astype(np.float64), axis=-1)

    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """Those whose likeliest label is the true one."""
        return (logits.argmax(-1) == targets).sum().float()

    def kept(self, answers: np.ndarray) -> np.ndarray:
        """All probabilities; of two labels that of the second alone, (n,)."""
        return answers[:, 1] if self.outputs == 2 else answers

    def expected_step(self, answers: np.ndarray) -> np.ndarray:
        """The mean step (n,) of probabilities (n, K) over ordered labels, the first being 0."""
        return answers @ np.arange(len(self.labels), dtype=np.float64)

    def metrics(self, targets: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """Accuracy, macro-F1; of ordered labels also the mean distance in steps."""
        from sklearn.metrics import accuracy_score, f1_score

        given = answers.argmax(-1)
        labels = range(len(self.labels))
        found = {
            "accuracy": float(accuracy_score(targets, given)),
            "macro_f1": float(
                f1_score(targets, given, labels=labels, average="macro", zero_division=0)
            ),
        }
        if self.ordered and len(self.labels) > 2:
            found["mean_distance"] = float(np.abs(targets - given).mean())
        return found


@dataclass(frozen=True)
class SeveralLabels(Task):
    """Any number of some labels at once, none included."""

    labels: tuple[str, ...] = ()
    problem_type: ClassVar[str] = "multi_label_classification"
    main_metric: ClassVar[str] = "jaccard"

    def __post_init__(self) -> None:
        check_labels(self.labels, 1)

    @property
    def output_names(self) -> tuple[str, ...]:
        return self.labels

    @property
    def is_single(self) -> bool:
        return False

    def target_of(self, row: TaskTarget) -> list[float] | None:
        return list(row.scores) or None

    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        """1 where a label holds, however strongly, and 0 elsewhere."""
        import torch

        return (torch.tensor(rows) > 0).float()

    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """Binary cross-entropy, the mean over the labels."""
        from torch.nn.functional import binary_cross_entropy_with_logits

        losses = binary_cross_entropy_with_logits(logits, targets, reduction="none")
        return losses.mean(-1).sum()

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """The sigmoid of each."""
        from scipy.special import expit

        return expit(logits.astype(np.float64))

    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """The Jaccard index of each, 1 where neither the answer nor the truth has any label."""
        given, truth = logits > 0, targets > 0
        both, either = (given & truth).sum(-1), (given | truth).sum(-1)
        return ((both + (either == 0)) / either.clamp(min=1)).sum()

    def metrics(
        self, targets: np.ndarray, answers: np.ndarray, threshold: float = SHARE
    ) -> dict[str, float]:
        """Jaccard index (the mean over texts of what both have by what either has, 1 where neither
        has any), micro-F1 and macro-F1 of the labels whose probability is over a threshold.
        """
        from sklearn.metrics import f1_score, jaccard_score

        truth, given = targets > 0, answers > threshold
        jaccard = jaccard_score(truth, given, average="samples", zero_division=1)
        scores = {
            f"{how}_f1": float(f1_score(truth, given, average=how, zero_division=0))
            for how in ("micro", "macro")
        }
        return {"jaccard": float(jaccard), **scores}


@dataclass(frozen=True)
class Rating(Task):
    """A number from ``low`` to ``high``; ``measure`` is what it says, such as “similarity”. Where
    it is ``squashed``, the logit goes through a sigmoid that is stretched over the range.
    """

    low: float = 0.0
    high: float = 1.0
    measure: str = "rating"
    squashed: bool = False
    problem_type: ClassVar[str] = "regression"
    main_metric: ClassVar[str] = "pearson"

    def __post_init__(self) -> None:
        BadInput.raise_if(
            not -1e6 < self.low < self.high < 1e6,
            f"From {self.low:g} to {self.high:g} is no range.",
            "Give a lower and a higher number.",
        )

    @property
    def output_names(self) -> tuple[str, ...]:
        return (self.measure,)

    def target_of(self, row: TaskTarget) -> float | None:
        return row.scores[0] if row.scores else None

    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        import torch

        return torch.tensor(rows, dtype=torch.float)

    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """Squared error, by the square of the range: a miss of the whole range costs 1."""
        return ((self._numbers(logits) - targets) / (self.high - self.low)).square().sum()

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """The logit itself, cut at the ends of the range; or what the sigmoid makes of it."""
        from scipy.special import expit

        numbers = logits[..., 0].astype(np.float64)
        if self.squashed:
            return self.low + (self.high - self.low) * expit(numbers)
        return numbers.clip(self.low, self.high)

    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """Those within a tenth of the range."""
        misses = (self._numbers(logits) - targets).abs()
        return (misses <= (self.high - self.low) / 10).sum().float()

    def _numbers(self, logits: "torch.Tensor") -> "torch.Tensor":
        """The numbers (B,) that the loss compares with the true ones."""
        if self.squashed:
            return self.low + (self.high - self.low) * logits[:, 0].sigmoid()
        return logits[:, 0]

    def metrics(self, targets: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """Pearson's and Spearman's correlation (0 where all answers are alike) and the mean
        absolute error.
        """
        from scipy.stats import pearsonr, spearmanr

        varies = len(answers) > 1 and min(np.ptp(answers), np.ptp(targets)) > 0
        return {
            "pearson": float(pearsonr(targets, answers).statistic) if varies else 0.0,
            "spearman": float(spearmanr(targets, answers).statistic) if varies else 0.0,
            "mean_error": float(np.abs(targets - answers).mean()),
        }


_KINDS: dict[str, type[Task]] = {
    kind.problem_type: kind for kind in (OneLabel, SeveralLabels, Rating)
}


def task_of_dict(values: Mapping[str, Any]) -> Task:
    """The task that ``Task.to_dict`` wrote.

    Raises:
        BadInput: it is damaged, or of a newer version.
    """
    try:
        content = {name: value for name, value in values.items() if name != "kind"}
        if "labels" in content:
            content["labels"] = tuple(map(str, content["labels"]))
        if "parts" in content:
            return _mixed(content)
        if values["kind"] == "masked_words":
            return _masked_words(content)
        return _KINDS[values["kind"]](**content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput(
            "The description of a task cannot be read.", "A newer version may have written it."
        ) from None


def _mixed(content: dict[str, Any]) -> Task:
    from bertsent.tasks.mixed import MixedTask  # it is made of tasks

    if any("parts" in part for part in content["parts"]):
        raise ValueError("nested")
    parts = tuple(map(task_of_dict, content.pop("parts")))
    return MixedTask(**content | {"parts": parts, "weights": tuple(content["weights"])})


def _masked_words(content: dict[str, Any]) -> Task:
    from bertsent.tasks.masked_words import MaskedWords  # it inherits from what is here

    return MaskedWords(**content)


def check_labels(labels: Sequence[str], fewest: int) -> None:
    """Check the names of labels.

    Raises:
        BadInput: too few or too many, two alike, or one without letters.
    """
    BadInput.raise_if(
        not fewest <= len(labels) <= MOST_LABELS,
        f"A task with {len(labels)} labels is not possible.",
        f"Use {fewest} to {MOST_LABELS}.",
    )
    BadInput.raise_if(
        len(set(labels)) != len(labels) or not all(label.strip() for label in labels),
        "Labels need names that differ.",
    )
