"""The heads of pretraining give the logits of transformers' own classes with these weights, also
after they were saved; a folder that does not fit is refused.
"""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.backbone import load_backbone
from bertsent.models.folders import CONFIG, SHIPPED_WORDS, WEIGHTS
from bertsent.models.language_model_head import (
    DELTA,
    LanguageModel,
    has_language_model,
    load_language_model,
    save_language_model,
)


def random_model() -> LanguageModel:
    """Heads with random weights, and a last layer that was changed."""
    torch.manual_seed(3)
    model = LanguageModel(load_backbone("builtin").model)
    with torch.no_grad():
        model.words.bias.normal_()
        model.words.norm.weight.normal_(1.0, 0.1)
        for parameter in model.bert.encoder.layer[5].parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    return model.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("words") / "words"
    save_language_model(where, random_model(), {"README.md": b"a card"})
    return where


@pytest.fixture(scope="module")
def batch() -> dict[str, torch.Tensor]:
    fast = load_backbone("builtin").tokenizer.fast
    return fast(
        ["The film was [MASK].", "It rained."],
        ["I left early.", "The [MASK] is bright today, they said."],
        padding=True,
        return_tensors="pt",
    )


@pytest.mark.parametrize("shipped", [False, True])
def test_logits_are_those_of_transformers(folder: Path, batch, shipped: bool) -> None:
    """Its classes are given the weights of the file, and those of the backbone with the delta."""
    from transformers import BertForMaskedLM, BertForNextSentencePrediction

    folder = SHIPPED_WORDS if shipped else folder
    stored = {name: value.float() for name, value in load_file(folder / WEIGHTS).items()}
    encoder = load_backbone("builtin").model
    state = {f"bert.{name}": value.clone() for name, value in encoder.state_dict().items()}
    for name, value in stored.items():
        if name.startswith(DELTA):
            state[f"bert.{name.removeprefix(DELTA)}"] += value
        else:
            state[name] = value
    ours = load_language_model(folder)
    hidden = ours.hidden(**{name: batch[name] for name in batch})
    masked = BertForMaskedLM(encoder.config).eval()
    missing = masked.load_state_dict(state, strict=False).missing_keys
    masked.tie_weights()
    assert all("decoder" in name or "position_ids" in name for name in missing)
    following = BertForNextSentencePrediction(encoder.config).eval()
    assert not following.load_state_dict(state, strict=False).missing_keys
    with torch.no_grad():
        torch.testing.assert_close(
            ours.word_logits(hidden), masked(**batch).logits, rtol=1e-4, atol=1e-4
        )
        torch.testing.assert_close(
            ours.next_logits(hidden), following(**batch).logits, rtol=1e-4, atol=1e-5
        )


def test_a_folder_is_small_and_comes_back(folder: Path, batch) -> None:
    before, after = random_model(), load_language_model(folder)
    assert load_language_model(folder) is after
    stored = load_file(folder / WEIGHTS)
    heads = {name: value for name, value in stored.items() if not name.startswith(DELTA)}
    assert sum(value.nbytes for value in heads.values()) < 1_000_000
    assert {name.split(".")[3] for name in stored if name.startswith(DELTA)} == {"5"}
    assert {value.dtype for value in stored.values()} == {torch.float16}
    assert (folder / WEIGHTS).stat().st_size < 8_000_000
    for name, value in before.state_dict().items():
        torch.testing.assert_close(value, after.state_dict()[name], rtol=2e-3, atol=2e-4)
    assert (folder / "README.md").read_bytes() == b"a card"


def test_some_places_alone_have_the_same_logits(folder: Path, batch) -> None:
    model = load_language_model(folder)
    hidden = model.hidden(batch["input_ids"], batch["attention_mask"], batch["token_type_ids"])
    torch.testing.assert_close(
        model.word_logits(hidden[:, 4]), model.word_logits(hidden)[:, 4], rtol=1e-4, atol=1e-4
    )


def test_what_does_not_fit_is_refused(folder: Path, tmp_path: Path) -> None:
    model = random_model()
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight[5] += 1
    with pytest.raises(BadInput, match="input vectors"):
        save_language_model(tmp_path / "words", model)
    everything = random_model()
    with torch.no_grad():
        for parameter in everything.bert.encoder.parameters():
            parameter.add_(0.01)
    with pytest.raises(BadInput, match="fewer of the last layers"):
        save_language_model(tmp_path / "words", everything)
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize("damage", ["changed", "cut", "missing", "another backbone", "no folder"])
def test_damaged_folders_are_told(folder: Path, tmp_path: Path, damage: str) -> None:
    from hashlib import sha256

    bad = tmp_path / "bad"
    bad.mkdir()
    config = json.loads((folder / CONFIG).read_text())
    weights = load_file(folder / WEIGHTS)
    if damage == "missing":
        del weights["cls.predictions.bias"]
    save_file(weights, bad / WEIGHTS)
    if damage == "cut":
        (bad / WEIGHTS).write_bytes((bad / WEIGHTS).read_bytes()[:1000])
    if damage != "changed":
        config["weights_sha256"] = sha256((bad / WEIGHTS).read_bytes()).hexdigest()
    else:
        config["weights_sha256"] = "0" * 64
    if damage == "another backbone":
        config["bertsent_base"]["sha256"] = "0" * 64
    (bad / CONFIG).write_text(json.dumps(config))
    where = tmp_path / "nowhere" if damage == "no folder" else bad
    with pytest.raises(BadCheckpoint):
        load_language_model(where)
    assert has_language_model(where) == (damage != "no folder")
