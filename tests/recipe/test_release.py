"""From the weights of a training to the folder that ships: calibrated, judged, small, and readable
by everything that reads models.
"""

import hashlib
import json

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import load_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing import shipped_scores as shipped
from bertsent.probing.loaded_model import load_folder
from bertsent.recipe.datasets import HELD_OUT
from bertsent.recipe.release import apply_temperature, model_of, release


@pytest.fixture
def weights(tmp_path):
    """The end of a training: an encoder and two heads, of which one ships."""
    model = BertForTask(load_backbone("builtin").model)
    torch.manual_seed(1)
    head = torch.randn_like(model.classifier.weight)  # too sure of itself
    state = {f"bert.{name}": value for name, value in model.bert.state_dict().items()}
    state |= {"heads.sentiment.weight": head, "heads.sentiment.bias": model.classifier.bias.data}
    state |= {"heads.steps.weight": torch.zeros(5, head.shape[1]), "heads.steps.bias": head[0, :5]}
    torch.save(state, tmp_path / "weights.pt")
    (tmp_path / "weights.md").write_text("Trained **by hand**.\n", encoding="utf-8")
    (tmp_path / "weights.jsonl").write_text('{"sets": {"hand": "0"}}\n', encoding="utf-8")
    return tmp_path / "weights.pt"


def test_a_cooled_model_divides_its_logits_and_changes_no_answer(weights):
    model = model_of(torch.load(weights, weights_only=True))
    ids = torch.tensor(load_backbone("builtin").tokenizer.ids(["a fine warm film"], 64))
    with torch.inference_mode():
        before = model(ids, torch.ones_like(ids))
        apply_temperature(model, 2.5)
        torch.testing.assert_close(model(ids, torch.ones_like(ids)), before / 2.5)


@pytest.mark.slow
def test_what_ships_is_calibrated_evaluated_and_described(weights, data, tmp_path, monkeypatch):
    into = tmp_path / "sentiment"
    lines = list(release(weights, data, into))
    assert lines[-1] == f"Written: {into}"
    first, *_, last = map(json.loads, (into / "training.jsonl").read_text("utf-8").splitlines())
    digest = hashlib.sha256((into / "model.safetensors").read_bytes()).hexdigest()
    assert first == {"sets": {"hand": "0"}} and last["model.safetensors"] == digest
    card = load_checkpoint(into).card
    assert card.temperature != 1.0 and card.backbone == "builtin" and card.max_length == 512
    learner, whole = load_folder(into), model_of(torch.load(weights, weights_only=True))
    ids = torch.tensor(learner.tokenizer.ids(["a fine warm film"], 64))
    with torch.inference_mode():
        expected = whole(ids, torch.ones_like(ids)).numpy()
    np.testing.assert_allclose(
        learner.logits(["a fine warm film"]) * card.temperature, expected, atol=0.05
    )

    monkeypatch.setattr(shipped, "SHIPPED", into)
    table = shipped.shipped_scores()
    assert set(table["model"]) == set(shipped.MODELS)
    assert set(table["set"]) == {
        HELD_OUT,
        *data.development_sets(),
        shipped.BUILTIN_TEST,
        shipped.BUILTIN_VALIDATION,
        shipped.ONE_LINERS,
        shipped.COMMENTS,
    }
    own = shipped.slice_of(table, "IMDb contrast sets", "all")
    contrast = data.development_sets()["IMDb contrast sets"]
    right = (learner.probabilities(contrast.texts)[:, 1] > 0.5) == np.array(contrast.labels)
    assert (own.n, own.right) == (8, right.sum())
    shown = shipped.side_by_side(table, shipped.BUILTIN_TEST)
    assert {"all", "sarcasm", "negation", "pairs, both right"} <= set(
        shown.index
    ) and not shown.isna().any(axis=None)
    text = (into / "README.md").read_text(encoding="utf-8")
    assert (
        f"{100 * own.accuracy:.1f} (" in text
        and f"T = {card.temperature:.3f}" in text
        and "Apache-2.0" in text
        and "Trained **by hand**." in text
    )


def test_without_a_shipped_model_there_are_no_scores(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path / "nowhere")
    assert shipped.shipped_scores() is None


def test_weights_of_another_training_are_refused(tmp_path):
    with pytest.raises(BadInput, match="not the weights of a sentiment model"):
        model_of({"heads.sst.weight": torch.zeros(5, 3)})
