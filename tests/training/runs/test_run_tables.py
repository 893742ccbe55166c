"""Runs side by side, against examples worked out by hand; and what TensorBoard is given is what was
stated.
"""

import json
import struct
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from bertsent.training.config import DataConfig, RunConfig, TrainingConfig
from bertsent.training.events import Evaluated, Resumed, Sentinel, Started, Stepped
from bertsent.training.runs.history import History
from bertsent.training.runs.run import Run
from bertsent.training.runs.run_export import events_table
from bertsent.training.runs.run_tables import curves, differences, measures
from bertsent.training.runs.tensorboard import tensorboard_zip

ONE = RunConfig(
    "calm-fox",
    1.0,
    DataConfig("reviews.csv", 0.0, 80, 20, "a" * 64),
    "builtin",
    "b" * 64,
    "cpu",
    TrainingConfig(epochs=3),
    ("no fun",),
    {"torch": "2.1"},
)


def step(number, loss, **more):
    usual = {
        "epoch": number / 2,
        "accuracy": 0.5,
        "learning_rate": 1e-5,
        "head_learning_rate": 1e-3,
        "grad_norm": 1.0,
        "tokens": 100,
    }
    return Stepped(
        step=number,
        time=1000.0 + number,
        loss=loss,
        tokens_per_second=50.0,
        seconds=2.0 * number,
        eta_seconds=0,
        **usual,
        **more,
    )


def check(number, loss, accuracy, **more):
    return Evaluated(
        step=number,
        time=1000.5 + number,
        epoch=number / 2,
        loss=loss,
        accuracy=accuracy,
        macro_f1=0.5,
        seconds=9.0,
        **more,
    )


BEGIN = Started(
    step=0,
    time=1000.0,
    total_steps=4,
    steps_per_epoch=2,
    epochs=2,
    train_rows=80,
    validation_rows=20,
    tokens_per_epoch=200,
    trainable=1_538,
    parameters=22_000_000,
    device="cpu",
    precision="fp32",
)
STATED = [
    BEGIN,
    check(0, 0.7, 0.9),
    step(1, 0.71),
    step(2, 0.5),
    check(2, 0.6, 0.75, train_loss=0.6, train_accuracy=0.7),
    step(3, 9.9),
    Resumed(step=2, time=1002.9),
    step(3, 0.4),
    step(4, None),
    check(4, 0.65, 0.7, train_loss=0.4, train_accuracy=0.9),
    Sentinel(step=4, time=1005.0, scores={"no fun": 0.25, "no  fun?": 0.5}),
]


@pytest.fixture
def stated(tmp_path):
    """The folder of a run that has stated this."""
    run = Run(tmp_path / "calm-fox")
    run.folder.mkdir()
    for event in STATED:
        run.log.append(event)
    return run


def test_equal_runs_differ_in_nothing_though_names_and_ages_do():
    found = differences({"one": ONE, "other": replace(ONE, id="keen-owl", created=2.0)})
    assert found.empty and list(found.columns) == ["setting", "one", "other"]


def test_only_settings_that_differ_are_listed_each_as_it_is_read():
    other = replace(
        ONE,
        training=TrainingConfig(epochs=4, encoder_lr=2e-5, freeze_embeddings=True),
        sentinels=("no fun", "great"),
        data=replace(ONE.data, contrastive_share=0.01, sha256="c" * 64),
        model="/somewhere/of/mine/tiny",
        versions={"torch": "2.2", "peft": "1"},
    )
    found = differences({"one": ONE, "other": other})
    assert {row[0]: row[1:] for row in found.itertuples(index=False)} == {
        "share of contrastive reviews": ("0.0", "0.01"),
        "fingerprint of the reviews": ("a" * 12, "c" * 12),
        "model": ("builtin", "tiny"),
        "sentinel sentences": ("no fun", "no fun | great"),
        "epochs": ("3", "4"),
        "encoder lr": ("5e-05", "2e-05"),
        "freeze embeddings": ("no", "yes"),
        "version of torch": ("2.1", "2.2"),
        "version of peft": ("–", "1"),
    }


