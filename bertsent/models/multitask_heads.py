"""Vectors of texts in, the logits of several tasks out: a head for each, or one that two share.

A head for one text reads its vector. A head for two reads |u − v| or u − v, with the overlap of
their tokens appended if asked for. The baseline heads are linear maps: similarity a linear
transform of the cosine of u and v, the others logits. The improved ones have a hidden layer with
batch-norm, ReLU and dropout that is added to its input (Mejia et al. 2023, sections 4.1 and 4.2).
"""

from typing import cast

import torch
from torch import nn
from torch.nn.functional import batch_norm, cosine_similarity

from bertsent.models.head_options import HeadOptions
from bertsent.models.head_shapes import HeadShape, head_name, head_shapes, is_two_labels
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Rating


class LenientBatchNorm(nn.BatchNorm1d):
    """Batch-norm that normalises a single row by the running statistics: one has no variance."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if self.training and len(input) < 2:
            mean, variance = cast(torch.Tensor, self.running_mean), self.running_var
            return batch_norm(input, mean, variance, self.weight, self.bias, eps=self.eps)
        return super().forward(input)


class FeedForward(nn.Module):
    """x + dropout(ReLU(batch-norm(Wx + b))), then a linear map to the outputs."""

    def __init__(self, width: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, width)
        self.norm = LenientBatchNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(width, outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits (n, outputs) of features (n, width)."""
        return self.out(x + self.dropout(self.norm(self.hidden(x)).relu()))


class MultitaskHeads(nn.Module):
    """The heads of all parts of a task.

    Args:
        task: its parts read one text or two.
        width: of a text's vector.
        options: how the heads are built.
        dropout: share of the features that is dropped while training.
    """

    def __init__(self, task: MixedTask, width: int, options: HeadOptions, dropout: float) -> None:
        super().__init__()
        self.task, self.options, self.dropout = task, options, nn.Dropout(dropout)
        self.shapes = head_shapes(task, width, options)
        self.parts = nn.ModuleDict(
            {name: _new_head(shape, options, dropout) for name, shape in self.shapes.items()}
        )
        for place, part in enumerate(task.parts):
            if isinstance(part, Rating) and self.shapes[self._name(place)].by_cosine:
                head = cast(nn.Linear, self.parts[self._name(place)])
                with torch.no_grad():  # a cosine of 0 to 1 spans the range from the start
                    head.weight[:, 0], head.bias[:] = part.high - part.low, part.low

    def _name(self, place: int) -> str:
        return head_name(self.task, place, self.options)

    def forward(
        self,
        first: torch.Tensor,
        second: torch.Tensor,
        jaccard: torch.Tensor,
        pairs: torch.Tensor,
    ) -> torch.Tensor:
        """Logits (B, outputs) of all parts; 0 where a part does not read such a row.

        Args:
            first: vectors of the first text of each row, (B, width).
            second: vectors of the second text of those that have one, (P, width).
            jaccard: the overlap of both, (P,).
            pairs: which rows have a second text, (B,).
        """
        logits = first.new_zeros((len(first), self.task.outputs), dtype=torch.float32)
        for place, part in enumerate(self.task.parts):
            two = part.reads == "two texts"
            rows = pairs if two else ~pairs
            if not bool(rows.any()):
                continue
            own = first[rows]
            found = (
                self._of_pair(place, own, second, jaccard)
                if two
                else self._of_text(self.parts[self._name(place)], own)
            )
            columns = self.task.columns(place)
            logits[rows, columns.start : columns.stop] = found.float()
        return logits

    def _of_text(self, head: nn.Module, features: torch.Tensor) -> torch.Tensor:
        if isinstance(head, FeedForward):
            return head(features)  # it drops inside
        return head(self.dropout(features))

    def _of_pair(
        self, place: int, first: torch.Tensor, second: torch.Tensor, jaccard: torch.Tensor
    ) -> torch.Tensor:
        part, head = self.task.parts[place], self.parts[self._name(place)]
        overlap = [jaccard[:, None].to(first.dtype)] if self.options.jaccard else []
        if self.shapes[self._name(place)].by_cosine:
            cosine = cosine_similarity(first, second)[:, None]
            return head(torch.cat([cosine, *overlap], dim=1))
        difference = first - second
        if self.options.difference == "absolute":
            difference = difference.abs()
        logit = self._of_text(head, torch.cat([difference, *overlap], dim=1))
        if isinstance(part, Rating):  # from 0–1 to the range
            return part.low + (part.high - part.low) * logit.float().sigmoid()
        if is_two_labels(part):  # the softmax of (0, z) is the sigmoid of z
            return torch.cat([torch.zeros_like(logit), logit], dim=1)
        return logit


def _new_head(shape: HeadShape, options: HeadOptions, dropout: float) -> nn.Module:
    if options.heads == "feed-forward":
        return FeedForward(shape.inputs, shape.outputs, dropout)
    head = nn.Linear(shape.inputs, shape.outputs)
    nn.init.xavier_uniform_(head.weight)
    nn.init.zeros_(head.bias)
    return head
