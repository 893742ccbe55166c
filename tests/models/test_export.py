"""An exported folder answers as the model did, through transformers alone, and its card states what
was measured.
"""

import json

import numpy as np
import pytest
import torch

from bertsent.data.cleaning import clean_text
from bertsent.data.examples import LABELS
from bertsent.errors import BadCheckpoint, BadInput
from bertsent.models.checkpoint import CARD, CheckpointCard, save_checkpoint
from bertsent.models.export import CLEANING, ModelCardFacts, export_checkpoint
from bertsent.probing.loaded_model import load_folder
from tests.models.test_checkpoint import classifier

TEXTS = [
    "great fun",
    "Great, another boring movie",
    "",
    "?!",
    "a long, long film " * 2_500,
    "[SEP] [MASK]",
    "<b>no</b> fun",
    "🎬 <br /> ça & là",
]
STORY = ModelCardFacts(
    "quiet-otter",
    "tiny",
    "toy (32 training, 8 validation reviews)",
    {"epochs": 2},
    {"accuracy": 0.75, "f1": 0.7},
    8,
    "a table",
)


@pytest.fixture
def checkpoint(tiny_backbone, tmp_path):
    """Save a checkpoint: ``checkpoint(backbone=tiny BERT, pooling="cls")``."""

    def make(backbone=tiny_backbone, pooling="cls"):
        model, tokenizer = classifier(backbone, pooling)
        save_checkpoint(
            tmp_path / "step-8", model, tokenizer, CheckpointCard(max_length=64, step=8, epoch=2.0)
        )
        return tmp_path / "step-8"

    return make


@pytest.mark.parametrize("family", ["tiny_backbone", "tiny_distilbert"])
def test_the_library_s_pipeline_answers_as_we_do(checkpoint, tmp_path, family, request):
    """``pipeline("text-classification", model=folder, truncation=True)`` (DESIGN.md, The model)."""
    from transformers import pipeline

    made = checkpoint(request.getfixturevalue(family))
    folder = export_checkpoint(made, tmp_path / "away", STORY)
    classify = pipeline(
        "text-classification", model=str(folder), truncation=True, top_k=None, device="cpu"
    )
    theirs = [
        {answer["label"]: answer["score"] for answer in answers}
        for answers in classify([clean_text(text) for text in TEXTS])
    ]
    ours = load_folder(folder).probabilities(TEXTS)
    assert np.allclose([[answer[label] for label in LABELS] for answer in theirs], ours, atol=1e-4)
    assert np.ptp(ours[:, 1]) > 0.01, "a model that says the same of everything would prove nothing"
    assert np.array_equal(ours, load_folder(made).probabilities(TEXTS))


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_a_mean_or_max_pooled_model_answers_alike_in_the_library_with_its_own_module(
    checkpoint, tmp_path, pooling, monkeypatch
):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    monkeypatch.setattr(
        "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules")
    )
    folder = export_checkpoint(checkpoint(pooling=pooling), tmp_path / f"away_{pooling}", STORY)
    theirs = AutoModelForSequenceClassification.from_pretrained(
        folder, trust_remote_code=True
    ).eval()
    batch = AutoTokenizer.from_pretrained(folder)(
        [clean_text(text) for text in TEXTS], truncation=True, padding=True, return_tensors="pt"
    )
    with torch.inference_mode():
        found = theirs(**batch, labels=torch.ones(len(TEXTS), dtype=torch.long))
    assert np.allclose(found.logits.numpy(), load_folder(folder).logits(TEXTS), atol=1e-4)
    assert found.loss.item() == pytest.approx(
        -found.logits.log_softmax(-1)[:, 1].mean().item(), abs=1e-5
    )
    assert "trust_remote_code=True" in (folder / "README.md").read_text(encoding="utf-8")


def test_our_own_loader_never_runs_the_folder_s_code(checkpoint, tmp_path):
    made = checkpoint(pooling="mean")
    folder = export_checkpoint(made, tmp_path / "away", STORY)
    (folder / "modeling_bertsent.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    assert np.array_equal(
        load_folder(folder).probabilities(TEXTS), load_folder(made).probabilities(TEXTS)
    )
    assert not (tmp_path / "ran").exists()


def test_the_card_tells_what_was_measured(checkpoint, tmp_path):
    from huggingface_hub import ModelCard

    folder = export_checkpoint(checkpoint(), tmp_path / "deep" / "away", STORY)
    card = ModelCard.load(folder / "README.md")
    assert {r.metric_type: r.metric_value for r in card.data.eval_results} == {
        "accuracy": 0.75,
        "f1": 0.7,
    }
    assert (card.data.language, card.data.pipeline_tag, card.data.library_name) == (
        "en",
        "text-classification",
        "transformers",
    )
    for fact in (
        "# quiet-otter",
        "`tiny`",
        f"{STORY.data}. Step 8, epoch 2",
        "| epochs | 2 |",
        "a table",
        "cut at 64 tokens",
        "pipeline(",
        CLEANING,
    ):
        assert fact in card.text
    assert "trust_remote_code" not in card.text
    assert json.loads((folder / "config.json").read_text())["id2label"] == {
        "0": "NEGATIVE",
        "1": "POSITIVE",
    }


def test_a_model_without_evaluation_says_so(checkpoint, tmp_path):
    folder = export_checkpoint(
        checkpoint(), tmp_path / "away", ModelCardFacts("toy", "tiny", "toy: “reviews” # 1")
    )
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "It was not evaluated." in card and "model-index" not in card


def test_what_resuming_needs_stays_at_home(checkpoint, tmp_path):
    made = checkpoint()
    (made / "trainer.safetensors").write_bytes(b"moments")
    (made / "trainer.json").write_text("{}")
    folder = export_checkpoint(made, tmp_path / "away", STORY)
    assert not list(folder.glob("trainer.*")) and (made / "trainer.json").exists()


def test_nothing_is_overwritten(checkpoint, tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "mine.txt").write_text("mine")
    for place in (tmp_path / "away", tmp_path / "away" / "mine.txt"):
        with pytest.raises(BadInput, match="exists and is not empty. Choose another folder."):
            export_checkpoint(checkpoint(), place, STORY)
    assert (tmp_path / "away" / "mine.txt").read_text() == "mine"


def test_the_empty_folder_where_one_stands_will_do(checkpoint, tmp_path, monkeypatch):
    from pathlib import Path

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert export_checkpoint(checkpoint(), Path("."), STORY) == tmp_path / "here"
    assert (tmp_path / "here" / "README.md").is_file()


def test_what_goes_wrong_while_exporting_leaves_nothing_behind(checkpoint, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bertsent.models.export.model_card", full)
    with pytest.raises(OSError, match="No space left"):
        export_checkpoint(checkpoint(), tmp_path / "away", STORY)
    assert [p.name for p in tmp_path.iterdir()] == ["step-8"]


def test_what_is_no_checkpoint_of_ours_is_not_exported(checkpoint, tmp_path):
    made = checkpoint()
    (made / CARD).unlink()
    with pytest.raises(BadCheckpoint, match="step-8 has no bertsent.json"):
        export_checkpoint(made, tmp_path / "away", STORY)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadCheckpoint, match="not a model folder"):
        export_checkpoint(tmp_path / "empty", tmp_path / "away", STORY)
    assert not (tmp_path / "away").exists()
