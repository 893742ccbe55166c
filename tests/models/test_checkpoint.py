"""A checkpoint comes back bit for bit, and is whole or not there."""

import json
import os

import pytest
import torch

from bertsent.errors import BadCheckpoint
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import (
    CARD,
    CheckpointCard,
    load_checkpoint,
    read_card,
    save_checkpoint,
)
from bertsent.models.pooling import POOLINGS
from bertsent.models.task_model import BertForTask

TEXTS = [
    "great fun",
    "Another boring movie.",
    "",
    "?!",
    "a " * 10_000,
    "[SEP] [MASK] great",
    "<b>no</b> fun",
    "naïve café 🎬",
]


def classifier(folder, pooling="cls", seed=0):
    """A classifier with a strong head, and the tokenizer of its backbone."""
    backbone = load_backbone(str(folder))
    torch.manual_seed(seed)
    model = BertForTask(backbone.model, pooling)
    with torch.no_grad():
        model.classifier.weight.normal_(0, 3)
        ids = torch.tensor(backbone.tokenizer.ids(["great fun"], 64))
        model.classifier.bias.copy_(
            -model.eval()(ids, torch.ones_like(ids))[0]
        )  # so that answers lie around 0.5
    return model, backbone.tokenizer


@pytest.fixture(params=["bert", "distilbert"])
def backbone(request, tiny_backbone, tiny_distilbert):
    return {"bert": tiny_backbone, "distilbert": tiny_distilbert}[request.param]


@pytest.fixture
def saved(tiny_backbone, tmp_path):
    """A [CLS] checkpoint and the model that it was made from."""
    model, tokenizer = classifier(tiny_backbone)
    save_checkpoint(
        tmp_path / "step-3",
        model,
        tokenizer,
        CheckpointCard(max_length=64, run="toy-run", step=3, epoch=0.5),
    )
    return tmp_path / "step-3", model


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_checkpoint_comes_back_bit_for_bit(backbone, tmp_path, pooling):
    model, tokenizer = classifier(backbone, pooling)
    folder = tmp_path / "step-3"
    save_checkpoint(
        folder, model, tokenizer, CheckpointCard(max_length=64, run="toy-run", step=3, epoch=0.5)
    )
    found = load_checkpoint(folder)
    before, after = model.state_dict(), found.model.state_dict()
    assert before.keys() == after.keys() and all(
        torch.equal(before[name], after[name]) for name in before
    )
    assert (found.model.pooling, found.card.run, found.card.step, found.card.max_length) == (
        pooling,
        "toy-run",
        3,
        64,
    )
    assert found.tokenizer.ids(TEXTS, 64) == tokenizer.ids(TEXTS, 64)
    save_checkpoint(tmp_path / "again", found.model, found.tokenizer, found.card)
    for name in ("model.safetensors", "config.json", CARD, "tokenizer_config.json"):
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_the_tokenizer_of_a_folder_cuts_at_its_length_and_reads_no_special_tokens_in_reviews(saved):
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(saved[0])
    assert theirs.model_max_length == 64
    assert theirs(TEXTS, truncation=True)["input_ids"] == load_checkpoint(saved[0]).tokenizer.ids(
        TEXTS, 64
    )


def test_a_folder_says_what_it_is(saved):
    config = json.loads((saved[0] / "config.json").read_text())
    assert config["id2label"] == {"0": "NEGATIVE", "1": "POSITIVE"} and config["label2id"] == {
        "NEGATIVE": 0,
        "POSITIVE": 1,
    }
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert not {"_name_or_path", "auto_map"} & config.keys()
    assert sorted(p.name for p in saved[0].iterdir()) == [
        "bertsent.json",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]


# Whole or not at all


def test_a_save_that_fails_leaves_the_old_checkpoint_as_it_was(saved, monkeypatch):
    folder, model = saved
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    found = load_checkpoint(folder)
    fsync, calls = os.fsync, iter(range(100))

    def full(descriptor):
        if next(calls) == 2:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", full)
    with torch.no_grad():
        model.classifier.bias.add_(1)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(folder, model, found.tokenizer, found.card)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert [p.name for p in folder.parent.iterdir()] == ["step-3"]


