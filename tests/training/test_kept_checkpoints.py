"""Checkpoints to look back at: where they lie, that they stay and are few, and that they change
nothing of a run.
"""

import json
import shutil
from collections import namedtuple

import pytest

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import load_folder
from bertsent.training import checkpoint_store
from bertsent.training.checkpoints import kept_checkpoints, list_checkpoints
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Finished, Saved
from bertsent.training.lr_schedule import kept_steps
from tests.training.loop_harness import SENTINELS, LoopHarness, facts, paused_after, recipe

Usage = namedtuple("Usage", "total used free")


def names(folders):
    return [folder.name for folder in folders]


def steps(folder):
    return [int(each.name[5:]) for each in list_checkpoints(folder)]


@pytest.fixture(scope="module")
def alone(tiny_backbone, toy_reviews):
    course = LoopHarness(tiny_backbone, toy_reviews, recipe(), None, SENTINELS)
    course.go()
    return course


@pytest.mark.parametrize(
    ("each", "epochs", "most", "found"),
    [
        (100, 1, 8, [12, 25, 38, 50, 62, 75, 88]),
        (100, 3, 8, [50, 150, 250]),
        (4, 2, 8, [1, 2, 3, 5, 6, 7]),
        (1, 3, 8, []),
        (100, 5, 8, []),
        (100, 100, 40, []),
        (100, 2, 0, []),
    ],
)
def test_kept_checkpoints_lie_evenly_inside_the_epochs(each, epochs, most, found):
    assert sorted(kept_steps(each, TrainingConfig(epochs=epochs, kept_checkpoints=most))) == found


def test_there_are_never_more_than_asked_for():
    for each in (1, 2, 3, 7, 50, 9_999):
        for epochs in (1, 2, 3, 8, 9, 40):
            for most in (0, 1, 8, 40):
                found = kept_steps(each, TrainingConfig(epochs=epochs, kept_checkpoints=most))
                assert len(found) + epochs <= max(most, epochs) and all(
                    0 < step < each * epochs and step % each for step in found
                )


def test_they_stay_with_their_weights_alone(tiny_backbone, toy_reviews, tmp_path):
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=4), tmp_path, SENTINELS)
    run.go()
    assert steps(tmp_path) == [0, 2, 4, 6, 8]
    assert not (tmp_path / "step-2" / "trainer.safetensors").exists()
    assert [event.step for event in run.events if isinstance(event, Saved)] == [0, 2, 4, 6, 8]
    learner = load_folder(tmp_path / "step-6")
    told = {s.step: s.scores for s in run.history.sentinels}[6]
    assert learner.predict(list(told))[0].p_positive == pytest.approx(
        list(told.values())[0], abs=1e-6
    )


def test_they_change_no_loss(tiny_backbone, toy_reviews, alone, tmp_path):
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=8), tmp_path, SENTINELS)
    run.go()
    assert facts(run.history) == facts(alone.history)


def test_a_run_that_saves_all_the_time_keeps_no_more(tiny_backbone, toy_reviews, alone, tmp_path):
    run = LoopHarness(
        tiny_backbone,
        toy_reviews,
        recipe(kept_checkpoints=4, save_seconds=0.0),
        tmp_path,
        SENTINELS,
    )
    run.go()
    assert steps(tmp_path) == [0, 2, 4, 6, 7, 8]  # 7 is one of the newest two, to go on from
    assert names(kept_checkpoints(tmp_path)) == [f"step-{step}" for step in (0, 2, 4, 6, 8)]
    assert facts(run.history) == facts(alone.history)


@pytest.mark.parametrize("crash_after", [6, 9, 14])
def test_a_crash_goes_on_exactly_past_kept_checkpoints(
    tiny_backbone, toy_reviews, alone, tmp_path, crash_after
):
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=8), tmp_path, SENTINELS)
    run.go(crash_after=crash_after)
    assert isinstance(run.go(), Finished)
    assert facts(run.history) == facts(alone.history) and steps(tmp_path) == list(range(9))


def test_a_pause_on_a_kept_checkpoint_leaves_it_a_kept_checkpoint(
    tiny_backbone, toy_reviews, alone, tmp_path
):
    for calls in range(2, 8):
        folder = tmp_path / str(calls)
        run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=8), folder, SENTINELS)
        paused = run.go(requested=paused_after(calls))
        if (
            paused.step % 4
        ):  # at an epoch's end it is the evaluation, still to come, that makes it stay
            assert (
                json.loads((folder / f"step-{paused.step}" / "trainer.json").read_text())["keep"]
                is True
            )
        assert isinstance(run.go(), Finished)
        assert facts(run.history) == facts(alone.history) and steps(folder) == list(range(9))


def test_a_disk_that_is_nearly_full_goes_without_them(
    tiny_backbone, toy_reviews, alone, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        checkpoint_store.shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 10**6)
    )
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=8), tmp_path, SENTINELS)
    assert isinstance(run.go(), Finished)
    assert steps(tmp_path) == [0, 4, 8] and facts(run.history) == facts(alone.history)


def test_a_kept_checkpoint_that_cannot_be_written_fails_nothing(
    tiny_backbone, toy_reviews, alone, tmp_path, monkeypatch
):
    original = checkpoint_store.save_checkpoint

    def saving(folder, model, encoder, card, extra=None):
        if not extra:
            raise OSError(28, "No space left on device")
        original(folder, model, encoder, card, extra)

    monkeypatch.setattr(checkpoint_store, "save_checkpoint", saving)
    run = LoopHarness(tiny_backbone, toy_reviews, recipe(kept_checkpoints=8), tmp_path, SENTINELS)
    assert isinstance(run.go(), Finished)
    assert steps(tmp_path) == [0, 4, 8] and facts(run.history) == facts(alone.history)


def test_the_newest_is_always_among_those_to_choose_from(tmp_path):
    for step, keep in ((0, True), (3, False), (4, True), (6, False)):
        folder = tmp_path / f"step-{step}"
        folder.mkdir()
        (folder / "trainer.json").write_text(json.dumps({"keep": keep}))
    assert names(kept_checkpoints(tmp_path)) == ["step-0", "step-4", "step-6"]
    (tmp_path / "step-3" / "trainer.json").write_text("{")
    (tmp_path / "step-4" / "trainer.json").unlink()  # it is not needed any more to go on
    assert names(kept_checkpoints(tmp_path)) == ["step-0", "step-3", "step-4", "step-6"]
    shutil.rmtree(tmp_path)
    assert kept_checkpoints(tmp_path) == []


def test_an_impossible_number_is_refused():
    with pytest.raises(
        BadInput, match="The number of kept checkpoints cannot be 41. Choose from 0 to 40."
    ):
        TrainingConfig(kept_checkpoints=41)
