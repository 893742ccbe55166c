"""Models whose heads can be taken apart: the tiny BERT and a tiny DistilBERT under a random head,
and the one that ships.
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
def tiny_distilbert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import DistilBertConfig, DistilBertModel

    from bertsent.models.backbone import builtin_folder

    folder = tmp_path_factory.mktemp("models") / "tiny-distilbert"
    torch.manual_seed(0)
    DistilBertModel(
        DistilBertConfig(dim=32, n_layers=2, n_heads=2, hidden_dim=64, max_position_embeddings=128)
    ).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).write_bytes((builtin_folder() / name).read_bytes())
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_backbone: Path, tiny_distilbert: Path) -> Callable[..., LoadedModel]:
    """``tiny("mean", "distilbert")``: a model with strong opinions about nothing, and attention
    that is not even.
    """

    def make(
        pooling: str = "cls", family: str = "bert", *, max_length: int = 64, fine_tuned: bool = True
    ) -> LoadedModel:
        found = load_backbone(str(tiny_backbone if family == "bert" else tiny_distilbert))
        torch.manual_seed(1)
        model = BertForTask(found.model, pooling)
        with torch.no_grad():
            for name, weights in model.named_parameters():
                if any(
                    part in name
                    for part in ("query.w", "key.w", "value.w", "q_lin.w", "k_lin.w", "v_lin.w")
                ):
                    weights.add_(torch.randn_like(weights) * 0.3)
        return LoadedModel(
            "tiny",
            f"tiny-{family}-{pooling}",
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
