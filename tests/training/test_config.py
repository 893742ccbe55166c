"""Configurations refuse what is impossible, in words, and come back from disk as they were."""

import json
from dataclasses import asdict

import pytest

from bertsent.errors import BadCheckpoint, BadInput
from bertsent.training.config import (
    DataConfig,
    RunConfig,
    TrainingConfig,
    check_sentinels,
    from_dict,
)


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("max_length", 5, "A max length of 5 tokens is not possible. Choose from 8 to 512."),
        (
            "max_length",
            100_000,
            "A max length of 100,000 tokens is not possible. Choose from 8 to 512.",
        ),
        ("epochs", 0, "The epochs cannot be 0. Choose from 1 to 100."),
        ("epochs", True, "The epochs cannot be True."),
        ("batch_size", 0, "The batch size cannot be 0."),
        ("encoder_lr", -1e-5, "The encoder learning rate cannot be -1e-05."),
        ("encoder_lr", float("nan"), "The encoder learning rate cannot be nan."),
        ("head_lr", float("inf"), "The head learning rate cannot be inf."),
        ("warmup_share", 1.5, "The warm-up share cannot be 1.5."),
        ("dropout", 1.0, "The dropout cannot be 1.0. Choose from 0 to 0.9."),
        ("seed", -1, "The seed cannot be -1."),
        ("lora_rank", 0, "The LoRA rank cannot be 0."),
        ("epochs", "3", "The epochs cannot be 3."),
        ("epochs", 2.5, "The epochs cannot be 2.5."),
        ("seed", 1.5, "The seed cannot be 1.5."),
        ("pooling", "first", "The pooling cannot be “first”. Choose one of cls, mean, max."),
        ("trains", "nothing", "Choose one of everything, head, last, lora."),
        ("precision", "fp8", "Choose one of auto, bf16, fp32."),
    ],
)
def test_an_impossible_value_is_refused_with_what_is_possible(setting, value, told):
    with pytest.raises(BadInput) as error:
        TrainingConfig(**{setting: value})
    assert told in str(error.value)


def test_an_unknown_setting_is_refused_with_the_nearest_known_one():
    with pytest.raises(BadInput, match="There is no setting “epoch”. Did you mean “epochs”"):
        from_dict(TrainingConfig, {"epoch": 3})
    with pytest.raises(BadInput, match="Known are epochs, batch_size"):
        from_dict(TrainingConfig, {"zzz": 3})
    with pytest.raises(BadInput, match="The setting “source” is missing"):
        from_dict(DataConfig, {})


@pytest.fixture
def saved(tmp_path):
    data = DataConfig("toy", 0.1, 32, 8, "ab")
    config = RunConfig(
        "curious-otter",
        1.5,
        data,
        "builtin",
        "cd",
        "cpu",
        TrainingConfig(epochs=2),
        ("a “b”",),
        {"torch": "2"},
    )
    path = tmp_path / "curious-otter" / "config.json"
    path.parent.mkdir()
    config.save(path)
    return config, path


def test_a_run_s_configuration_comes_back_as_it_was(saved):
    config, path = saved
    assert RunConfig.load(path) == config


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: "{",
        lambda values: "[]",
        lambda values: "null",
        lambda values: json.dumps({**values, "training": 3}),
        lambda values: json.dumps({**values, "training": {"epochs": 0}}),
        lambda values: json.dumps({**values, "colour": "red"}),
        lambda values: json.dumps({k: v for k, v in values.items() if k != "data"}),
        lambda values: json.dumps({**values, "sentinels": 5}),
        lambda values: b"\xff\xfe",
    ],
)
def test_a_damaged_configuration_is_told_by_the_run_s_name(saved, spoil):
    config, path = saved
    content = spoil(asdict(config))
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(
        BadCheckpoint, match="The configuration of run curious-otter cannot be read"
    ) as error:
        RunConfig.load(path)
    assert "\n" not in str(error.value)


def test_sentinels_are_tidied_and_bounded():
    assert check_sentinels((" a ", "", "b", "a", "  ")) == ("a", "b")
    assert len(check_sentinels(tuple(map(str, range(12))))) == 12
    with pytest.raises(BadInput, match="There are 13 sentinel sentences. Choose at most 12."):
        check_sentinels(tuple(map(str, range(13))))
    with pytest.raises(BadInput, match="more than 300 characters"):
        check_sentinels(("x" * 301,))


HUGE = 10**400


@pytest.mark.parametrize("value", [float("inf"), float("nan"), HUGE, -HUGE, "7", None, [7], {}])
@pytest.mark.parametrize(
    "setting", ["seed", "epochs", "encoder_lr", "save_seconds", "trains", "kept_checkpoints"]
)
def test_forged_numbers_are_bad_input(setting, value):
    """``seed = Infinity`` in a file broke every page of that session."""
    with pytest.raises(BadInput) as error:
        TrainingConfig(**{setting: value})
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "forged",
    [
        {"created": float("inf")},
        {"created": float("nan")},
        {"created": HUGE},
        {"created": "yesterday"},
        {"id": 5},
        {"model": None},
        {"device": ["cpu"]},
        {"versions": 3},
        {"sentinels": ["x" * 301]},
        {"training": {"seed": float("inf")}},
        {"data": {"source": "toy", "contrastive_share": 0, "train_rows": float("inf")}},
    ],
)
def test_a_forged_run_is_refused_in_plain_words(saved, forged):
    config, path = saved
    path.write_text(json.dumps({**asdict(config), **forged}), encoding="utf-8")
    with pytest.raises(BadCheckpoint, match="curious-otter cannot be read"):
        RunConfig.load(path)


@pytest.mark.parametrize("content", ["{", "[]", "null", "[" * 100_000, '{"data": 1' + "0" * 5000])
def test_garbage_is_told_without_python_s_words(saved, content):
    """It said "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"."""
    _, path = saved
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadCheckpoint) as error:
        RunConfig.load(path)
    assert error.value.what == (
        "The configuration of run curious-otter cannot be read: config.json is damaged."
    )


def test_the_former_name_of_a_setting_is_read():
    assert from_dict(TrainingConfig, {"waypoints": 3}).kept_checkpoints == 3
