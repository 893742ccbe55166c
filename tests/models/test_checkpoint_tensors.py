"""Tensors read piece by piece are those of the model that the whole checkpoint gives."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.checkpoint_tensors import CheckpointTensors
from bertsent.models.stock_head import new_pooler
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT, SIMILARITY


@pytest.fixture(params=["cls", "mean", "squashed", "pooler"])
def folder(request, tiny_backbone: Path, tmp_path: Path) -> Path:
    found = load_backbone(str(tiny_backbone))
    task = replace(SIMILARITY, squashed=True) if request.param == "squashed" else SENTIMENT
    model = BertForTask(
        found.model,
        "mean" if request.param == "mean" else "cls",
        pooler=new_pooler(32) if request.param == "pooler" else None,
        task=task,
    )
    torch.nn.init.normal_(model.classifier.bias)
    save_checkpoint(tmp_path / "step-3", model, found.tokenizer, CheckpointCard(max_length=32))
    return tmp_path / "step-3"


def test_every_parameter_is_that_of_the_loaded_model(folder: Path) -> None:
    weights = CheckpointTensors(folder)
    for name, parameter in load_checkpoint(folder).model.named_parameters():
        assert torch.equal(weights.read(name), parameter), name
        assert torch.equal(weights.read(name, slice(1, 5)), parameter[1:5]), name


def test_a_damaged_or_foreign_folder_is_refused(folder: Path, tiny_backbone: Path) -> None:
    with pytest.raises(BadCheckpoint, match=r"has no bertsent\.json"):
        CheckpointTensors(tiny_backbone)
    with pytest.raises(NotAvailable):
        CheckpointTensors(folder.with_name("step-4"))
    with pytest.raises(BadCheckpoint, match="has no weights called"):
        CheckpointTensors(folder).read("bert.nothing")
    data = bytearray((folder / "model.safetensors").read_bytes())
    data[-1] ^= 1
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(BadCheckpoint, match="changed after they were saved"):
        CheckpointTensors(folder)
