"""The task that BERT is pretrained with: which word stands behind a mask? (Devlin et al. 2019,
section 3.1). It needs no labels: what is true of a text are its own words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bertsent.tasks.task import Task, TaskTarget

if TYPE_CHECKING:
    import torch

FEW = 10  # guesses among which the true word is looked for


@dataclass(frozen=True)
class MaskedWords(Task):
    """The words of a text that are drawn, most of them hidden, are told from the others.

    A text has no target of its own; what is asked changes with every draw. ``targets`` below are
    the ids of drawn tokens, logits are those of the whole vocabulary, and the answer to a token is
    a row of two numbers: its loss, and the rank of the true one among all (1 is the likeliest).
    """

    problem_type: ClassVar[str] = "masked_words"
    main_metric: ClassVar[str] = "masked_accuracy"

    @property
    def output_names(self) -> tuple[str, ...]:
        """None that belong to a whole text."""
        return ()

    def target_of(self, row: TaskTarget) -> int:
        """Nothing is missing: 0 for every text."""
        return 0

    def targets(self, rows: Sequence[Any]) -> "torch.Tensor":
        """A number for each text, or the ids of drawn tokens, (n,)."""
        import torch

        return torch.tensor(rows, dtype=torch.long)

    def loss(
        self,
        logits: "torch.Tensor",
        targets: "torch.Tensor",
        weights: "torch.Tensor | None" = None,
        smoothing: float = 0.0,
    ) -> "torch.Tensor":
        """Cross-entropy of the drawn tokens, added up, of logits (n, V)."""
        from torch.nn.functional import cross_entropy

        return cross_entropy(logits, targets, weights, reduction="sum", label_smoothing=smoothing)

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """The softmax over the vocabulary (n, V)."""
        from scipy.special import softmax

        return softmax(logits.astype(np.float64), axis=-1)

    def judged(self, logits: "torch.Tensor", targets: "torch.Tensor") -> np.ndarray:
        """Loss and rank of each drawn token, (n, 2) in double precision."""
        from torch.nn.functional import cross_entropy

        losses = cross_entropy(logits, targets, reduction="none").double()
        true = logits.gather(1, targets[:, None])
        ranks = 1 + (logits > true).sum(1)
        return np.stack([losses.cpu().numpy(), ranks.cpu().double().numpy()], axis=1)

    def right(self, logits: "torch.Tensor", targets: "torch.Tensor") -> "torch.Tensor":
        """The drawn tokens whose likeliest guess is the true one."""
        return (logits.argmax(-1) == targets).sum().float()

    def metrics(self, targets: np.ndarray, answers: np.ndarray) -> dict[str, float]:
        """Of rows as ``judged`` gives them: the share of drawn tokens guessed right, that among the
        ten likeliest guesses, and the perplexity, e to the mean loss. ``targets`` are not needed.
        """
        losses, ranks = answers[:, 0], answers[:, 1]
        return {
            "masked_accuracy": float((ranks == 1).mean()),
            "among_ten": float((ranks <= FEW).mean()),
            "perplexity": math.exp(min(float(losses.mean()), 700.0)),
        }


MASKED_WORDS = MaskedWords("masked-words", "Masked words, as in pretraining")
