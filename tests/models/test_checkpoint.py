"""What is saved comes back bit for bit, or not at all."""

from pathlib import Path

import pytest
import torch
from transformers import BertForSequenceClassification

from bertsent.errors import BadCheckpoint, NotAvailable
from bertsent.models import backbone as backbones
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import Card, load_checkpoint, save_checkpoint
from bertsent.models.sentiment import BertForSentiment
from bertsent.probing.learners import load_folder
from bertsent.text.tokens import Encoder


@pytest.fixture
def tiny(tiny_backbone: Path) -> tuple[BertForSentiment, Encoder]:
    loaded = load_backbone(str(tiny_backbone))
    torch.manual_seed(1)
    model = BertForSentiment(loaded.model, "cls").eval()
    torch.nn.init.normal_(model.classifier.bias)
    return model, loaded.encoder


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_round_trip_bit_for_bit(pooling: str, tiny: tuple[BertForSentiment, Encoder], tmp_path: Path) -> None:
    model, encoder = tiny
    model.pooling = pooling
    save_checkpoint(tmp_path / "step-1", model, encoder, Card(max_length=32))
    again = load_checkpoint(tmp_path / "step-1")
    assert again.card.pooling == again.model.pooling == pooling
    mine, theirs = model.state_dict(), again.model.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def test_distilbert_makes_the_round_trip_and_answers_as_the_library(tiny_backbone: Path, tmp_path: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel, pipeline

    torch.manual_seed(2)
    config = DistilBertConfig(dim=32, n_layers=2, n_heads=2, hidden_dim=64, max_position_embeddings=128)
    DistilBertModel(config).save_pretrained(tmp_path / "distil")
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (tmp_path / "distil" / name).write_bytes((tiny_backbone / name).read_bytes())
    loaded = load_backbone(str(tmp_path / "distil"))
    model = BertForSentiment(loaded.model).eval()
    torch.nn.init.normal_(model.classifier.bias)
    save_checkpoint(tmp_path / "step-1", model, loaded.encoder, Card(max_length=32))
    again = load_checkpoint(tmp_path / "step-1").model
    assert torch.equal(again.classifier.weight, model.classifier.weight) and torch.equal(again.classifier.bias, model.classifier.bias)
    ours = load_folder(tmp_path / "step-1").predict(["Great, another boring movie"])[0].p_positive
    answer = pipeline("text-classification", model=str(tmp_path / "step-1"), truncation=True, top_k=None)("Great, another boring movie")
    answer = answer[0] if isinstance(answer[0], list) else answer
    assert next(a["score"] for a in answer if a["label"] == "POSITIVE") == pytest.approx(ours, abs=1e-4)


def test_an_interrupted_save_leaves_the_old_one(
    tiny: tuple[BertForSentiment, Encoder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, encoder = tiny
    save_checkpoint(tmp_path / "step-1", model, encoder, Card(max_length=32, epoch=1.0))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bertsent.models.checkpoint._write", full)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(tmp_path / "step-1", model, encoder, Card(max_length=32, epoch=2.0))
    assert load_checkpoint(tmp_path / "step-1").card.epoch == 1.0
    assert [f.name for f in tmp_path.iterdir()] == ["step-1"]


@pytest.mark.parametrize("damage", ["cut", "empty", "gone", "card", "config"])
def test_a_damaged_checkpoint_is_refused(damage: str, tiny: tuple[BertForSentiment, Encoder], tmp_path: Path) -> None:
    model, encoder = tiny
    folder = tmp_path / "step-1"
    save_checkpoint(folder, model, encoder, Card(max_length=32))
    weights = folder / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:-5000])
    elif damage == "empty":
        weights.write_bytes(b"")
    elif damage == "gone":
        weights.unlink()
    else:
        (folder / {"card": "bertsent.json", "config": "config.json"}[damage]).write_text('{"pooling": ')
    with pytest.raises(BadCheckpoint):
        load_checkpoint(folder)


def test_a_stock_classifier_keeps_its_tanh_pooler(tiny_backbone: Path, tmp_path: Path) -> None:
    torch.manual_seed(5)
    stock = BertForSequenceClassification.from_pretrained(tiny_backbone, num_labels=2).eval()
    folder = tmp_path / "stock"
    stock.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((tiny_backbone / name).read_bytes())
    learner = load_folder(folder)
    ids = torch.tensor(learner.encoder.ids(["fine film"], 32))
    with torch.no_grad():
        wanted = stock(ids).logits[0]
    assert torch.allclose(torch.tensor(learner.predict(["fine film"])[0].logits), wanted, atol=1e-5)


def test_three_labels_are_refused(tiny_backbone: Path, tmp_path: Path) -> None:
    BertForSequenceClassification.from_pretrained(tiny_backbone, num_labels=3).save_pretrained(tmp_path / "three")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "three" / name).write_bytes((tiny_backbone / name).read_bytes())
    with pytest.raises(BadCheckpoint, match="two"):
        load_checkpoint(tmp_path / "three")


def test_the_built_in_weights_must_be_the_published_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backbones, "BUILTIN_SHA256", "0" * 64)
    with pytest.raises(BadCheckpoint, match="not the published ones"):
        load_backbone("builtin")


def test_a_hub_model_with_the_hub_away_is_told_at_once(lab: Path) -> None:
    with pytest.raises(NotAvailable, match="fetch model bert-base-uncased"):
        load_backbone("bert-base-uncased")


def test_the_head_of_the_slides() -> None:
    """Row 001-27: 1,538 parameters on a 768-wide encoder, Xavier-uniform within ±√(6/770) = 0.0883, zero bias."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(num_hidden_layers=1, num_attention_heads=12, hidden_size=768, vocab_size=100, intermediate_size=16)
    head = BertForSentiment(BertModel(config)).classifier
    assert sum(p.numel() for p in head.parameters()) == 1538
    assert torch.all(head.bias == 0)
    assert 0.085 < head.weight.abs().max() <= (6 / 770) ** 0.5 + 1e-7
