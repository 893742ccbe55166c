"""Exported models of every kind of task answer through transformers alone as they do here."""

import json

import numpy as np
import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, save_checkpoint
from bertsent.models.export import ModelCardFacts, export_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load_folder
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.text.batches import collate

STORY = ModelCardFacts("calm-otter", "tiny", "a small set")
SINGLE = [("great fun", ""), ("So so.", ""), ("a long, long film " * 60, "")]
PAIRS = [
    ("soup", "Good soup, rude waiter."),
    ("A man is cooking.", "Someone prepares food."),
    ("one two three " * 40, "four five six " * 40),  # both are cut
    ("short", "a long, long film " * 60),
]


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize(
    "task", [FIVE_STEPS, FEELINGS, SIMILARITY, PARAPHRASE, ASPECTS], ids=lambda task: task.name
)
def test_the_pipeline_gives_our_numbers(task, pooling, tiny_backbone, tmp_path, monkeypatch):
    from transformers import pipeline

    monkeypatch.setattr(
        "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules")
    )
    made = saved(task, pooling, tiny_backbone, tmp_path)
    folder = export_checkpoint(made, _away(tmp_path), STORY)
    remote = {"trust_remote_code": True} if pooling != "cls" else {}
    ask = pipeline(
        "text-classification", str(folder), truncation=True, top_k=None, device="cpu", **remote
    )
    inputs = SINGLE if task.reads == "text" else PAIRS
    # one by one: the pipeline makes a list of dictionaries a batch of single texts
    found = [
        ask({"text": first, "text_pair": second} if second else first) for first, second in inputs
    ]
    theirs = [{answer["label"]: answer["score"] for answer in _flat(answers)} for answers in found]
    ours = load_folder(folder).answers(inputs).reshape(len(inputs), -1)
    names = task.output_names
    assert np.allclose([[answer[name] for name in names] for answer in theirs], ours, atol=1e-4)
    assert np.ptp(ours, axis=0).max() > 0.01, "a model that says the same of all proves nothing"
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["problem_type"] == task.problem_type
    assert list(config["id2label"].values()) == list(names)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert ("text_pair" in card) == (task.reads != "text")
    assert "NEGATIVE" not in card and task.title in card


def saved(task, pooling, backbone, tmp_path):
    """A checkpoint of a model with a strong random head that answers inside the range."""
    found = load_backbone(str(backbone))
    torch.manual_seed(3)
    model = BertForTask(found.model, pooling, task=task).eval()
    with torch.no_grad():
        model.classifier.weight.normal_(0, 1 if task is SIMILARITY else 2)
        inputs = SINGLE[1:2] if task.reads == "text" else PAIRS[:1]
        rows = found.tokenizer.input_ids(inputs, 64)
        batch = collate(rows, [0], pad_id=found.tokenizer.pad_id, limit=64)
        segments = None if task.reads == "text" else batch.segments(found.tokenizer.sep_id)
        usual = 2.5 if task is SIMILARITY else 0.0
        model.classifier.bias.copy_(
            usual - model(batch.input_ids, batch.attention_mask, segments)[0]
        )
    card = CheckpointCard(max_length=64)
    save_checkpoint(tmp_path / "step-3", model, found.tokenizer, card)
    return tmp_path / "step-3"


def _away(tmp_path):
    return tmp_path / f"away_{tmp_path.name.replace('-', '_')}"


def _flat(answers):
    return answers[0] if isinstance(answers[0], list) else answers
