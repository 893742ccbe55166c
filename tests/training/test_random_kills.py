"""``kill -9`` at fifty random moments: every time the run can be gone on with, and each ends with
the losses of one left alone.
"""

import random
from pathlib import Path

import pytest

from bertsent.training.events import Finished, Resumed
from tests.conftest import wait_until
from tests.training.loop_harness import SENTINELS, LoopHarness, facts, recipe
from tests.training.workers import Workers, ended, new_run, state

KILLS, LATEST = 50, 0.6  # seconds after the start of a worker, or after the first thing it states
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/stat").exists(), reason="workers are looked up in /proc"
    ),
]


@pytest.fixture
def workers(lab):
    found = Workers()
    yield found
    found.end()


def test_fifty_kills_at_random_moments_cost_nothing_but_time(
    lab, tiny_backbone, toy_reviews, workers
):
    course = LoopHarness(
        tiny_backbone, toy_reviews, recipe(epochs=5, save_seconds=0.1), None, SENTINELS
    )
    course.go()
    moments, kills, runs = random.Random(20261121), 0, []
    while kills < KILLS:
        runs.append(new_run(course))
        kills += _kill_until_it_is_finished(runs[-1], workers, moments, KILLS - kills)
    assert ended(workers.begin(runs[-1])) == 0
    for run in runs:
        history = run.history()
        assert isinstance(history.last, Finished)
        assert facts(history) == facts(course.history)
        assert not list(run.checkpoints.glob(".*"))
    assert (
        sum(isinstance(event, Resumed) for run in runs for event in run.log.read()[0]) > KILLS / 4
    )  # many came after a first save


def _kill_until_it_is_finished(run, workers, moments: random.Random, at_most: int) -> int:
    """Begin a worker and kill it, again and again; gives back how often, when the run has ended in
    between or that is enough.
    """
    for kills in range(at_most):
        stated = _size(run)
        worker = workers.begin(run)
        if moments.random() < 0.6:
            wait_until(lambda: _size(run) > stated or not worker.is_alive(), every=0.01)  # noqa: B023 - asked at once
        worker.join(moments.uniform(0, LATEST))
        worker.kill()
        if ended(worker) == 0:  # it was done before the signal came
            assert state(run) == "finished"
            return kills
        assert state(run) in ("new", "interrupted", "finished") and not run.alive()
    return at_most


def _size(run) -> int:
    return run.log.path.stat().st_size if run.log.path.exists() else 0
