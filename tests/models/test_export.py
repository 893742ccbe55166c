"""An exported folder answers as the model did, through nothing but transformers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import Card, load_checkpoint, save_checkpoint
from bertsent.models.export import Story, export_checkpoint
from bertsent.models.sentiment import BertForSentiment
from bertsent.probing.learners import load_folder

TEXTS = ["Great, another boring movie", "fine", "a long, long film " * 2500, "🎬 <br /> ça & là"]
STORY = Story("quiet-otter", "tiny", "toy (32 training, 8 validation reviews)", {"epochs": 2}, {"accuracy": 0.75, "f1": 0.7}, 8, "a table")


@pytest.fixture(params=["cls", "mean", "max"])
def checkpoint(request: pytest.FixtureRequest, tiny_backbone: Path, tmp_path: Path) -> Path:
    backbone = load_backbone(str(tiny_backbone))
    torch.manual_seed(3)
    model = BertForSentiment(backbone.model, request.param).eval()
    torch.nn.init.normal_(model.classifier.bias)
    save_checkpoint(tmp_path / "step-8", model, backbone.encoder, Card(max_length=64, step=8, epoch=2.0))
    return tmp_path / "step-8"


def ask_transformers(folder: Path, texts: list[str], trust: bool) -> np.ndarray:
    from transformers import pipeline

    classify = pipeline("text-classification", model=str(folder), truncation=True, top_k=None, trust_remote_code=trust)
    return np.array([next(a["score"] for a in answer if a["label"] == "POSITIVE") for answer in classify(texts)])


def test_the_pipeline_gives_the_same_probabilities(checkpoint: Path, tmp_path: Path) -> None:
    folder = export_checkpoint(checkpoint, tmp_path / "away", STORY)
    ours = load_folder(checkpoint).probabilities(TEXTS)[:, 1]
    theirs = ask_transformers(folder, TEXTS, trust=load_checkpoint(checkpoint).model.pooling != "cls")
    assert np.abs(ours - theirs).max() < 1e-4
    assert np.ptp(ours) > 1e-3, "a model that says the same of everything would prove nothing"


def test_our_own_loader_never_runs_the_folders_code(checkpoint: Path, tmp_path: Path) -> None:
    folder = export_checkpoint(checkpoint, tmp_path / "away", STORY)
    (folder / "modeling_bertsent.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    assert np.allclose(load_folder(folder).probabilities(TEXTS[:2]), load_folder(checkpoint).probabilities(TEXTS[:2]))
    assert not (tmp_path / "ran").exists()


def test_the_card_tells_what_was_measured(checkpoint: Path, tmp_path: Path) -> None:
    from huggingface_hub import ModelCard

    folder = export_checkpoint(checkpoint, tmp_path / "away", STORY)
    card = ModelCard.load(folder / "README.md")
    assert {r.metric_type: r.metric_value for r in card.data.eval_results} == {"accuracy": 0.75, "f1": 0.7}
    assert "toy (32 training, 8 validation reviews)" in card.text and "a table" in card.text
    config = json.loads((folder / "config.json").read_text())
    assert config["id2label"] == {"0": "NEGATIVE", "1": "POSITIVE"}
    assert not list(folder.glob("trainer.*"))


def test_nothing_is_overwritten(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        export_checkpoint(checkpoint, tmp_path / "away", STORY)
    assert (tmp_path / "away" / "mine.txt").read_text() == "mine"
