"""A backbone's name and a seed in, a fresh classifier out."""

import torch

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import backbone_folder, load_backbone, weights_hash
from bertsent.models.checkpoint import load_checkpoint, read_card
from bertsent.models.folders import WEIGHTS, folder_title, inspect_folder
from bertsent.models.head_options import HeadOptions
from bertsent.models.masked_words_model import masked_words_model
from bertsent.models.multitask_model import BertForTasks
from bertsent.models.pooling import Pooling
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.tasks.masked_words import MaskedWords
from bertsent.tasks.mixed import MixedTask
from bertsent.tasks.task import Task, task_of_dict
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
    if not config.keep_head or isinstance(task, MaskedWords):  # which keeps its head anyway
        backbone = load_backbone(name)
        torch.manual_seed(config.seed)
        model: BertForTask
        if isinstance(task, MaskedWords):
            return masked_words_model(name, folder, backbone.model), backbone.tokenizer
        if isinstance(task, MixedTask):
            options = config.head_options
            model = BertForTasks(backbone.model, task, config.pooling, config.dropout, options)
        else:
            model = BertForTask(backbone.model, config.pooling, config.dropout, task=task)
        return model, backbone.tokenizer
    found = load_checkpoint(folder)
    options = getattr(found.model.classifier, "options", config.head_options)
    _check_kept(name, config, task, found.model.task, options, found.model.pooling)
    for head in (found.model.dropout, found.model.classifier):
        for module in head.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = config.dropout
    return found.model, found.tokenizer


def check_kept_head(name: str, config: TrainingConfig, task: Task) -> None:
    """Refuse a model of ours whose head is to be kept and is for something else. Reads its card
    alone.

    Raises:
        BadInput: its own head was trained for another pooling or task.
        BadCheckpoint: its card is damaged.
        NotAvailable: it is not on this machine.
    """
    card = read_card(backbone_folder(name))
    if card is not None:  # that of others is checked when it is loaded
        own = HeadOptions.of(card.head_options) if card.head_options else config.head_options
        _check_kept(name, config, task, task_of_dict(card.task), own, card.pooling)


def _check_kept(
    name: str,
    config: TrainingConfig,
    task: Task,
    own_task: Task,
    options: HeadOptions,
    pooling: Pooling,
) -> None:
    name = folder_title(name)
    BadInput.raise_if(
        own_task != task,
        f"The head of {name} answers another question ({own_task.title}).",
        "Begin with a new head.",
    )
    BadInput.raise_if(
        options != config.head_options,
        f"The heads of {name} are built in another way.",
        "Choose the same options, or begin with new heads.",
    )
    BadInput.raise_if(
        pooling != config.pooling,
        f"The head of {name} reads “{pooling}”, not “{config.pooling}”.",
        "Choose the same pooling.",
    )
