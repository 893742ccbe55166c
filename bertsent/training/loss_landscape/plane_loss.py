"""Weights on a plane and a few reviews in, the mean loss of those reviews out. Works on a model of
its own.
"""

from collections.abc import Callable, Sequence

import torch
from torch.nn.functional import cross_entropy

from bertsent.data.examples import Reviews
from bertsent.models.checkpoint import Checkpoint
from bertsent.models.pooling import pool
from bertsent.text.batches import collate, sorted_batches
from bertsent.training.loss_landscape.directions import Plane, Trajectory

_BATCH = {"cpu": 16, "cuda": 256}


class PlaneLoss:
    """A model of its own and encoded reviews: weights in, their mean loss out. Tokenised and padded
    once.

    Args:
        last: the final checkpoint; its model is taken over.
        plane: where the weights may go.
        sample: labelled reviews.
        precision: ``bf16`` for a faster forward pass, as in training, where it is not asked for an
            exact loss.
    """

    def __init__(
        self,
        last: Checkpoint,
        plane: Plane,
        sample: Reviews,
        device: str,
        precision: str = "fp32",
    ) -> None:
        self.model = last.model.to(device).eval().requires_grad_(False)
        self.plane, self.device = plane, device
        self._moving = {name: self.model.get_parameter(name) for name in plane.origin}
        self._tensors = [
            {n: t.to(device) for n, t in part.items()}
            for part in (plane.origin, plane.first, plane.second)
        ]
        self.batches = _batches(last, sample, device)
        self._forward: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = self.model
        self.fast = precision == "bf16"
        # where only the head moves, the encoder need not read twice
        if not any(name.startswith("bert.") for name in plane.origin):
            self._forward, self.fast = self.model.classify, False
            self.batches = [self._pooled(*batch) for batch in self.batches]

    def at(self, a: float, b: float, tick: Callable[[], None], *, exact: bool = False) -> float:
        """The loss of the weights at (a, b) of the plane."""
        origin, first, second = self._tensors
        for name, parameter in self._moving.items():
            torch.add(origin[name], first[name], alpha=a, out=parameter.data)
            parameter.data.add_(second[name], alpha=b)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.fast and not exact):
            return mean_loss(self._forward, self.batches, tick)

    def of(self, trajectory: Trajectory, number: int, tick: Callable[[], None]) -> float:
        """The loss of a checkpoint itself, exact."""
        for name, parameter in self._moving.items():
            parameter.data.copy_(trajectory.checkpoints[number].read(name))
        return mean_loss(self._forward, self.batches, tick)

    def _pooled(
        self, ids: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """What the head reads of a batch, as sequences of one token (B, 1, H) with their mask."""
        with torch.inference_mode():
            hidden = self.model.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            pooled = pool(hidden, mask, self.model.pooling)[:, None]
        return pooled, mask.new_ones(len(ids), 1), labels


def mean_loss(
    model: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    batches: Sequence[tuple],
    tick: Callable[[], None],
) -> float:
    """The mean cross-entropy over batches of (ids, mask, labels); ``tick`` is called after each and
    may raise ``Cancelled``.
    """
    total = 0.0
    for inputs, mask, labels in batches:
        with torch.inference_mode():
            total += cross_entropy(model(inputs, mask).double(), labels, reduction="sum").item()
        tick()
    return total / sum(len(labels) for *_, labels in batches)


def _batches(last: Checkpoint, sample: Reviews, device: str) -> list[tuple[torch.Tensor, ...]]:
    limit, labels = last.card.max_length, torch.tensor(sample.labels)
    rows = last.tokenizer.ids(sample.texts, limit)
    return [
        tuple(t.to(device) for t in (batch.input_ids, batch.attention_mask, labels[list(places)]))
        for places in sorted_batches([len(row) for row in rows], _BATCH.get(device, 32))
        for batch in [collate(rows, places, pad_id=last.tokenizer.pad_id, limit=limit)]
    ]
