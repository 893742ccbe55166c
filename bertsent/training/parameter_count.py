"""A model folder and settings in, the number of parameters that would train out: counted from
``config.json``, no weights are read.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertsent.models.folders import read_config
from bertsent.models.head_shapes import head_shapes
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task
from bertsent.training.config import TrainingConfig

_NAMES = {
    "bert": (
        "num_hidden_layers",
        "hidden_size",
        "intermediate_size",
        "vocab_size",
        "max_position_embeddings",
        "type_vocab_size",
    ),
    "distilbert": ("n_layers", "dim", "hidden_dim", "vocab_size", "max_position_embeddings", ""),
}
_TYPES = {"bert": 2, "distilbert": 0}  # where config.json does not say


@dataclass(frozen=True)
class ParameterCount:
    """How many parameters a model has, and how many of them train."""

    trainable: int
    total: int

    def sentence(self) -> str:
        percent = 100 * self.trainable / self.total
        share = f" ({percent:.2f} %)" if self.trainable < self.total else ""
        return f"{self.trainable:,} of {self.total:,} parameters are trainable{share}"


def count_parameters(
    folder: Path, config: TrainingConfig, task: Task = SENTIMENT
) -> ParameterCount:
    """What a run of this encoder under a new head would train.

    The head is W of width × outputs and b: for two labels 1,538 numbers on an encoder of width
    768; several tasks have a head each. An adapter of rank r on a square matrix adds r × width
    twice, and there are two of them a layer, on the queries and the values.

    Raises:
        BadCheckpoint: the folder's ``config.json`` is missing or damaged.
    """
    values: dict[str, Any] = read_config(folder)
    family = str(values.get("model_type"))
    layers, width, inner, vocabulary, positions, types = (
        int(values.get(name, _TYPES[family])) for name in _NAMES[family]
    )
    head = (width + 1) * task.outputs
    if isinstance(task, MixedTask):
        shapes = head_shapes(task, width, config.head_options).values()
        head = sum(shape.parameters(config.head_options) for shape in shapes)
    if isinstance(task, MaskedWords):  # dense, scale and shift, a bias for each word piece
        head = (width + 1) * width + 2 * width + vocabulary
    # 2: scale and shift of the layer norm
    embeddings = (vocabulary + positions + types + 2) * width
    # attention, both linear maps, two layer norms
    layer = 4 * (width + 1) * width + 2 * width * inner + inner + width + 4 * width
    adapters = layers * 2 * 2 * config.lora_rank * width
    whole = embeddings + layers * layer + head
    trainable = {
        "head": head,
        "last": min(config.last_layers, layers) * layer + head,
        "lora": adapters + head,
        "everything": whole - (embeddings if config.freeze_embeddings else 0),
    }
    return ParameterCount(
        trainable[config.trains], whole + (adapters if config.trains == "lora" else 0)
    )
