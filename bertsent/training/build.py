"""A backbone's name and a seed in, a fresh classifier out."""

import torch

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import backbone_folder, load_backbone, weights_hash
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.folders import WEIGHTS, inspect_folder
from bertsent.models.multitask_model import BertForTasks
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task
from bertsent.text.tokens import ReviewTokenizer, check_length
from bertsent.training.config import TrainingConfig


def build_model(
    name: str, config: TrainingConfig, *, expected: str = "", task: Task = SENTIMENT
) -> tuple[BertForTask, ReviewTokenizer]:
    """A pretrained encoder under a new random head (equal seeds give equal heads), or under its own
    when ``keep_head`` says so.

    Raises:
        BadInput: the backbone cannot read texts as long as ``max_length``, or its own head was
            trained for another pooling or task.
        BadCheckpoint: its weights are not those with the hash ``expected`` any more.
        NotAvailable: it is not on this machine.
    """
    folder = backbone_folder(name)
    check_length(config.max_length, inspect_folder(folder).positions)
    if expected and weights_hash(folder / WEIGHTS) != expected:
        raise BadCheckpoint(
            f"The weights of {name} have changed since the run began.", "Start a new run."
        )
    if not config.keep_head:
        backbone = load_backbone(name)
        torch.manual_seed(config.seed)
        model: BertForTask
        if isinstance(task, MixedTask):
            options = config.head_options
            model = BertForTasks(backbone.model, task, config.pooling, config.dropout, options)
        else:
            model = BertForTask(backbone.model, config.pooling, config.dropout, task=task)
        return model, backbone.tokenizer
    found = load_checkpoint(folder)
    if found.model.task != task:
        raise BadInput(
            f"The head of {name} answers another question ({found.model.task.title}).",
            "Begin with a new head.",
        )
    kept = getattr(found.model.classifier, "options", config.head_options)
    BadInput.raise_if(
        kept != config.head_options,
        f"The heads of {name} are built in another way.",
        "Choose the same options, or begin with new heads.",
    )
    if found.model.pooling != config.pooling:
        raise BadInput(
            f"The head of {name} reads “{found.model.pooling}”, not “{config.pooling}”.",
            "Choose the same pooling.",
        )
    for head in (found.model.dropout, found.model.classifier):
        for module in head.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = config.dropout
    return found.model, found.tokenizer
