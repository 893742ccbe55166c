"""Models that answer at once: the tiny BERT under a random head in each pooling, and the one that
ships.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.probing.registry import shipped


@pytest.fixture(scope="session")
def tiny(tiny_backbone: Path) -> Callable[..., LoadedModel]:
    """``tiny("mean")``: a model with strong opinions about nothing."""

    def make(pooling: str = "cls", *, max_length: int = 64, fine_tuned: bool = True) -> LoadedModel:
        found = load_backbone(str(tiny_backbone))
        torch.manual_seed(1)
        model = BertForTask(found.model, pooling)
        with torch.no_grad():
            model.classifier.weight.mul_(4)
        return LoadedModel(
            "tiny",
            f"tiny-{pooling}",
            model,
            found.tokenizer,
            max_length=max_length,
            fine_tuned=fine_tuned,
        )

    return make


@pytest.fixture(scope="session")
def builtin() -> LoadedModel:
    if not shipped():
        pytest.skip("the model is not here")
    return load("builtin")
