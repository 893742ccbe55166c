"""Token ids in, what each token adds to P(positive) out: integrated gradients (Sundararajan, Taly
and Yan 2017), computed by captum.

The word vectors go on a straight line from those of a review of nothing but [PAD] between [CLS] and
[SEP] to those of the review; the gradient of P(positive) is integrated along it. The sum over all
tokens has to be the difference of P between both ends (completeness). P often jumps on a short
stretch of the line, so the line is cut in pieces, for which the same has to hold, and a piece that
misses too much is halved. Within a piece the points are those of Gauss–Legendre quadrature.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bertsent.probing.loaded_model import LoadedModel
from bertsent.progress import Progress, no_progress

PIECES, POINTS = 4, 6  # of the line at the start, and of each piece
CAP = 600  # points: here it gives up
TOLERANCE = 0.02  # of probability
TOKENS = 2_048  # at once: points times length
Piece = tuple[float, float]  # from where to where, in shares of the line


@dataclass(frozen=True)
class IntegratedGradients:
    """``tokens`` (T,): what each adds to P(positive), from ``p_baseline`` of the empty review to
    ``p_positive`` of this one, computed at ``steps`` points.
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
    model: LoadedModel, ids: Sequence[int], *, progress: Progress = no_progress
) -> IntegratedGradients:
    """Integrated gradients of P(positive) for the tokens of one review, at as many points as bring
    the error below 0.02, at most 600.

    Args:
        model: the model whose answer is explained.
        ids: token ids with [CLS] and [SEP].
        progress: called with the fraction of the 600 points; may raise ``Cancelled``.

    Raises:
        NotAvailable: this model has no trained head.
    """
    model.require_head()
    line = _Line(model, ids)
    todo: list[Piece] = [(n / PIECES, (n + 1) / PIECES) for n in range(PIECES)]
    done: dict[Piece, tuple[np.ndarray, float]] = {}
    spent = 0
    while todo:
        spent += POINTS * len(todo)
        done |= line.attribute(todo)
        progress(min(1.0, spent / CAP))
        # halve the worst pieces until the others together miss less than a quarter of the tolerance
        pieces = sorted(done, key=lambda piece: done[piece][1], reverse=True)
        left = np.cumsum([done[piece][1] for piece in reversed(pieces)])[::-1]
        count = min(int((left >= TOLERANCE / 4).sum()), (CAP - spent) // (2 * POINTS))
        done = {piece: done[piece] for piece in pieces[count:]}
        middles = [(low, (low + high) / 2, high) for low, high in pieces[:count]]
        todo = [half for a, b, c in middles for half in ((a, b), (b, c))]
    tokens = np.sum([values for values, _ in done.values()], axis=0)
    p_baseline, p_positive = line.ends()
    return IntegratedGradients(tokens, p_positive, p_baseline, spent)


class _Line:
    """The straight line from the empty review to the review, in the space of word vectors (T,
    H).
    """

    def __init__(self, model: LoadedModel, ids: Sequence[int]) -> None:
        from captum.attr import IntegratedGradients as CaptumIntegratedGradients

        self.model = model.model
        empty = [ids[0], *[model.tokenizer.pad_id] * (len(ids) - 2), ids[-1]]
        with torch.no_grad():
            self.start, self.end = self.model.bert.get_input_embeddings()(
                torch.tensor([empty, list(ids)], device=model.device)
            )
        self._captum = CaptumIntegratedGradients(self._p_positive)

    def ends(self) -> tuple[float, float]:
        """P(positive) of the empty review and of the review."""
        with torch.no_grad():
            start, end = self._p_positive(torch.stack([self.start, self.end])).tolist()
        return start, end

    def attribute(self, pieces: Sequence[Piece]) -> dict[Piece, tuple[np.ndarray, float]]:
        """For each piece what each token adds along it, (T,), and by how much their sum misses the
        change of P(positive).
        """
        size = max(1, TOKENS // (POINTS * len(self.start)))
        found: dict[Piece, tuple[np.ndarray, float]] = {}
        for first in range(0, len(pieces), size):
            chosen = pieces[first : first + size]
            bounds = torch.tensor(chosen).to(self.start)[..., None, None]  # (n, 2, 1, 1)
            low, high = (self.start + bounds * (self.end - self.start)).unbind(1)
            values, missed = self._captum.attribute(
                high,
                low,
                n_steps=POINTS,
                method="gausslegendre",
                internal_batch_size=max(len(chosen), TOKENS // len(self.start)),
                return_convergence_delta=True,
            )
            tokens = values.detach().double().sum(-1).cpu().numpy()
            found |= zip(chosen, zip(tokens, missed.abs().tolist(), strict=True), strict=True)
        return found

    def _p_positive(self, vectors: torch.Tensor) -> torch.Tensor:
        mask = torch.ones(vectors.shape[:2], dtype=torch.long, device=vectors.device)
        hidden = self.model.bert(inputs_embeds=vectors, attention_mask=mask).last_hidden_state
        return self.model.classify(hidden, mask).softmax(-1)[:, 1]
