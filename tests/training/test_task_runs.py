"""Runs of other tasks on the small sets that ship: exact after a crash, and what they keep and
export answers as what was measured.
"""

from pathlib import Path

import numpy as np
import pytest

from bertsent.data.task_sets import small_set
from bertsent.probing.loaded_model import load, load_folder
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, SIMILARITY
from bertsent.training.events import Finished, Resumed
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.report import run_report
from bertsent.training.runs.run import find_run
from bertsent.training.runs.run_export import export_run
from tests.conftest import wait_until
from tests.training.loop_harness import LoopHarness, facts, recipe
from tests.training.workers import Workers, ended, state


@pytest.mark.parametrize("task", [FEELINGS, SIMILARITY], ids=lambda task: task.name)
def test_a_crash_costs_nothing(task, tiny_backbone, tmp_path) -> None:
    reviews = _few(task.name)
    config = recipe(epochs=2, batch_size=16, max_length=32, save_seconds=0.0)
    left_alone = LoopHarness(tiny_backbone, reviews, config)
    left_alone.go()
    crashed = LoopHarness(tiny_backbone, reviews, config, tmp_path / "checkpoints")
    crashed.go(crash_after=9)
    assert isinstance(crashed.go(), Finished)
    assert any(isinstance(event, Resumed) for event in crashed.events)
    assert facts(crashed.history) == facts(left_alone.history)


def test_a_run_in_bf16_is_judged_as_its_checkpoint_answers(tiny_backbone, tmp_path) -> None:
    """The report of a run of aspects said 67.7 %, and ``evaluate`` 65.8 % of the same rows: the run
    had answered them in bf16.
    """
    config = recipe(epochs=1, batch_size=16, max_length=32, precision="bf16")
    run = LoopHarness(tiny_backbone, _few(ASPECTS.name), config, tmp_path / "checkpoints")
    run.go()
    step = run.history.step
    model = load_folder(tmp_path / "checkpoints" / f"step-{step}")
    answers = model.answers(run.splits.validation.inputs)
    assert np.allclose(run.scores[step], answers, atol=1e-6)
    assert run.history.best_accuracy == pytest.approx(
        ASPECTS.metrics(np.array(run.splits.validation.labels), answers)["accuracy"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", [FIVE_STEPS, SIMILARITY], ids=lambda task: task.name)
def test_a_killed_worker_is_resumed_to_the_same_end(
    task, lab, tiny_backbone, tmp_path, monkeypatch
) -> None:
    """``kill -9`` in the middle of a run, then the report, the newest weights and the export of
    both agree to the last digit.
    """
    workers = Workers()
    config = recipe(epochs=2, batch_size=16, max_length=32, save_seconds=0.05)
    runs = [
        prepare_run("builtin", config, model=str(tiny_backbone), task=task.name, name=name)
        for name in ("left-alone", "killed")
    ]
    assert ended(workers.begin(runs[0])) == 0
    worker = workers.begin(runs[1])
    wait_until(lambda: runs[1].history().step > 10, every=0.01)
    worker.kill()
    worker.join()
    assert state(runs[1]) == "interrupted"
    assert ended(workers.begin(runs[1])) == 0
    workers.end()
    first, second = (find_run(run.id) for run in runs)
    assert facts(first.history()) == facts(second.history())
    _answers_alike(first, second, tmp_path)


def _answers_alike(first, second, tmp_path: Path) -> None:
    inputs = first.splits().validation.inputs[:10]
    found = load(first.id).answers(inputs)
    assert np.array_equal(found, load(second.id).answers(inputs))
    away = load_folder(export_run(second, tmp_path / "away"))
    assert away.task == first.config.task
    assert np.array_equal(found, away.answers(inputs))
    assert run_report(first).metrics == run_report(second).metrics


def _few(task: str):
    """Every second row of the small set, which still has enough of each label."""
    whole = small_set(task)
    return whole.where([place % 2 == 0 for place in range(len(whole))])
