"""Tokens in, the logits of several tasks out: one encoder that all share, a head for each.

Two texts stand in one row, as for other models; the encoder reads them apart, [CLS] a [SEP] and
[CLS] b [SEP], so that each has a vector of its own.
"""

from typing import cast

import torch
from torch import nn
from transformers import PreTrainedModel

from bertsent.models.head_options import HeadOptions
from bertsent.models.multitask_heads import MultitaskHeads
from bertsent.models.pooling import Pooling, pool
from bertsent.models.task_model import BertForTask
from bertsent.models.two_texts import apart, token_overlap
from bertsent.tasks.mixed import MixedTask


class BertForTasks(BertForTask):
    """An encoder with the heads of several tasks.

    Args:
        bert: any encoder that gives ``last_hidden_state``.
        pooling: ``cls``, ``mean`` or ``max``, of each text.
        dropout: share of what a head reads that is dropped while training.
        task: what it answers.
        options: how the heads are built.
    """

    def __init__(
        self,
        bert: PreTrainedModel,
        task: MixedTask,
        pooling: Pooling = "cls",
        dropout: float = 0.1,
        options: HeadOptions = HeadOptions(),  # noqa: B008 - it is frozen
    ) -> None:
        super().__init__(bert, pooling, dropout, task=task)
        heads = MultitaskHeads(task, bert.config.hidden_size, options, dropout)
        self.classifier = heads  # type: ignore[assignment] # in place of one linear head

    @property
    def heads(self) -> MultitaskHeads:
        """Those of all tasks."""
        return cast(MultitaskHeads, self.classifier)

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Logits (B, outputs) of ids, mask and segments, all (B, T); of a part that does not read
        such a row they are 0.
        """
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        pairs = token_type_ids.any(1)
        vectors = self.pooled(*apart(input_ids, attention_mask, token_type_ids))
        vocabulary = self.bert.config.vocab_size
        overlap = token_overlap(
            input_ids[pairs], attention_mask[pairs], token_type_ids[pairs], vocabulary
        )
        return self.heads(vectors[: len(pairs)], vectors[len(pairs) :], overlap, pairs)

    def classify(self, hidden: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Logits (B, outputs) of the last hidden states (B, T, H) of single texts."""
        vectors = pool(hidden, attention_mask, self.pooling)
        none = torch.zeros(len(vectors), dtype=torch.bool, device=vectors.device)
        return self.heads(vectors, vectors[:0], vectors[:0, 0], none)


class BertForPart(BertForTasks):
    """One task of a model of several, over the same tensors."""

    def __init__(self, whole: BertForTasks, name: str) -> None:
        nn.Module.__init__(self)
        mixed = whole.heads.task
        place = mixed.place(name)
        self.columns, self.task = mixed.columns(place), mixed.parts[place]
        self.bert, self.pooling, self.pooler = whole.bert, whole.pooling, whole.pooler
        self.dropout, self.classifier = whole.dropout, whole.classifier
        self.eval()

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Logits (B, outputs of the part)."""
        return super().forward(input_ids, attention_mask, token_type_ids)[:, self.columns]

    def classify(self, hidden: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Logits (B, outputs of the part) of hidden states of single texts."""
        return super().classify(hidden, attention_mask)[:, self.columns]
