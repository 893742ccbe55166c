"""The heads of further tasks in the registry: found by their task, loaded by name, and refused with
a way out where two labels are meant.
"""

import pytest

from bertsent.errors import NotAvailable
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing import registry
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import find_model, models_that_answer, shipped_heads, task_of
from bertsent.tasks.catalogue import ASPECTS, FIVE_STEPS, SENTIMENT


@pytest.fixture(autouse=True)
def with_heads(lab, heads_folder, monkeypatch):
    monkeypatch.delenv("BERTSENT_MODELS", raising=False)
    monkeypatch.setattr(registry, "SHIPPED_HEADS", heads_folder)


def test_each_is_found_by_its_task():
    assert [model.name for model in models_that_answer(lambda task: task.reads == "two texts")] == [
        "builtin/similarity",
        "builtin/paraphrase",
    ]
    assert all(task_of(model).name == name for name, model in shipped_heads().items())
    assert load("builtin/aspects").task == ASPECTS


def test_runs_and_folders_are_found_by_their_task(tiny_backbone, lab):
    backbone = load_backbone(str(tiny_backbone))
    for task in (ASPECTS, SENTIMENT):
        model = BertForTask(backbone.model, task=task)
        folder = lab / "models" / task.name
        save_checkpoint(folder, model, backbone.tokenizer, CheckpointCard(max_length=32))
    (lab / "models" / "broken").mkdir()
    (lab / "models" / "broken" / "model.safetensors").write_bytes(b"")
    (lab / "models" / "broken" / "bertsent.json").write_text('{"task": 7}')
    assert [m.name for m in models_that_answer(lambda task: task == ASPECTS)] == [
        "builtin/aspects",
        "aspects",
    ]
    assert "sentiment" in {m.name for m in models_that_answer(lambda task: task == SENTIMENT)}


def test_without_the_folder_there_are_none(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "SHIPPED_HEADS", tmp_path)
    assert shipped_heads() == {} and not models_that_answer(lambda task: True)
    with pytest.raises(NotAvailable, match="Fine-tune"):
        find_model("builtin/five-steps")


def test_an_unknown_head_names_those_there_are():
    with pytest.raises(NotAvailable, match="builtin/five-steps"):
        find_model("builtin/topics")


def test_asked_for_two_labels_it_says_where_to_ask():
    with pytest.raises(NotAvailable, match="More questions"):
        load("builtin/five-steps").predict(["A good film"])
    assert load("builtin/five-steps").task == FIVE_STEPS
