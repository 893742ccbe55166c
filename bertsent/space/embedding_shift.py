"""The vectors of the same reviews before and after fine-tuning in, both seen on one plane out, with
how far each review has moved.

Fine-tuning begins with the backbone's own weights, so both models speak of the same directions, and
one plane can show both: the first
two principal components of all vectors together. Maps that are made one by one
(``bertsent.space.before_after``) cannot carry an arrow
from one to the other.
"""

from dataclasses import dataclass

import numpy as np

from bertsent.space.projection import Projection, pca

MOST = 5_000  # reviews that the plane is fitted on; beyond, every so many of them


@dataclass(frozen=True)
class EmbeddingShift:
    """Where reviews lie on the common plane before and after, and how far they have moved in their
    full width.
    """

    before: np.ndarray  # (n, 2)
    after: np.ndarray  # (n, 2)
    moved: np.ndarray  # (n,)
    plane: Projection
    fitted_on: int  # reviews

    def arrow(self, before: np.ndarray, after: np.ndarray) -> "ShiftArrow":
        """The way of one more review, of its vectors (H,) under both models."""
        start, end = self.plane.place(np.stack([before, after]))
        length = float(np.linalg.norm(np.asarray(after, dtype=np.float64) - before))
        return ShiftArrow(
            tuple(start.tolist()), tuple(end.tolist()), length, float((self.moved < length).mean())
        )


@dataclass(frozen=True)
class ShiftArrow:
    """From the place under the backbone to the place after fine-tuning."""

    start: tuple[float, float]
    end: tuple[float, float]
    length: float  # of the way in the full width
    further_than: float  # share of the reviews that have moved less

    @property
    def seen(self) -> float:
        """Which share of the way's length the plane shows."""
        drawn = float(np.hypot(self.end[0] - self.start[0], self.end[1] - self.start[1]))
        return drawn / self.length if self.length else 1.0


def embedding_shift(before: np.ndarray, after: np.ndarray) -> EmbeddingShift | None:
    """See vectors (n, H) of both models on one plane; None where their widths differ, because then
    they share no directions.

    Raises:
        BadInput: no vectors, or vectors that are not finite.
    """
    if before.shape != after.shape:
        return None
    some = slice(None, None, -(-len(before) // MOST) or 1)
    plane = pca(np.concatenate([before[some], after[some]]))
    moved = np.linalg.norm(after.astype(np.float64) - before.astype(np.float64), axis=1)
    return EmbeddingShift(plane.place(before), plane.place(after), moved, plane, len(before[some]))
