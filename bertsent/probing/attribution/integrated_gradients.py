"""Token ids in, what each token adds to P(positive) out: integrated gradients (Sundararajan, Taly
and Yan 2017).

The word vectors go on a straight line from those of a review of nothing but [PAD] between [CLS] and
[SEP] to those of the
review; the gradient of P(positive) is summed up along it. The sum over all tokens has to be the
difference of P between both
ends (completeness). P often jumps on a short stretch of the line, so the line is cut where it
misses most: the same has to hold
for every piece, whose ends are known, and a piece that misses too much is halved. Within a piece
the points are Gauss's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertsent.probing.attribution.units import Progress, require_sentiment

if TYPE_CHECKING:
    import torch

    from bertsent.probing.loaded_model import LoadedModel

PIECES, POINTS = 4, 6  # of the line at the start, and of each piece
CAP = 600  # points: here it gives up
TOLERANCE = 0.02  # of probability
TOKENS = 2_048  # at once: points times length


@dataclass(frozen=True)
class IntegratedGradients:
    """``tokens`` (T,): what each adds to P(positive), from ``p_baseline`` of the empty review to
    ``p_positive`` of this one.
    """

    tokens: np.ndarray
    p_positive: float
    p_baseline: float
    steps: int

    @property
    def error(self) -> float:
        """How much of the difference between both ends the sum of all tokens misses."""
        return abs(float(self.tokens.sum()) - (self.p_positive - self.p_baseline))

    @property
    def complete(self) -> bool:
        return self.error < TOLERANCE


def integrated_gradients(
    learner: "LoadedModel",
    ids: Sequence[int],
    *,
    steps: int | None = None,
    progress: Progress | None = None,
) -> IntegratedGradients:
    """Integrated gradients of P(positive) for the tokens of one review.

    Args:
        learner: whose answer is explained.
        ids: token ids with [CLS] and [SEP].
        steps: that many points on the whole line; where left out, as many as bring the error below
            0.02, at most 600.
        progress: told how far the work is at the worst; may raise ``Cancelled``.

    Raises:
        NotAvailable: this model has no trained head.
    """
    require_sentiment(learner)
    line = _Line(learner, ids)
    if steps:
        return IntegratedGradients(line.integrals([(0.0, 1.0)], steps)[0], *line.ends, steps)
    todo = [(n / PIECES, (n + 1) / PIECES) for n in range(PIECES)]
    done: dict[tuple[float, float], tuple[np.ndarray, float]] = {}
    spent = 0
    while todo:
        spent += POINTS * len(todo)
        done |= {
            piece: (values, line.missed(piece, values))
            for piece, values in zip(todo, line.integrals(todo, POINTS), strict=True)
        }
        if progress:
            progress(min(1.0, spent / CAP))
        todo = _worst(
            {piece: missed for piece, (_, missed) in done.items()}, (CAP - spent) // POINTS
        )
        done = {
            piece: found
            for piece, found in done.items()
            if not any(piece[0] <= half[0] < piece[1] for half in todo)
        }
    return IntegratedGradients(
        np.sum([values for values, _ in done.values()], axis=0), *line.ends, spent
    )


def _worst(missed: Mapping[tuple[float, float], float], room: int) -> list[tuple[float, float]]:
    """The halves of the pieces to look at again: of the worst until the rest together miss less
    than a quarter of the tolerance.
    """
    halves, left = [], sum(missed.values())
    for piece in sorted(missed, key=missed.__getitem__, reverse=True):
        if left < TOLERANCE / 4 or len(halves) + 2 > room:
            break
        left -= missed[piece]
        middle = sum(piece) / 2
        halves += [(piece[0], middle), (middle, piece[1])]
    return halves


class _Line:
    """The straight line from the empty review to the review, in the space of word vectors (T,
    H).
    """

    def __init__(self, learner: "LoadedModel", ids: Sequence[int]) -> None:
        import torch

        self.model, self.device = learner.model, learner.device
        keep = {0, len(ids) - 1}  # [CLS] and [SEP] are in both reviews
        empty = [
            value if place in keep else learner.tokenizer.pad_id for place, value in enumerate(ids)
        ]
        with torch.no_grad():
            vectors = self.model.bert.get_input_embeddings()(
                torch.tensor([empty, list(ids)], device=self.device)
            )
        self.start, self.way = vectors[0], vectors[1] - vectors[0]
        self._known: dict[float, float] = {}
        self.ends = (self.at(1.0), self.at(0.0))

    def at(self, place: float) -> float:
        """P(positive) at a place of the line, from 0 to 1."""
        import torch

        if place not in self._known:
            with torch.no_grad():
                self._known[place] = float(self._p_positive((self.start + place * self.way)[None]))
        return self._known[place]

    def missed(self, piece: tuple[float, float], values: np.ndarray) -> float:
        """By how much the attributions (T,) of a piece miss what P changes along it."""
        return abs(float(values.sum()) - (self.at(piece[1]) - self.at(piece[0])))

    def integrals(self, pieces: Sequence[tuple[float, float]], points: int) -> list[np.ndarray]:
        """For each piece the gradient summed up at so many points, times the way: one number a
        token (T,).
        """
        nodes, weights = np.polynomial.legendre.leggauss(points)
        places = np.concatenate([low + (high - low) * (nodes + 1) / 2 for low, high in pieces])
        slopes = self._slopes(places).reshape(len(pieces), points, -1)  # (pieces, points, T)
        return [
            (high - low) / 2 * weights @ slope
            for (low, high), slope in zip(pieces, slopes, strict=True)
        ]

    def _slopes(self, places: np.ndarray) -> np.ndarray:
        """The gradient at some places times the way, summed over the dimensions of each word
        vector: (places, T).
        """
        import torch

        size, found = max(1, TOKENS // len(self.way)), []
        for start in range(0, len(places), size):
            at = torch.tensor(
                places[start : start + size], dtype=self.way.dtype, device=self.device
            )
            found.append((self._slope(at).double() * self.way.double()).sum(-1).cpu().numpy())
        return np.concatenate(found)

    def _slope(self, at: "torch.Tensor") -> "torch.Tensor":
        """The gradient of P(positive) at some points of the line, (S, T, H); no gradient of a
        weight is kept.
        """
        import torch

        with torch.enable_grad():
            points = (self.start + at[:, None, None] * self.way).detach().requires_grad_()
            return torch.autograd.grad(self._p_positive(points).sum(), points)[0]

    def _p_positive(self, vectors: "torch.Tensor") -> "torch.Tensor":
        import torch

        mask = torch.ones(vectors.shape[:2], dtype=torch.long, device=self.device)
        hidden = self.model.bert(inputs_embeds=vectors, attention_mask=mask).last_hidden_state
        return self.model.classify(hidden, mask).softmax(-1)[:, 1]
