"""Token ids in, what each token adds to P(positive) out: integrated gradients (Sundararajan, Taly
and Yan 2017), computed by captum.

The word vectors go on a straight line from those of a review of nothing but [PAD] between [CLS] and
[SEP] to those of the review; the gradient of P(positive) is integrated along it. The sum over all
tokens has to be the difference of P between both ends (completeness). P often jumps on a short
stretch of the line, so the line is cut in pieces, for which the same has to hold, and a piece that
misses too much is halved. Within a piece the points are those of Gauss–Legendre quadrature.
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
Piece = tuple[float, float]  # from where to where, in shares of the line


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
    model: "LoadedModel",
    ids: Sequence[int],
    *,
    steps: int | None = None,
    progress: Progress | None = None,
) -> IntegratedGradients:
    """Integrated gradients of P(positive) for the tokens of one review.

    Args:
        model: whose answer is explained.
        ids: token ids with [CLS] and [SEP].
        steps: that many points on the whole line; where left out, as many as bring the error below
            0.02, at most 600.
        progress: told how far the work is at the worst; may raise ``Cancelled``.

    Raises:
        NotAvailable: this model has no trained head.
    """
    require_sentiment(model)
    line = _Line(model, ids)
    p_baseline, p_positive = line.ends()
    if steps:
        tokens = line.attribute([(0.0, 1.0)], steps)[0][0]
        return IntegratedGradients(tokens, p_positive, p_baseline, steps)
    todo: list[Piece] = [(n / PIECES, (n + 1) / PIECES) for n in range(PIECES)]
    done: dict[Piece, tuple[np.ndarray, float]] = {}
    spent = 0
    while todo:
        spent += POINTS * len(todo)
        done |= dict(zip(todo, line.attribute(todo, POINTS), strict=True))
        if progress:
            progress(min(1.0, spent / CAP))
        missed = {piece: error for piece, (_, error) in done.items()}
        todo = _halves_of_worst(missed, (CAP - spent) // POINTS)
        halved = {piece for piece in done for half in todo if piece[0] <= half[0] < piece[1]}
        done = {piece: found for piece, found in done.items() if piece not in halved}
    tokens = np.sum([values for values, _ in done.values()], axis=0)
    return IntegratedGradients(tokens, p_positive, p_baseline, spent)


def _halves_of_worst(missed: Mapping[Piece, float], room: int) -> list[Piece]:
    """The halves of the pieces to look at again: of the worst until the rest together miss less
    than a quarter of the tolerance.
    """
    halves: list[Piece] = []
    left = sum(missed.values())
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

    def __init__(self, model: "LoadedModel", ids: Sequence[int]) -> None:
        import torch
        from captum.attr import IntegratedGradients as CaptumIntegratedGradients

        self.model, self.device = model.model, model.device
        empty = [ids[0], *[model.tokenizer.pad_id] * (len(ids) - 2), ids[-1]]
        with torch.no_grad():
            self.start, self.end = self.model.bert.get_input_embeddings()(
                torch.tensor([empty, list(ids)], device=self.device)
            )
        self._captum = CaptumIntegratedGradients(self._p_positive)

    def ends(self) -> tuple[float, float]:
        """P(positive) of the empty review and of the review."""
        import torch

        with torch.no_grad():
            start, end = self._p_positive(torch.stack([self.start, self.end])).tolist()
        return start, end

    def attribute(self, pieces: Sequence[Piece], points: int) -> list[tuple[np.ndarray, float]]:
        """For each piece what each token adds along it, (T,), and by how much their sum misses the
        change of P(positive).
        """
        size = max(1, TOKENS // (points * len(self.start)))
        found: list[tuple[np.ndarray, float]] = []
        for first in range(0, len(pieces), size):
            chosen = pieces[first : first + size]
            low, high = (
                self.start + self._column(bound) * (self.end - self.start)
                for bound in zip(*chosen, strict=True)
            )
            values, missed = self._captum.attribute(
                high,
                low,
                n_steps=points,
                method="gausslegendre",
                internal_batch_size=max(len(chosen), TOKENS // len(self.start)),
                return_convergence_delta=True,
            )
            tokens = values.detach().double().sum(-1).cpu().numpy()
            found += zip(tokens, missed.abs().tolist(), strict=True)
        return found

    def _column(self, values: Sequence[float]) -> "torch.Tensor":
        import torch

        return torch.tensor(values, dtype=self.start.dtype, device=self.device)[:, None, None]

    def _p_positive(self, vectors: "torch.Tensor") -> "torch.Tensor":
        import torch

        mask = torch.ones(vectors.shape[:2], dtype=torch.long, device=self.device)
        hidden = self.model.bert(inputs_embeds=vectors, attention_mask=mask).last_hidden_state
        return self.model.classify(hidden, mask).softmax(-1)[:, 1]
