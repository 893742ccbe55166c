"""Two processes train as one: ``torchrun`` or ``accelerate launch`` start the same worker several
times.
"""

import os
import subprocess
import sys

import pytest

from bertsent.settings import PROJECT
from bertsent.training.events import Finished
from tests.training.loop_harness import SENTINELS, LoopHarness, recipe
from tests.training.workers import new_run

pytestmark = pytest.mark.slow


def test_two_processes_learn_what_one_does(lab, tiny_backbone, toy_reviews):
    """Half of each batch each. Without dropout the losses are those of one process, but for
    rounding; one writer writes.
    """
    config = recipe(trains="head", dropout=0.0)
    alone = LoopHarness(tiny_backbone, toy_reviews, config, None, SENTINELS)
    alone.go()
    run = new_run(alone)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc_per_node=2",
            "-m",
            "bertsent.training.worker",
            run.folder,
        ],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == 0, done.stderr
    history = run.history()
    assert isinstance(history.last, Finished)
    assert [s.step for s in history.steps] == list(range(1, 9))
    for together, single in (
        (history.steps, alone.history.steps),
        (history.evaluations, alone.history.evaluations),
    ):
        assert [fact.loss for fact in together] == pytest.approx(
            [fact.loss for fact in single], abs=1e-5
        )
        assert [fact.accuracy for fact in together] == [fact.accuracy for fact in single]
    assert [s.tokens for s in history.steps] == [s.tokens for s in alone.history.steps]
