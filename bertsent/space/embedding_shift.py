"""The vectors of the same reviews before and after fine-tuning in, both seen on one plane out, with
how far each review has moved.

Fine-tuning begins with the backbone's own weights, so a direction means the same in both models,
and one plane can show both: the first two principal components of all vectors together. Maps that
are made one by one (``bertsent.space.before_after``) cannot carry an arrow from one to the other.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertsent.space.projection import Projection, pca

MOST = 5_000  # reviews that the plane is fitted on; beyond, every so many of them


@dataclass(frozen=True)
class EmbeddingShift:
    """Where reviews lie on the common plane before and after fine-tuning, and how far they have
    moved in the full vectors.
    """

    before: np.ndarray  # (n, 2)
    after: np.ndarray  # (n, 2)
    moved: np.ndarray  # (n,)
    plane: Projection
    fitted_on: int  # reviews

    def arrow(self, before: np.ndarray, after: np.ndarray) -> "ShiftArrow":
        """The movement of one more review, from its vectors (H,) under both models."""
        (x0, y0), (x1, y1) = self.plane.place(np.stack([before, after])).tolist()
        length = float(np.linalg.norm(np.asarray(after, dtype=np.float64) - before))
        return ShiftArrow((x0, y0), (x1, y1), length, float((self.moved < length).mean()))

    def table(self, points: pd.DataFrame) -> pd.DataFrame:
        """One row a review of ``points``: both places on the plane, and how far it moved."""
        places = {
            f"{when}_{axis}": where[:, i]
            for when, where in (("before", self.before), ("after", self.after))
            for i, axis in enumerate("xy")
        }
        columns = ["id", "text", "label", "prediction", "p_positive"]
        return points[columns].assign(**places, moved=self.moved)


@dataclass(frozen=True)
class ShiftArrow:
    """From a review's place under the backbone to its place after fine-tuning."""

    start: tuple[float, float]
    end: tuple[float, float]
    length: float  # of the movement in the full vectors
    further_than: float  # share of the reviews that have moved less

    @property
    def seen(self) -> float:
        """Which share of the length the plane shows."""
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


def shift_sentence(found: EmbeddingShift, arrow: ShiftArrow | None) -> str:
    """How far the reviews have moved, and how far the one that was dropped in."""
    basis = (
        f"PCA of both models' vectors of {found.fitted_on:,} reviews together; its two axes keep "
        f"{found.plane.explained.sum():.0%} of their variance. The median movement is "
        f"{np.median(found.moved):.2f}."
    )
    if arrow is None:
        return f"{basis} Drop a review in to see its own movement."
    return (
        f"{basis} Yours moved by {arrow.length:.2f}, further than {arrow.further_than:.0%} of "
        f"them; the amber arrow shows {arrow.seen:.0%} of that length."
    )
