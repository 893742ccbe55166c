"""From the last checkpoint to the folder that ships: calibrated, judged, small, and readable by
everything that reads models.
"""

import numpy as np
import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing import shipped_scores as shipped
from bertsent.probing.loaded_model import load_folder
from bertsent.recipe.release import apply_temperature, averaged, release


@pytest.fixture
def checkpoint(tmp_path):
    backbone = load_backbone("builtin")
    torch.manual_seed(1)
    model = BertForTask(backbone.model).eval()
    with torch.no_grad():
        model.classifier.weight.mul_(8)  # too sure of itself
    save_checkpoint(
        tmp_path / "step-9",
        model,
        backbone.tokenizer,
        CheckpointCard(max_length=64, run="toy", step=9),
    )
    return tmp_path / "step-9"


def test_a_cooled_model_divides_its_logits_and_changes_no_answer(checkpoint):
    found = load_checkpoint(checkpoint)
    ids = torch.tensor(found.tokenizer.ids(["a fine warm film"], 64))
    with torch.inference_mode():
        before = found.model(ids, torch.ones_like(ids))
        apply_temperature(found.model, 2.5)
        torch.testing.assert_close(found.model(ids, torch.ones_like(ids)), before / 2.5)


@pytest.mark.slow
def test_what_ships_is_calibrated_evaluated_and_described(checkpoint, data, tmp_path, monkeypatch):
    into = tmp_path / "sentiment"
    lines = list(release({checkpoint: 1.0}, (), data, into))
    assert lines[-1] == f"Written: {into}"
    card = load_checkpoint(into).card
    assert card.temperature != 1.0 and card.backbone == "builtin" and card.max_length == 64
    learner, whole = load_folder(into), load_folder(checkpoint)
    texts = ["a fine warm film", "no fun at all"]
    np.testing.assert_allclose(
        learner.logits(texts) * card.temperature, whole.logits(texts), atol=0.05
    )

    monkeypatch.setattr(shipped, "SHIPPED", into)
    table = shipped.shipped_scores()
    assert set(table["model"]) == set(shipped.MODELS)
    public = {"IMDb, held-out films", "IMDb contrast sets", "Counterfactual pairs", "SST sentences"}
    assert set(table["set"]) == public | {
        shipped.BUILTIN_TEST,
        shipped.BUILTIN_VALIDATION,
        shipped.ONE_LINERS,
    }
    own = shipped.slice_of(table, "IMDb contrast sets", "all")
    contrast = data.development_sets()["IMDb contrast sets"]
    right = (learner.probabilities(contrast.texts)[:, 1] > 0.5) == np.array(contrast.labels)
    assert (own.n, own.right) == (8, right.sum())
    shown = shipped.side_by_side(table, shipped.BUILTIN_TEST)
    assert {"all", "sarcasm", "negation", "pairs, both right"} <= set(
        shown.index
    ) and not shown.isna().any(axis=None)
    told = (into / "README.md").read_text(encoding="utf-8")
    assert (
        f"{100 * own.accuracy:.1f} (" in told
        and f"T = {card.temperature:.3f}" in told
        and "Apache-2.0" in told
    )


def test_without_a_shipped_model_there_are_no_scores(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path / "nowhere")
    assert shipped.shipped_scores() is None


def test_the_average_of_two_checkpoints_lies_between_them(checkpoint, tmp_path):
    other = load_checkpoint(checkpoint)
    with torch.no_grad():
        other.model.classifier.weight.add_(2)
        other.model.bert.encoder.layer[0].output.dense.bias.add_(1)
    save_checkpoint(tmp_path / "step-12", other.model, other.tokenizer, other.card)
    first, mean = (
        load_checkpoint(checkpoint).model,
        averaged({checkpoint: 0.25, tmp_path / "step-12": 0.75}).model,
    )
    torch.testing.assert_close(mean.classifier.weight, first.classifier.weight + 1.5)
    assert torch.equal(
        mean.bert.embeddings.word_embeddings.weight, first.bert.embeddings.word_embeddings.weight
    ), "or it is not thin"
    torch.testing.assert_close(
        mean.bert.encoder.layer[0].output.dense.bias,
        first.bert.encoder.layer[0].output.dense.bias + 0.75,
    )
    torch.testing.assert_close(
        mean.bert.encoder.layer[1].output.dense.weight,
        first.bert.encoder.layer[1].output.dense.weight,
    )
