"""Our head in, the tensors of the library's own classifier out, and back, bit for bit.

With [CLS] pooling a folder *is* a stock ``BertForSequenceClassification``. The library puts a tanh
pooler before its classifier; a pooler of εI and a classifier of W/ε undo it, because tanh(x) =
x − x³/3 + … . ε = 2⁻¹³ is a power of two, so W comes back exactly. A number that goes through a
sigmoid needs no undoing: σ(z) = ½ + ½ tanh(z/2), so one row of the pooler holds w/2, and the
classifier the range. A model that came with a pooler keeps it. DistilBERT has a ReLU there instead:
a constant C shifts it out of the way and is taken back in the bias; it has no room for a sigmoid.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from bertsent.models.task_model import BertForTask
from bertsent.tasks.task import Rating, Task, task_of_dict

if TYPE_CHECKING:
    from bertsent.models.checkpoint import CheckpointCard

EPSILON = 2.0**-13
SHIFT = 64.0
HEAD = "classifier.weight"
POOLER = {f"pooler.0.{name}": f"bert.pooler.dense.{name}" for name in ("weight", "bias")}


@dataclass(frozen=True)
class StoredHead:
    """Where a file has the weights of the classifier: in which tensor, in how many of its first
    rows (None: all), and by what they are multiplied. ``is_pooler`` says that the tensor is a
    square one, of the pooler.
    """

    name: str = HEAD
    rows: int | None = None
    scale: float = 1.0

    @property
    def is_pooler(self) -> bool:
        return self.name != HEAD


def new_pooler(width: int) -> nn.Sequential:
    """The pooler of the library, with weights to be filled in."""
    return nn.Sequential(nn.Linear(width, width), nn.Tanh())


def is_stock(model: BertForTask) -> bool:
    """Whether the library's own class can answer as the model does."""
    if model.pooling != "cls":
        return False
    bare_bert = model.bert.config.model_type == "bert" and model.pooler is None
    return bare_bert or not _is_squashed(model.task)


def stored_head(card: "CheckpointCard", family: str) -> StoredHead:
    """Where the file of a checkpoint with that card has the weights of the classifier."""
    if not card.stock or family != "bert" or card.pooler:
        return StoredHead()
    if _is_squashed(task_of_dict(card.task)):
        return StoredHead(POOLER["pooler.0.weight"], 1, 2.0)
    return StoredHead(scale=EPSILON)


def head_tensors(model: BertForTask) -> dict[str, torch.Tensor]:
    """The head, wrapped as this module's docstring says where the library can read it, else as it
    is.
    """
    head, bias = (value.detach().float() for value in model.classifier.parameters())
    plain = {HEAD: head, "classifier.bias": bias}
    if model.pooler is not None:
        own = cast(nn.Module, model.pooler).state_dict(prefix="pooler.")
        return plain | {POOLER[name]: value.float() for name, value in own.items()}
    if not is_stock(model):
        return plain
    if model.bert.config.model_type != "bert":
        return _past_a_relu(head, bias)
    if isinstance(model.task, Rating) and model.task.squashed:
        return _as_a_sigmoid(head, bias, model.task)
    width = head.shape[1]
    return plain | {
        HEAD: head / EPSILON,
        "bert.pooler.dense.weight": EPSILON * torch.eye(width),
        "bert.pooler.dense.bias": torch.zeros(width),
    }


def _as_a_sigmoid(head: torch.Tensor, bias: torch.Tensor, task: Rating) -> dict[str, torch.Tensor]:
    width, half = head.shape[1], (task.high - task.low) / 2
    pooler, shift, first = torch.zeros(width, width), torch.zeros(width), torch.zeros(1, width)
    pooler[0], shift[0], first[0, 0] = head[0] / 2, bias[0] / 2, half
    return {
        HEAD: first,
        "classifier.bias": torch.tensor([task.low + half]),
        "bert.pooler.dense.weight": pooler,
        "bert.pooler.dense.bias": shift,
    }


def _past_a_relu(head: torch.Tensor, bias: torch.Tensor) -> dict[str, torch.Tensor]:
    width = head.shape[1]
    return {
        HEAD: head,
        "classifier.bias": (bias.double() - SHIFT * head.double().sum(1)).float(),
        "pre_classifier.weight": torch.eye(width),
        "pre_classifier.bias": torch.full((width,), SHIFT),
    }


def _is_squashed(task: Task) -> bool:
    return isinstance(task, Rating) and task.squashed
