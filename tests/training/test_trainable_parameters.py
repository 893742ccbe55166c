"""What trains and how fast, each held against a number worked out by hand, by torch or by
scikit-learn.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.utils.class_weight import compute_class_weight
from torch.nn.functional import cross_entropy

from bertsent.data.examples import Reviews
from bertsent.data.splits import split
from bertsent.models.backbone import builtin_folder, load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.tasks.catalogue import SENTIMENT
from bertsent.text.batches import collate
from bertsent.training.build import build_model
from bertsent.training.config import TRAINS, TrainingConfig
from bertsent.training.lr_schedule import rate_factor, schedule
from bertsent.training.parameter_count import ParameterCount, count_parameters
from bertsent.training.trainable_parameters import (
    build_optimizer,
    choose_trainable,
    class_weights,
    set_dropout,
)
from bertsent.training.trainer_state import TrainerState
from tests.training.loop_harness import LoopHarness, fresh, recipe


@pytest.mark.parametrize(("share", "varies"), [(0.0, False), (0.5, True)])
def test_attention_dropout_is_what_was_asked_for(
    share: float, varies: bool, tiny_backbone: Path
) -> None:
    """In training mode with every other dropout off, the answer varies from pass to pass just when
    attention is dropped.
    """
    model = BertForTask(load_backbone(str(tiny_backbone)).model, dropout=0.0)
    set_dropout(model.bert, 0.0, share)
    model.train()
    ids = torch.tensor([[101, 200, 201, 202, 102]])
    first, second = (model(ids, torch.ones_like(ids)) for _ in range(2))
    assert torch.equal(first, second) is not varies


# Layer-wise rates


def peaks(model: BertForTask, config: TrainingConfig) -> dict[str, float]:
    choose_trainable(model, config)
    names = {id(p): name for name, p in model.named_parameters()}
    return {
        names[id(p)]: group["peak"]
        for group in build_optimizer(model, config).param_groups
        for p in group["params"]
    }


def test_each_layer_learns_slower_than_the_one_above_it_as_worked_out_by_hand(
    tiny_backbone: Path,
) -> None:
    """Two layers, rate 4e-4, decay 0.5: the top one 4e-4, the lower one 2e-4, the input vectors
    1e-4; the head is its own.
    """
    found = peaks(
        fresh(tiny_backbone, recipe())[0], recipe(encoder_lr=4e-4, layer_decay=0.5, head_lr=1e-2)
    )
    for name, rate in found.items():
        expected = (
            1e-2
            if name.startswith("classifier")
            else 4e-4
            if ".layer.1." in name
            else 2e-4
            if ".layer.0." in name
            else 1e-4
        )
        assert rate == pytest.approx(expected), name
    assert "embeddings" in "".join(found) and len(set(found.values())) == 4


def test_rates_by_layer_for_distilbert_and_for_adapters(
    tiny_distilbert: Path, tiny_backbone: Path
) -> None:
    for folder, trains in (
        (tiny_distilbert, "everything"),
        (tiny_backbone, "lora"),
        (tiny_backbone, "last"),
    ):
        model = fresh(folder, recipe())[0]
        layers = model.bert.config.num_hidden_layers
        found = peaks(model, recipe(encoder_lr=1.0, layer_decay=0.1, trains=trains, last_layers=1))
        for layer in range(layers):
            own = [rate for name, rate in found.items() if f".layer.{layer}." in name]
            assert own == pytest.approx([0.1 ** (layers - 1 - layer)] * len(own))
        assert ("embeddings" in "".join(found)) == (trains == "everything")


def test_the_rate_that_is_stated_is_that_of_the_top_layer(
    tiny_backbone: Path, toy_reviews: Reviews
) -> None:
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(layer_decay=0.5, epochs=1))
    run.go()
    plain = LoopHarness(tiny_backbone, toy_reviews, recipe(epochs=1))
    plain.go()
    assert [s.learning_rate for s in run.history.steps] == [
        s.learning_rate for s in plain.history.steps
    ]
    assert [s.loss for s in run.history.steps][1:] != [s.loss for s in plain.history.steps][1:]


# Class weights


def lopsided(reviews: Reviews) -> Reviews:
    """All negative reviews and every third positive one."""
    return reviews.where([e.label == 0 or i % 3 == 0 for i, e in enumerate(reviews)])


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_class_weights_are_those_of_cross_entropy_and_scikit_learn(
    smoothing: float, tiny_backbone: Path, toy_reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = recipe(
        class_weights="balanced", label_smoothing=smoothing, dropout=0.0, hidden_dropout=0.0
    )
    model, encoder = fresh(tiny_backbone, config)
    found = TrainerState(model, encoder, split(lopsided(toy_reviews), seed=42), config, "cpu")
    labels = found.train.targets
    weights = torch.tensor(
        compute_class_weight("balanced", classes=np.array([0, 1]), y=labels.numpy()),
        dtype=torch.float32,
    )
    assert torch.allclose(found.class_weights, weights) and weights[1] > weights[0]
    (rows,) = found.batches(2)
    batch = collate(found.train.ids, rows, pad_id=0, limit=64)
    with torch.inference_mode():
        logits = model.eval()(batch.input_ids, batch.attention_mask)
    assert 0 < labels[list(rows)].sum() < len(rows), "both classes, or the weights would cancel"
    expected = cross_entropy(logits, labels[list(rows)], weight=weights, label_smoothing=smoothing)
    assert found.take_step(2).loss == pytest.approx(expected.item(), abs=1e-6)


def test_without_class_weights_all_reviews_count_alike() -> None:
    assert class_weights(torch.tensor([0, 0, 1]), "none", SENTIMENT) is None
    assert class_weights(torch.tensor([0, 0, 1]), "balanced", SENTIMENT).tolist() == [0.75, 1.5]


# How many parameters train


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize("trains", list(TRAINS))
@pytest.mark.parametrize("which", ["bert", "distilbert", "builtin"])
def test_the_parameters_counted_from_the_configuration_are_those_that_train(
    which: str, trains: str, freeze: bool, tiny_backbone: Path, tiny_distilbert: Path
) -> None:
    folder = {"bert": tiny_backbone, "distilbert": tiny_distilbert, "builtin": builtin_folder()}[
        which
    ]
    config = recipe(trains=trains, last_layers=1, lora_rank=3, freeze_embeddings=freeze)
    model = build_model(str(folder), config)[0]
    choose_trainable(model, config)
    parameters = list(model.parameters())
    real = ParameterCount(
        sum(p.numel() for p in parameters if p.requires_grad), sum(p.numel() for p in parameters)
    )
    assert count_parameters(folder, config) == real


def test_the_head_of_a_768_wide_encoder_is_1538_numbers(tmp_path: Path) -> None:
    """000-16. bert-base-uncased by its configuration alone; 109,482,240 is what its encoder without
    a pooler has.
    """
    sizes = {
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "intermediate_size": 3072,
        "vocab_size": 30522,
        "max_position_embeddings": 512,
    }
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", **sizes}))
    assert count_parameters(tmp_path, recipe(trains="head")) == ParameterCount(
        1_538, 108_891_648 + 1_538
    )
    assert (
        count_parameters(tmp_path, recipe(trains="head")).sentence()
        == "1,538 of 108,893,186 parameters are trainable (0.00 %)"
    )
    assert (
        count_parameters(tmp_path, recipe()).sentence()
        == "108,893,186 of 108,893,186 parameters are trainable"
    )


# The schedule


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_what_is_drawn_are_the_rates_that_a_run_will_have(
    share: float, tiny_backbone: Path, toy_reviews: Reviews
) -> None:
    config = recipe(warmup_share=share, layer_decay=0.5, accumulate=2, batch_size=4, epochs=3)
    run = LoopHarness(tiny_backbone, toy_reviews, config)
    run.go()
    rates = schedule(config, rows=32, layers=2).pivot(index="step", columns="part", values="rate")
    assert list(rates.index) == [s.step for s in run.history.steps] == list(range(1, 13))
    assert rates["layer 2"].tolist() == [s.learning_rate for s in run.history.steps]
    assert rates["head"].tolist() == [s.head_learning_rate for s in run.history.steps]
    assert rates["layer 1"].tolist() == pytest.approx((rates["layer 2"] * 0.5).tolist())
    assert rates["embeddings"].tolist() == pytest.approx((rates["layer 2"] * 0.25).tolist())


def test_a_long_schedule_is_thinned_but_keeps_its_corners() -> None:
    config = TrainingConfig(epochs=10, warmup_share=0.1)
    rows = schedule(config, rows=16_000, layers=6)
    head = rows[rows["part"] == "head"]
    assert len(head) <= 244 and {1, 1000, 10_000} <= set(head["step"])
    assert head["rate"].max() == config.head_lr == head.loc[head["step"] == 1000, "rate"].item()
    assert all(
        head["rate"] == [config.head_lr * rate_factor(step, 10_000, 0.1) for step in head["step"]]
    )


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"trains": "head"}, ["head"]),
        ({"trains": "last", "last_layers": 2}, ["head", "layer 3", "layer 2"]),
        ({"trains": "lora"}, ["head", "layer 3", "layer 2", "layer 1"]),
        ({"freeze_embeddings": True}, ["head", "layer 3", "layer 2", "layer 1"]),
        ({}, ["head", "layer 3", "layer 2", "layer 1", "embeddings"]),
    ],
)
def test_only_what_learns_has_a_rate(changes: dict, parts: list[str]) -> None:
    assert list(schedule(recipe(**changes), rows=20, layers=3)["part"].unique()) == parts
