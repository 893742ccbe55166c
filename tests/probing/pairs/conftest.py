import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load, load_folder


@pytest.fixture(scope="package")
def learner():
    """The model that ships: BERT as people meet it."""
    return load("builtin")


@pytest.fixture(scope="package")
def tiny(tiny_backbone, tmp_path_factory):
    """A tiny BERT that reads 64 tokens."""
    torch.manual_seed(0)
    backbone = load_backbone(str(tiny_backbone))
    made = tmp_path_factory.mktemp("checkpoints") / "tiny"
    save_checkpoint(
        made, BertForTask(backbone.model), backbone.tokenizer, CheckpointCard(max_length=64)
    )
    return load_folder(made)
