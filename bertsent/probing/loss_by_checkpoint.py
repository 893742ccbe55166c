"""A run and a review in, the answer of every kept checkpoint out: how the loss of this one review
moved while the run learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from bertsent.data.examples import LABELS
from bertsent.models.backbone import weights_hash
from bertsent.models.folders import WEIGHTS
from bertsent.probing.loaded_model import load_folder
from bertsent.progress import Progress, no_progress
from bertsent.training.checkpoints import step_of
from bertsent.training.curves.curve_sentences import GUESSING


@dataclass(frozen=True)
class ReviewByCheckpoint:
    """The ``steps`` (n,) of a run and the ``logits`` (n, 2) of one review there, step by step."""

    steps: tuple[int, ...]
    logits: np.ndarray

    def losses(self, label: int) -> np.ndarray:
        """(n,): −log of the probability of ``label``, in natural logarithms."""
        return -log_softmax(self.logits.astype(np.float64), axis=-1)[:, label]

    def table(self, label: int) -> pd.DataFrame:
        """One row a checkpoint."""
        losses = self.losses(label)
        return pd.DataFrame({"step": self.steps, f"P({LABELS[label]})": np.exp(-losses)}).assign(
            loss=losses
        )

    def sentence(self, label: int) -> str:
        """Where the loss of the review began, where it is now, and where it fell most."""
        losses, steps = self.losses(label), self.steps
        if len(steps) == 1:
            return f"The only checkpoint, of step {steps[0]:,}, has a loss of {losses[0]:.3f}."
        falls = losses[:-1] - losses[1:]
        most = int(falls.argmax())
        fell = (
            f"It fell most between steps {steps[most]:,} and {steps[most + 1]:,}, by "
            f"{falls[most]:.3f}."
            if falls[most] > 0
            else "It never fell from one checkpoint to the next."
        )
        return (
            f"Were the review {LABELS[label]}, its loss would be {losses[0]:.3f} at step "
            f"{steps[0]:,} and {losses[-1]:.3f} at step {steps[-1]:,}; guessing costs "
            f"{GUESSING:.3f}. {fell}"
        )


def loss_by_checkpoint(
    checkpoints: Sequence[Path], text: str, *, progress: Progress = no_progress
) -> ReviewByCheckpoint:
    """Ask every checkpoint, one in memory at a time.

    Args:
        checkpoints: their folders, the first step first.
        text: the clean review.
        progress: hears how much of it is done.

    Raises:
        BadCheckpoint: one of them is damaged.
    """
    rows = []
    for place, folder in enumerate(checkpoints):
        progress(place / len(checkpoints))
        rows.append(_logits(folder, weights_hash(folder / WEIGHTS), text))
    return ReviewByCheckpoint(tuple(map(step_of, checkpoints)), np.array(rows, np.float32))


@lru_cache(maxsize=2_000)
def _logits(folder: Path, _weights: str, text: str) -> tuple[float, float]:
    """The logits of a checkpoint: what a run that lives has answered already is not asked again."""
    return load_folder(folder).predict([text])[0].logits
