"""A run folder of another version of the program: an older one is gone on with, a newer one is
refused with a clear word.
"""

import json

import pytest

from bertsent.errors import BadCheckpoint
from bertsent.training.events import Finished
from bertsent.training.runs.launcher import launch
from bertsent.training.runs.run import Run, list_runs
from tests.training.loop_harness import SENTINELS, LoopHarness, facts, recipe
from tests.training.workers import STEP, Workers, ended, new_run, thaw

# what the first version wrote, name by name
FIRST_TRAINING = {
    *(
        "epochs",
        "batch_size",
        "max_length",
        "encoder_lr",
        "head_lr",
        "warmup_share",
        "weight_decay",
        "dropout",
        "pooling",
        "trains",
    ),
    *("last_layers", "lora_rank", "seed", "precision", "sentinel_every", "save_seconds"),
}
FIRST_CARD = {
    "pooling",
    "max_length",
    "bias",
    "stock",
    "backbone",
    "run",
    "step",
    "epoch",
    "format",
}


@pytest.fixture
def workers(lab):
    found = Workers()
    yield found
    found.end()


@pytest.fixture
def course(tiny_backbone, toy_reviews):
    course = LoopHarness(tiny_backbone, toy_reviews, recipe(), None, SENTINELS)
    course.go()
    return course


@pytest.fixture
def paused(lab, course, workers) -> Run:
    """A run in the middle of its course."""
    run = new_run(course)
    worker = workers.begin(run, freeze=(STEP, 5))
    run.request("pause")
    thaw(worker)
    assert ended(worker) == 0 and run.status().state == "paused"
    run.request("")
    return run


def test_a_run_that_the_first_version_began_ends_as_if_it_had_stayed(paused, course, workers):
    _rewrite(
        paused.folder / "config.json",
        lambda c: {
            **c,
            "training": {n: v for n, v in c["training"].items() if n in FIRST_TRAINING},
        },
    )
    for card in paused.checkpoints.glob("*/bertsent.json"):
        _rewrite(card, lambda c: {n: v for n, v in c.items() if n in FIRST_CARD})
    assert workers.finish(paused) == 0
    assert isinstance(paused.history().last, Finished)
    assert facts(paused.history()) == facts(course.history)


def test_a_run_of_a_newer_version_is_refused_and_stays_as_it_is(paused):
    _rewrite(
        paused.folder / "config.json",
        lambda c: {**c, "training": {**c["training"], "optimiser": "of tomorrow"}},
    )
    before = {path: path.read_bytes() for path in paused.folder.rglob("*") if path.is_file()}
    with pytest.raises(
        BadCheckpoint,
        match=rf"run {paused.id} cannot be read: .*optimiser.* A newer version .* update",
    ):
        launch(paused)
    assert {
        path: path.read_bytes() for path in paused.folder.rglob("*") if path.is_file()
    } == before
    assert [run.id for run in list_runs()] == [paused.id]  # and the list of runs still shows it


def _rewrite(path, change) -> None:
    path.write_text(
        json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8"
    )
