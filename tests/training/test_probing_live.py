"""Looking at a run while it trains (F2): whoever loads and asks its checkpoints changes nothing of
what it learns.
"""

import threading
from pathlib import Path

import numpy as np
import pytest

from bertsent.errors import BertsentError
from bertsent.probing.loaded_model import load
from bertsent.space.animation import animate_checkpoints, spread_checkpoints
from bertsent.training.checkpoints import kept_checkpoints, list_checkpoints
from bertsent.training.events import Finished
from tests.conftest import wait_until
from tests.training.loop_harness import SENTINELS, LoopHarness, facts, recipe
from tests.training.workers import STEP, ended, new_run, thaw

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="these tests look into /proc"
)


@pytest.fixture
def run(lab, tiny_backbone, toy_reviews):
    return new_run(
        LoopHarness(
            tiny_backbone,
            toy_reviews,
            recipe(save_seconds=0.0, kept_checkpoints=4),
            None,
            SENTINELS,
        )
    )


class Onlooker(threading.Thread):
    """Asks the newest weights of a run, again and again, for everything that the pages show."""

    def __init__(self, run) -> None:
        super().__init__(daemon=True)
        self.run_, self.over = run, threading.Event()
        self.seen: dict[str, float] = {}
        self.troubles: list[Exception] = []

    def run(self) -> None:
        while not self.over.is_set():
            try:
                self._look()
            except (BertsentError, FileNotFoundError):
                pass  # that checkpoint made way for two newer ones just now
            except Exception as error:  # noqa: BLE001
                self.troubles.append(error)

    def _look(self) -> None:
        for folder in list_checkpoints(self.run_.checkpoints)[-1:]:
            learner = load(f"{self.run_.id}/{folder.name}")
            self.seen[folder.name] = learner.predict([SENTINELS[0]])[0].p_positive
            learner.attend(SENTINELS[1]), learner.embed(list(SENTINELS))


def test_a_run_that_is_probed_all_the_time_learns_what_one_left_alone_does(run, workers, alone):
    worker = workers.begin(run, freeze=(STEP, 6))
    onlookers = [Onlooker(run) for _ in range(3)]
    for onlooker in onlookers:
        onlooker.start()
    wait_until(lambda: all("step-5" in onlooker.seen for onlooker in onlookers))
    thaw(worker)
    assert ended(worker) == 0
    wait_until(lambda: all("step-8" in onlooker.seen for onlooker in onlookers))
    for onlooker in onlookers:
        onlooker.over.set()
        onlooker.join()
    assert not [trouble for onlooker in onlookers for trouble in onlooker.troubles]
    assert isinstance(run.history().last, Finished) and facts(run.history()) == facts(alone.history)
    told = {s.step: s.scores[SENTINELS[0]] for s in alone.history.sentinels}
    for onlooker in onlookers:
        assert onlooker.seen["step-8"] == pytest.approx(told[8], abs=1e-6)


def test_paused_probed_and_resumed_it_learns_the_same(run, workers, alone):
    worker = workers.begin(run, freeze=(STEP, 6))
    run.request("pause")
    thaw(worker)
    assert ended(worker) == 0 and run.status().state == "paused"
    newest = load(run.id)
    assert newest.name == f"{run.id}, step {run.history().step}" == f"{run.id}, step 6"
    assert (
        0 < newest.predict(["great fun"])[0].p_positive < 1
        and newest.attend("great fun").weights.size
    )
    run.request("")
    assert workers.finish(run) == 0
    assert facts(run.history()) == facts(alone.history)


def test_the_time_machine_of_a_live_run_changes_nothing_and_goes_on_with_it(
    run, workers, alone, tmp_path
):
    worker = workers.begin(run, freeze=(STEP, 6))
    reviews = run.splits().validation
    early = animate_checkpoints(
        spread_checkpoints(kept_checkpoints(run.checkpoints)), reviews, cache=tmp_path
    )
    thaw(worker)
    assert ended(worker) == 0
    late = animate_checkpoints(
        spread_checkpoints(kept_checkpoints(run.checkpoints)), reviews, cache=tmp_path
    )
    assert early.steps.tolist() == [0, 2, 4, 5] and late.steps.tolist() == [0, 2, 4, 6, 8]
    assert np.array_equal(early.p_positive[:3], late.p_positive[:3]) and np.array_equal(
        early.tsne[:3], late.tsne[:3]
    )
    assert facts(run.history()) == facts(alone.history)
    assert late.p_positive[-1] == pytest.approx(run.scores(8), abs=1e-6)
