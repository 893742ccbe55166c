"""A thin folder is the trained layers alone: it answers as the whole model does, to half precision,
and only over its own backbone.
"""

import json

import pytest
import torch

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_thin
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load_folder

TEXTS = ["Great, another boring movie", "Not bad at all.", "A film."]


@pytest.fixture(scope="module")
def trained():
    """The built-in backbone, its layers and head pushed away from where they were, its input
    vectors left alone.
    """
    torch.manual_seed(0)
    model = BertForTask(load_backbone("builtin").model).eval()
    with torch.no_grad():
        for parameter in model.bert.encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.01)
        model.classifier.weight.normal_(0, 0.5)
    return model


@pytest.fixture(scope="module")
def thin(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("thin") / "sentiment"
    save_thin(
        folder,
        trained,
        CheckpointCard(max_length=128, backbone="builtin", temperature=1.3),
        {"README.md": b"# Card\n"},
    )
    return folder


def logits(model, tokenizer, text):
    ids = torch.tensor(tokenizer.ids([text], 128))
    with torch.inference_mode():
        return model(ids, torch.ones_like(ids))


def test_it_answers_as_the_model_it_was_made_from(trained, thin):
    found = load_checkpoint(thin)
    assert (found.card.temperature, found.card.max_length, found.card.backbone) == (
        1.3,
        128,
        "builtin",
    )
    for text in TEXTS:
        torch.testing.assert_close(
            logits(found.model, found.tokenizer, text),
            logits(trained, found.tokenizer, text),
            atol=5e-3,
            rtol=0,
        )
    assert load_folder(thin).predict(TEXTS)[0].label in ("NEGATIVE", "POSITIVE")


def test_it_is_small_and_saves_the_same_again(thin, tmp_path):
    assert (thin / "model.safetensors").stat().st_size < 25_000_000
    assert sorted(path.name for path in thin.iterdir()) == [
        "README.md",
        "bertsent.json",
        "config.json",
        "model.safetensors",
    ]
    found = load_checkpoint(thin)
    save_thin(tmp_path / "again", found.model, found.card)
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (
        thin / "model.safetensors"
    ).read_bytes()


def test_it_can_be_a_backbone(thin, trained):
    found = load_backbone(str(thin))
    name = "encoder.layer.3.output.dense.weight"
    torch.testing.assert_close(
        found.model.get_parameter(name), trained.bert.get_parameter(name), atol=1e-3, rtol=0
    )


def test_trained_input_vectors_are_not_thrown_away_silently(trained, tmp_path):
    changed = BertForTask(load_backbone("builtin").model)
    with torch.no_grad():
        changed.bert.embeddings.word_embeddings.weight[7] += 1
    with pytest.raises(BadInput, match="frozen"):
        save_thin(tmp_path / "x", changed, CheckpointCard(backbone="builtin"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "base",
    [{"name": "builtin", "sha256": "0" * 64}, {"name": "/etc"}, {"name": "builtin"}, 7, "builtin"],
)
def test_another_backbone_under_it_is_refused(thin, tmp_path, base):
    folder = tmp_path / "other"
    folder.mkdir()
    for path in thin.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "bertsent_base": base}))
    with pytest.raises(BadCheckpoint):
        load_checkpoint(folder)
