"""Recomputed numbers and the model's own in, the largest difference between them out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

TOLERANCE = 1e-4  # the model computes in single precision
SHARE = 1e-5  # of the largest number, where that is much


@dataclass(frozen=True)
class Comparison:
    """``difference`` is the largest between numbers recomputed and the model's own, ``tolerance``
    what is allowed.
    """

    name: str
    difference: float
    tolerance: float

    @property
    def same(self) -> bool:
        """Whether every number is the model's own; a number that is not finite is not."""
        return self.difference <= self.tolerance

    def sentence(self, reason: str = "") -> str:
        """The same in words, everywhere on screen; ``reason`` is why they differ, where known."""
        size, allowed = magnitude(self.difference), magnitude(self.tolerance)
        if self.same:
            differs = f"differs by at most {size}; allowed {allowed}"
            how = differs if self.difference else "exactly"
            return f"{self.name}: recomputed = the model’s ✓ ({how})"
        return (
            f"{self.name}: recomputed ≠ the model’s ✗ "
            f"(differs by {size}; allowed {allowed}). {reason}"
        ).strip()


def compare(
    name: str, recomputed: npt.ArrayLike, own: npt.ArrayLike, tolerance: float = TOLERANCE
) -> Comparison:
    """Compare two arrays of one shape. Where the model's own numbers are large, what is allowed
    grows with the largest of them, as rounding does: at least ``tolerance``, or ``SHARE`` of it.
    """
    ours, theirs = (np.asarray(part, np.float64) for part in (recomputed, own))
    if ours.shape != theirs.shape:
        raise ValueError(f"{name}: {ours.shape} recomputed, {theirs.shape} of the model")
    allowed = max(tolerance, SHARE * float(np.abs(theirs).max(initial=0.0)))
    return Comparison(name, float(np.abs(ours - theirs).max(initial=0.0)), allowed)


def worst(name: str, comparisons: list[Comparison]) -> Comparison:
    """Of several comparisons the one nearest to its tolerance, or farthest beyond it."""
    found = max(comparisons, key=lambda each: each.difference / each.tolerance)
    return Comparison(name, found.difference, found.tolerance)


def magnitude(size: float) -> str:
    """A difference as one digit and its power of ten: "2e-6", or "0"."""
    return f"{size:.0e}".replace("e-0", "e-").replace("e+00", "")
