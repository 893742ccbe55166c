"""Several tasks that one model learns at once: each text belongs to one of them, and the mean
losses of all are added up before an update.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bertsent.errors import BadInput
from bertsent.tasks.catalogue import FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.task import OneLabel, Rating, Task, TaskTarget

if TYPE_CHECKING:
    import torch

MOST_PARTS = 8


@dataclass(frozen=True)
class MixedTask(Task):
    """The tasks ``parts``; ``weights`` says how much the mean loss of each counts (none: all
    alike).

    Logits and answers have the columns of the first part, then those of the second, and so on. A
    row of targets holds the place of its part, then what is true of it.
    """

    parts: tuple[Task, ...] = ()
    weights: tuple[float, ...] = ()
    problem_type: ClassVar[str] = "mixed"
    main_metric: ClassVar[str] = "mean"

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        BadInput.raise_if(
            not 1 <= len(names) <= MOST_PARTS or len(set(names)) < len(names),
            f"{len(names)} tasks with {len(set(names))} names cannot be learned at once.",
            f"Choose up to {MOST_PARTS} that differ.",
        )
        BadInput.raise_if(
            any(part.reads == "aspect" or isinstance(part, MixedTask) for part in self.parts),
            "Aspects and mixtures cannot be part of a mixture.",
            "Choose tasks that read one text or two.",
        )
        fits = len(self.weights) in (0, len(names)) and all(map(math.isfinite, self.weights))
        BadInput.raise_if(
            not fits or any(weight <= 0 for weight in self.weights),
            f"The weights of {len(names)} tasks cannot be {self.weights!s:.40}.",
            "Give each a number above 0.",
        )
        reads = "two texts" if any(part.reads == "two texts" for part in self.parts) else "text"
        object.__setattr__(self, "reads", reads)

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights as shares of 1."""
        weights = self.weights or (1.0,) * len(self.parts)
        return tuple(weight / math.fsum(weights) for weight in weights)

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(f"{part.name}: {name}" for part in self.parts for name in part.output_names)

    def place(self, name: str) -> int:
        """Which of the parts is called ``name``.

        Raises:
            BadInput: none is.
        """
        names = [part.name for part in self.parts]
        BadInput.raise_if(
            name not in names,
            f"“{name[:40]}” is not one of the tasks that are learned here.",
            f"Choose one of {', '.join(names)}.",
        )
        return names.index(name)

    def columns(self, place: int) -> slice:
        """Those of a part in logits and answers."""
        start = sum(part.outputs for part in self.parts[:place])
        return slice(start, start + self.parts[place].outputs)

    def target_of(self, row: TaskTarget) -> Any:
        place = self.place(row.part)
        own = self.parts[place].target_of(row)
        return None if own is None else (place, own)

    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        """(n, 1 + the widest target): the place of the part, then what is true."""
        import torch

        widest = max(1 if part.is_single else part.outputs for part in self.parts)
        found = torch.zeros(len(rows), 1 + widest)
        for place, part in enumerate(self.parts):
            own = [at for at, (of, _) in enumerate(rows) if of == place]
            if own:
                targets = part.targets([rows[at][1] for at in own]).float()
                targets = targets.reshape(len(own), -1)
                found[own, 0], found[own, 1 : 1 + targets.shape[1]] = float(place), targets
        return found

    def targets_of_part(self, targets: Any, place: int) -> Any:
        """Of a tensor or array of targets, those of a part, as the part itself has them."""
        part, own = self.parts[place], targets[targets[:, 0] == place]
        if isinstance(part, OneLabel):
            return own[:, 1].long() if hasattr(own, "long") else own[:, 1].astype(int)
        return own[:, 1] if part.is_single else own[:, 1 : 1 + part.outputs]

    def answers_of_part(self, answers: np.ndarray, place: int) -> np.ndarray:
        """Of answers to rows of a part, those that it gives itself."""
        own = answers[:, self.columns(place)]
        return own[:, 0] if isinstance(self.parts[place], Rating) else own

    def step_weights(
        self, targets: "torch.Tensor", labels: "torch.Tensor | None"
    ) -> "tuple[torch.Tensor | None, float]":
        """What each row of every part counts, so that the losses of these rows add up to the
        weighted sum of the parts' means. A part without rows adds nothing.
        """
        return self._row_weights(targets), 1.0

    def _row_weights(self, targets: "torch.Tensor") -> "torch.Tensor":
        import torch

        counts = torch.bincount(targets[:, 0].long(), minlength=len(self.parts)).cpu()
        return torch.tensor(self.shares) / counts.clamp(min=1)

    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """The weighted losses of the parts, added up; without ``weights`` of each part's row, the
        weighted sum of the parts' means times the number of rows.
        """
        if weights is None:
            weights = self._row_weights(targets) * len(targets)
        total = logits.new_zeros(())
        for place, weight in enumerate(weights.tolist()):
            own = logits[targets[:, 0] == place][:, self.columns(place)]
            if len(own):
                true = self.targets_of_part(targets, place)
                total = total + weight * self.parts[place].loss(own, true, None, smoothing)
        return total

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """Those of every part side by side (n, outputs)."""
        found = [
            part.answers(logits[:, self.columns(place)]).reshape(len(logits), -1)
            for place, part in enumerate(self.parts)
        ]
        return np.concatenate(found, axis=1)

    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """Those that their own part counts as right."""
        total = logits.new_zeros(())
        for place, part in enumerate(self.parts):
            own = logits[targets[:, 0] == place][:, self.columns(place)]
            if len(own):
                total = total + part.right(own, self.targets_of_part(targets, place))
        return total

    def metrics(self, targets: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """``mean``, that of the parts' main metrics, and every metric of a part under the name of
        the part and its own; a part without rows has none.
        """
        found: dict[str, float] = {}
        main = []
        for place, part in enumerate(self.parts):
            own = targets[:, 0] == place
            if not own.any():
                continue
            given = self.answers_of_part(answers[own], place)
            metrics = part.metrics(self.targets_of_part(targets, place), given)
            main.append(metrics[part.main_metric])
            found |= {f"{part.name} {name}": value for name, value in metrics.items()}
        return {"mean": float(np.mean(main)) if main else 0.0, **found}


# sentiment, paraphrase and similarity as a Stanford course sets them (CS224N, default project)
THREE_TASKS = MixedTask(
    "three-tasks", "Three tasks at once", parts=(FIVE_STEPS, PARAPHRASE, SIMILARITY)
)
WEIGHTED = MixedTask(  # half of the loss is that of sentiment (Mejia et al. 2023, section 4.2.4)
    "three-tasks",
    "Three tasks at once",
    parts=THREE_TASKS.parts,
    weights=(0.5, 0.25, 0.25),
)
