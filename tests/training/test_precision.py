"""The precision of ``auto`` is what was measured on this machine; no test depends on its speed."""

import json
import subprocess

import pytest

from bertsent.settings import user_cache
from bertsent.training import precision
from bertsent.training.precision import (
    PrecisionMeasurement,
    auto_precision_sentence,
    choose_precision,
    known_precision,
    measure_precision,
    read_measurement,
    save_measurement,
)
from tests.training.loop_harness import LoopHarness, recipe


@pytest.fixture
def unmeasured(tmp_path, monkeypatch):
    """A machine on which nothing was measured, with a measurement that counts its calls."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    calls = []

    def measured():
        calls.append(1)
        return PrecisionMeasurement(fp32=1845.0, bf16=3596.0)

    monkeypatch.setattr(precision, "_measured_by_child", measured)
    return calls


@pytest.mark.parametrize(
    ("fp32", "bf16", "faster"), [(1845.0, 3596.0, "bf16"), (3000.0, 1800.0, "fp32")]
)
def test_auto_is_the_format_that_trained_faster_here(
    unmeasured, fp32, bf16, faster, tiny_backbone, toy_reviews, monkeypatch
):
    """The flag avx512_bf16 decided: an AMD processor trained in fp32 at half its speed."""
    monkeypatch.setattr(
        precision, "_measured_by_child", lambda: PrecisionMeasurement(fp32=fp32, bf16=bf16)
    )
    found = choose_precision("auto", "cpu")
    assert found.precision == known_precision() == faster and "measured" in found.reason
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(precision="auto", epochs=1))
    run.go()
    started = run.history.started
    assert (started.precision, started.precision_reason) == (faster, found.reason)


def test_a_machine_is_measured_once_for_each_version_of_torch(unmeasured, monkeypatch):
    assert choose_precision("auto", "cpu") == choose_precision("auto", "cpu")
    assert len(unmeasured) == 1
    monkeypatch.setattr(precision, "version", lambda name: "99.0")
    assert read_measurement() is None
    measure_precision()
    monkeypatch.setattr(precision, "processor_name", lambda: "Another processor")
    measure_precision()
    assert len(unmeasured) == 3
    kept = json.loads((user_cache() / "precision.json").read_text(encoding="utf-8"))
    assert len(kept) == 3, "each of them is kept"


def test_what_somebody_chooses_is_not_measured(unmeasured):
    assert choose_precision("bf16", "cpu").precision == "bf16"
    assert choose_precision("fp32", "cpu").precision == "fp32"
    assert not unmeasured


def test_looking_never_measures(unmeasured):
    assert (known_precision(), auto_precision_sentence()) == ("fp32", "not measured yet")
    assert not unmeasured


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "null", '{"KEY": 3}', '{"KEY": {"fp32": Infinity, "bf16": 1}}', '{"KEY": {}}'],
)
def test_a_damaged_file_is_measured_anew(unmeasured, content):
    save_measurement(PrecisionMeasurement(1.0, 2.0))
    path = user_cache() / "precision.json"
    path.write_text(content.replace("KEY", precision._key()), encoding="utf-8")
    assert read_measurement() is None
    assert measure_precision() == read_measurement() == PrecisionMeasurement(1845.0, 3596.0)


def test_a_measurement_that_fails_is_not_kept(unmeasured, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(precision, "read_measurement", lambda: None)
    for failure in (
        subprocess.TimeoutExpired("python", 180),
        subprocess.CalledProcessError(-9, "python"),
        OSError("no process"),
    ):

        def run(*arguments, failure=failure, **options):
            raise failure

        monkeypatch.setattr(precision.subprocess, "run", run)
        assert choose_precision("auto", "cpu").precision == "fp32"


def test_without_a_place_to_keep_it_the_measurement_still_decides(
    unmeasured, monkeypatch, tmp_path
):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert choose_precision("auto", "cpu").precision == "bf16"


def test_the_measurement_takes_real_steps_in_both_formats(monkeypatch):
    monkeypatch.setattr(precision, "TURNS", 1)
    monkeypatch.setattr(precision, "BATCH", 2)
    found = precision.time_training()
    assert found.fp32 > 0 and found.bf16 > 0
