"""Tokens in, the logits of a task out: a BERT encoder, a pooling and one linear layer.

The head is the one of the lecture slides (Appendix A2d) and of Chiu (2025), section 2.2: the raw
pooled vector goes into ``Linear(hidden, outputs)``, Xavier-uniform with zero bias (Glorot & Bengio
2010); for two labels 1,538 parameters on a 768-wide encoder. The library's own classifier puts a
tanh pooler in between; a model that comes with one keeps it.
"""

import copy
from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn
from transformers import PreTrainedModel

from bertsent.models.first_token import text_vectors
from bertsent.models.pooling import Pooling, pool
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.task import Task

Module = TypeVar("Module", bound=nn.Module)


def shared_weight_copy(model: Module) -> Module:
    """Modules of their own over the same parameters and buffers: attention implementation and hooks
    can be set without touching ``model``, at almost no memory.
    """
    tensors = (*model.parameters(), *model.buffers())
    return copy.deepcopy(model, {id(tensor): tensor for tensor in tensors})


class BertForTask(nn.Module):
    """An encoder with the head of one task, by default sentiment: logits for NEGATIVE and POSITIVE.

    Args:
        bert: any encoder that gives ``last_hidden_state``.
        pooling: ``cls``, ``mean`` or ``max``.
        dropout: share of the pooled vector that is dropped while training.
        pooler: what a stock checkpoint puts between [CLS] and its classifier; None for our own
            head.
        task: what it answers; its head gives as many logits.
    """

    begins = ""  # where a head that fills in words comes from (head_origins.BEGINS)

    def __init__(
        self,
        bert: PreTrainedModel,
        pooling: Pooling = "cls",
        dropout: float = 0.1,
        pooler: Callable[[torch.Tensor], torch.Tensor] | None = None,
        task: Task = SENTIMENT,
    ) -> None:
        super().__init__()
        self.task = task
        self.bert = bert
        self.pooling = pooling
        self.pooler = pooler
        self.dropout = nn.Dropout(dropout)
        width = bert.config.hidden_size
        self.classifier = nn.Linear(width, task.outputs)
        nn.init.xavier_uniform_(self.classifier.weight)
        nn.init.zeros_(self.classifier.bias)

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Logits (B, outputs) of ids, mask and, where two texts are read, segments: all (B, T)."""
        return self._head(self.pooled(input_ids, attention_mask, token_type_ids))

    def pooled(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """One vector a row, (B, H)."""
        return text_vectors(self.bert, self.pooling, input_ids, attention_mask, token_type_ids)

    def classify(self, hidden: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Logits (B, outputs) of the last hidden states (B, T, H)."""
        return self._head(pool(hidden, attention_mask, self.pooling))

    def _head(self, pooled: torch.Tensor) -> torch.Tensor:
        if self.pooler is not None:
            pooled = self.pooler(pooled)
        return self.classifier(self.dropout(pooled))