def test_a_save_replaces_an_older_checkpoint(saved):
    folder, model = saved
    found = load_checkpoint(folder)
    (folder / "stale.txt").write_text("old")
    with torch.no_grad():
        model.classifier.bias.add_(1)
    save_checkpoint(folder, model, found.tokenizer, found.card, {"extra.json": b"{}"})
    assert torch.equal(load_checkpoint(folder).model.classifier.bias, model.classifier.bias)
    assert (folder / "extra.json").read_bytes() == b"{}" and not (folder / "stale.txt").exists()
    assert [p.name for p in folder.parent.iterdir()] == ["step-3"]


def test_a_tokenizer_that_cannot_be_written_is_an_error_of_the_disk(saved, monkeypatch):
    found = load_checkpoint(saved[0])

    def full(*_, **__):
        raise Exception("No space left on device (os error 28)")  # noqa: TRY002 - what the Rust side raises

    monkeypatch.setattr(type(found.tokenizer.fast), "save_pretrained", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(saved[0].with_name("step-4"), found.model, found.tokenizer, found.card)
    assert [p.name for p in saved[0].parent.iterdir()] == ["step-3"]


# Damaged


@pytest.mark.parametrize("at", [-5, -40_000, -80_000])
def test_one_flipped_bit_in_the_weights_is_noticed(saved, at):
    """The file still loads; answering from it would be wrong without a word."""
    data = bytearray((saved[0] / "model.safetensors").read_bytes())
    data[at] ^= 1
    (saved[0] / "model.safetensors").write_bytes(data)
    with pytest.raises(BadCheckpoint, match="The weights of step-3 changed after they were saved"):
        load_checkpoint(saved[0])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        '{"pooling": "first"}',
        '{"bias": [1]}',
        '{"bias": ["a", "b"]}',
        '{"bias": [null, 0]}',
        '{"format": 2}',
        '{"format": "x"}',
        '{"max_length": 100000}',
        '{"max_length": "x"}',
        '{"bias": [NaN, 0]}',
        '{"pooling": "cls", "bias": [0, 0], "max_length": Infinity}',
        '{"pooling": "cls", "bias": [0, 0], "max_length": NaN}',
        "[" * 100_000,
    ],
)
def test_a_damaged_card_is_refused(saved, content):
    (saved[0] / CARD).write_text(content)
    with pytest.raises(BadCheckpoint, match="bertsent.json of step-3 is damaged or newer"):
        read_card(saved[0])
    with pytest.raises(BadCheckpoint):
        load_checkpoint(saved[0])


def test_a_card_that_promises_longer_texts_than_the_model_reads_is_refused(saved):
    card = json.loads((saved[0] / CARD).read_text())
    (saved[0] / CARD).write_text(json.dumps({**card, "max_length": 256}))  # 128 positions
    with pytest.raises(BadCheckpoint, match="does not fit its config.json"):
        load_checkpoint(saved[0])


def test_a_card_with_facts_of_a_later_version_is_read(saved):
    card = json.loads((saved[0] / CARD).read_text())
    (saved[0] / CARD).write_text(json.dumps({**card, "mood": "good"}))
    assert load_checkpoint(saved[0]).card.step == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("part", ["classifier.weight", "bert.embeddings.LayerNorm.bias"])
def test_weights_that_are_not_finite_are_refused(tiny_backbone, tmp_path, value, part):
    """A head with NaN answered NEGATIVE to everything: NaN > 0.5 is False."""
    model, tokenizer = classifier(tiny_backbone)
    with torch.no_grad():
        model.get_parameter(part).view(-1)[0] = value
    save_checkpoint(tmp_path / "step-9", model, tokenizer, CheckpointCard(max_length=64))
    with pytest.raises(BadCheckpoint, match="step-9 contain NaN or infinite numbers"):
        load_checkpoint(tmp_path / "step-9")
