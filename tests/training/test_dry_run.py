"""The dry run of a run to come, in a real child process: what it measures of a tiny model, and what
a reader is told when it cannot be done.
"""

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from bertsent.data.examples import Reviews, Splits
from bertsent.data.splits import split
from bertsent.errors import BertsentError
from bertsent.settings import PROJECT, subprocess_environment
from bertsent.training import run_estimate
from bertsent.training.config import TrainingConfig
from bertsent.training.run_estimate import measure_dry_run, run_seconds
from tests.training.loop_harness import recipe

# torch itself refuses: no machine has this much memory
_NO_MEMORY = """
import sys, torch
from bertsent.training import dry_run
dry_run.TrainerState.take_step = lambda *_: torch.empty(2**50)
sys.exit(dry_run.main())
"""
_KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
_BROKEN = "raise RuntimeError('the weights are of another shape')"


@pytest.fixture
def splits(toy_reviews: Reviews) -> Splits:
    return split(toy_reviews)


@pytest.fixture
def child_runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list]:
    """Have the child of a dry run do something else; gives back the children that are started."""

    def runs(code: str) -> list:
        started = []

        def start(module: str, folder: Path, log: Path) -> "subprocess.Popen[bytes]":
            with log.open("ab") as output:
                started.append(
                    subprocess.Popen(
                        [sys.executable, "-c", code, str(folder)],
                        stdout=output,
                        stderr=output,
                        cwd=PROJECT,
                        env=subprocess_environment(),
                    )
                )
            return started[-1]

        monkeypatch.setattr(run_estimate, "start_child", start)
        return started

    return runs


def _leftovers(lab: Path) -> list[Path]:
    return list((lab / "dry-runs").iterdir())


@pytest.mark.slow
def test_steps_time_and_memory_are_measured(lab: Path, splits: Splits, tiny_backbone: Path) -> None:
    shares: list[float] = []
    training = recipe()
    found = measure_dry_run(splits, str(tiny_backbone), training, shares.append)
    numbers = {name: n for name, n in asdict(found).items() if name not in ("device", "beside")}
    assert all(math.isfinite(number) and number > 0 for number in numbers.values()), numbers
    assert found.steps == math.ceil(len(splits.train) / training.batch_size)
    # no review is longer than this, and each has its two special tokens
    assert 2 * len(splits.train) < found.tokens <= training.max_length * len(splits.train)
    assert found.memory >= found.steps_memory
    assert (found.device, found.beside) == ("cpu", False)
    assert shares == sorted(shares) and 0 < shares[0] and shares[-1] <= 1
    assert training.epochs * found.epoch < run_seconds(found, training, sentinels=2) < math.inf
    assert not _leftovers(lab)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(_NO_MEMORY, marks=pytest.mark.slow, id="torch refuses"),
        pytest.param(_KILLED, id="the kernel kills"),
    ],
)
def test_out_of_memory_becomes_advice(
    lab: Path, splits: Splits, tiny_backbone: Path, child_runs: Callable[[str], list], code: str
) -> None:
    child_runs(code)
    with pytest.raises(BertsentError) as told:
        measure_dry_run(splits, str(tiny_backbone), recipe())
    assert "out of memory" in told.value.what
    assert "batch size 4" in told.value.remedy and "2 batches" in told.value.remedy
    assert not _leftovers(lab)


def test_a_child_that_dies_is_quoted(
    lab: Path, splits: Splits, tiny_backbone: Path, child_runs: Callable[[str], list]
) -> None:
    child_runs(_BROKEN)
    with pytest.raises(BertsentError) as told:
        measure_dry_run(splits, str(tiny_backbone), recipe())
    assert "RuntimeError: the weights are of another shape" in told.value.what
    assert "Traceback" not in told.value.what
    assert not _leftovers(lab)


@pytest.mark.slow
def test_what_a_run_would_refuse_is_refused_in_the_same_words(
    lab: Path, splits: Splits, tiny_backbone: Path
) -> None:
    """The tiny model reads 128 tokens at most."""
    with pytest.raises(BertsentError) as told:
        measure_dry_run(splits, str(tiny_backbone), TrainingConfig(max_length=256))
    assert "256" in told.value.what and "dry run" not in told.value.what


def test_whoever_gives_up_ends_the_child(
    lab: Path, splits: Splits, tiny_backbone: Path, child_runs: Callable[[str], list]
) -> None:
    started = child_runs("import time; time.sleep(60)")

    def give_up(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        measure_dry_run(splits, str(tiny_backbone), recipe(), give_up)
    assert [child.poll() for child in started] == [-9]
    assert not _leftovers(lab)
