"""Exported models of every kind of task answer through transformers alone as they do here."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.export import ModelCardFacts, export_checkpoint
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load_folder
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.text.batches import collate

STORY = ModelCardFacts("calm-otter", "tiny", "a small set")
SQUASHED = replace(SIMILARITY, name="squashed", low=1.0, squashed=True)
SINGLE = [("great fun", ""), ("So so.", ""), ("a long, long film " * 60, "")]
PAIRS = [
    ("soup", "Good soup, rude waiter."),
    ("A man is cooking.", "Someone prepares food."),
    ("one two three " * 40, "four five six " * 40),  # both are cut
    ("short", "a long, long film " * 60),
]


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize(
    "task",
    [FIVE_STEPS, FEELINGS, SIMILARITY, SQUASHED, PARAPHRASE, ASPECTS],
    ids=lambda task: task.name,
)
def test_the_pipeline_gives_our_numbers(task, pooling, tiny_backbone, tmp_path, monkeypatch):
    """The squashed number is the bug's: pooled by [CLS] it left as the bare logit."""
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


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_a_number_beyond_the_range_is_cut_by_the_library_s_user_or_by_our_module(
    pooling, tiny_backbone, tmp_path, monkeypatch
):
    from transformers import AutoModelForSequenceClassification

    monkeypatch.setattr(
        "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules")
    )
    made = saved(SIMILARITY, pooling, tiny_backbone, tmp_path)
    found = load_checkpoint(made)
    with torch.no_grad():
        found.model.classifier.bias += 20
    save_checkpoint(made, found.model, found.tokenizer, found.card)
    folder = export_checkpoint(made, _away(tmp_path), STORY)
    theirs = AutoModelForSequenceClassification.from_pretrained(
        folder, trust_remote_code=pooling != "cls"
    ).eval()
    number = theirs(torch.tensor([[101, 102]])).logits.item()
    says_so = "min(max(score, 0), 5)" in (folder / "README.md").read_text(encoding="utf-8")
    assert load_folder(folder).answers(PAIRS[:1]).tolist() == [5.0]
    assert (number > 6 and says_so) if pooling == "cls" else (number == 5 and not says_so)


@pytest.mark.parametrize(("pooling", "task"), [("cls", SQUASHED), ("mean", FIVE_STEPS)])
def test_what_the_library_cannot_load_says_so(pooling, task, tiny_distilbert, tmp_path):
    """A DistilBERT's classifier has a ReLU, which makes no sigmoid of a number, and the module that
    pools otherwise is for BERT; the card told people to load both with transformers.
    """
    made = saved(task, pooling, tiny_distilbert, tmp_path)
    folder = export_checkpoint(made, _away(tmp_path), STORY)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "bertsent only" in card and "pipeline(" not in card
    assert "library_name: bertsent" in card
    assert not (folder / "modeling_bertsent.py").exists()
    ours, before = (load_folder(each).answers(SINGLE) for each in (folder, made))
    assert np.array_equal(ours, before) and np.ptp(ours, axis=0).max() > 0.01


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
        has_segments = task.reads != "text" and found.model.config.model_type == "bert"
        segments = batch.segments(found.tokenizer.sep_id) if has_segments else None
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