def test_three_runs_of_which_two_agree():
    third = replace(ONE, device="cuda")
    found = differences({"one": ONE, "two": ONE, "three": third})
    assert found.to_numpy().tolist() == [["device", "cpu", "cpu", "cuda"]]


def test_measures_are_those_of_the_events_that_hold():
    """The answer before the first step (0.9) is not the best of a training; what a resume
    superseded (9.9) is gone.
    """
    found = measures({"one": History().add(STATED), "new": History()}).set_index("measure")
    assert found["one"].to_dict() == {
        "best validation accuracy": "75.0 % at step 2",
        "last validation accuracy": "70.0 %",
        "last macro-F1": "0.500",
        "lowest validation loss": "0.600 at step 2",
        "last training accuracy, mean of the epoch": "90.0 %",
        "steps": "4 of 4",
        "parameters that train": "1,538 of 22,000,000",
        "seconds of training": "8",
        "tokens a second": "50",
    }
    assert set(found["new"]) == {"–"}


def test_curves_are_the_histories_own_with_the_time_of_each_validation():
    steps, checks = curves({"one": History().add(STATED), "new": History()})
    assert steps["run"].tolist() == ["one"] * 4 and steps["loss"].tolist()[:3] == [0.71, 0.5, 0.4]
    assert checks[["step", "seconds", "accuracy"]].to_numpy().tolist() == [
        [0, 0, 0.9],
        [2, 4, 0.75],
        [4, 8, 0.7],
    ]


def test_everything_stated_is_in_the_table_of_events(stated):
    table = events_table(stated)
    assert table["event"].tolist() == [event.kind for event in STATED]
    assert table["loss"].dropna().tolist() == [0.7, 0.71, 0.5, 0.6, 9.9, 0.4, 0.65]
    assert json.loads(table["scores"].dropna().item()) == STATED[-1].scores
    assert events_table(Run(stated.folder.parent / "none")).empty


# TensorBoard


def crc32c(data):
    """The checksum of RFC 3720, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def checked(data, mask):
    found = crc32c(data)
    assert ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF == struct.unpack("<I", mask)[0]
    return data


def records(data):
    """The events of a TFRecord file, each proven by its checksums."""
    from tensorboardX.proto.event_pb2 import Event

    while data:
        (length,) = struct.unpack("<Q", checked(data[:8], data[8:12]))
        yield Event.FromString(checked(data[12 : 12 + length], data[12 + length : 16 + length]))
        data = data[16 + length :]


def scalars(archive, part):
    (name,) = [name for name in archive.namelist() if f"/{part}/" in name]
    first, *others = records(archive.read(name))
    assert first.file_version == "brain.Event:2"
    return [(v.tag, e.step, e.wall_time, v.simple_value) for e in others for v in e.summary.value]


def test_tensorboard_reads_the_very_losses(stated):
    with zipfile.ZipFile(BytesIO(tensorboard_zip([stated]))) as archive:
        assert all(
            name.startswith("calm-fox/") and "tfevents" in name for name in archive.namelist()
        )
        trained, validated = scalars(archive, "train"), scalars(archive, "validation")
    losses = [(number, when, value) for tag, number, when, value in trained if tag == "loss"]
    history = stated.history()
    assert (
        losses
        == [(s.step, s.time, np.float32(s.loss)) for s in history.steps if s.loss is not None]
        and len(losses) == 3
    )
    assert [(n, v) for tag, n, _, v in validated if tag == "loss"] == [
        (e.step, np.float32(e.loss)) for e in history.evaluations
    ]
    assert [(n, v) for tag, n, _, v in validated if tag == "accuracy"] == [
        (e.step, np.float32(e.accuracy)) for e in history.evaluations
    ]
    sentences = {tag: value for tag, _, _, value in trained if tag.startswith("p_positive")}
    assert list(sentences.values()) == [0.25, 0.5]


def test_several_runs_lie_side_by_side(stated, tmp_path):
    empty = Run(tmp_path / "new-run")
    with zipfile.ZipFile(BytesIO(tensorboard_zip([stated, empty]))) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"calm-fox", "new-run"}
        assert archive.testzip() is None
