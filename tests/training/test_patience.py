"""Early stopping: when it ends a run, what it says, and that neither a crash nor a pause makes it
forget.
"""

import json
from dataclasses import replace

import pytest

from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.events import Evaluated, Finished, Paused, Resumed, Stopped
from bertsent.training.trainer_state import TrainerState
from tests.training.loop_harness import LoopHarness, facts, paused_after, recipe


@pytest.fixture
def scripted(tiny_backbone, toy_reviews, monkeypatch):
    """Courses whose validation losses are given, one for each epoch."""

    def make(losses, folder=None, **changes):
        run = LoopHarness(tiny_backbone, toy_reviews, recipe(epochs=len(losses), **changes), folder)
        evaluate = TrainerState.evaluate

        def told(self, interrupted):
            scores = evaluate(self, interrupted)
            step = run.events[-1].step if run.events else 0
            return scores and replace(scores, loss=losses[step // 4 - 1] if step else 0.01)

        monkeypatch.setattr(TrainerState, "evaluate", told)
        return run

    return make


FALLING_THEN_NOT = (0.7, 0.5, 0.6, 0.5, 0.4, 0.3)  # epochs 3 and 4 are no better than 2


def test_it_ends_after_so_many_epochs_without_a_lower_loss_and_tells_the_best(scripted, tmp_path):
    run = scripted(FALLING_THEN_NOT, tmp_path, patience=2)
    last = run.go()
    assert isinstance(last, Stopped) and last.step == 16
    assert last.reason == (
        "The validation loss has not fallen for the last 2 epochs. It was lowest after epoch 2 "
        "(step 8: 0.500), "
        "whose weights are kept as step-8."
    )
    assert last.best_step == 8 and "step-8" in [
        folder.name for folder in list_checkpoints(tmp_path)
    ]


@pytest.mark.parametrize(("patience", "ends"), [(0, 24), (1, 12), (2, 16), (3, 24)])
def test_patience_is_counted_in_epochs_and_zero_is_endless(scripted, patience, ends):
    run = scripted(FALLING_THEN_NOT, patience=patience)
    assert run.go().step == ends
    assert isinstance(run.events[-1], Stopped if ends < 24 else Finished)


def test_a_loss_that_rises_in_the_very_last_epoch_ends_nothing_early(scripted):
    assert isinstance(scripted((0.5, 0.6), patience=1).go(), Finished)


def test_the_untrained_model_is_never_the_best_one(scripted):
    """It is scripted to have a loss of 0.01."""
    last = scripted((0.5, 0.6, 0.7), patience=1).go()
    assert last.best_step == 4 and "kept" not in last.reason


@pytest.mark.parametrize("crashes", [(13, 4), (21,), (9, 9, 2), (26,), (27,)])
def test_after_kills_it_ends_where_it_would_have(scripted, tmp_path, crashes):
    """The last crashes come right after the evaluation that used the patience up, and right after
    its checkpoint.
    """
    alone = scripted(FALLING_THEN_NOT, patience=2)
    expected = alone.go()
    run = scripted(
        FALLING_THEN_NOT, tmp_path, patience=2, save_seconds=0.0 if len(crashes) > 1 else 86_400.0
    )
    for events in crashes:
        run.go(crash_after=events)
        assert not isinstance(run.events[-1], Stopped)
    last = run.go()
    assert isinstance(last, Stopped) and (last.step, last.best_step) == (
        expected.step,
        expected.best_step,
    )
    assert facts(run.history) == facts(alone.history)


def test_pauses_do_not_make_it_forget(scripted, tmp_path):
    run = scripted(FALLING_THEN_NOT, tmp_path, patience=2)
    while isinstance(run.go(requested=paused_after(3)), Paused):
        assert run.passes < 30
    assert isinstance(run.events[-1], Stopped) and run.events[-1].step == 16
    assert [e.step for e in run.history.evaluations] == [0, 4, 8, 12, 16]


def test_resuming_what_patience_ended_ends_it_again_with_the_same_words(scripted, tmp_path):
    run = scripted(FALLING_THEN_NOT, tmp_path, patience=2)
    first, before = run.go(), len(run.events)
    again = run.go()
    assert [type(event) for event in run.events[before:]] == [Resumed, Stopped]
    assert again.reason == first.reason


def test_a_checkpoint_of_a_version_without_patience_can_be_gone_on_from(scripted, tmp_path):
    run = scripted((0.7, 0.6, 0.5), tmp_path)
    run.go(requested=paused_after(7))
    for place in tmp_path.glob("*/trainer.json"):
        values = json.loads(place.read_text())
        place.write_text(
            json.dumps(
                {
                    name: value
                    for name, value in values.items()
                    if name not in ("best_loss", "best_step", "worse")
                }
            )
        )
    assert isinstance(run.go(), Finished)
    assert any(isinstance(event, Resumed) and event.step > 0 for event in run.events)


def test_without_the_script_it_follows_the_true_validation_loss(tiny_backbone, toy_reviews):
    """Rates that wreck the model: its loss rises, and what was stated shows that the end came when
    it had to.
    """
    run = LoopHarness(
        tiny_backbone, toy_reviews, recipe(epochs=30, patience=2, encoder_lr=3e-2, head_lr=0.3)
    )
    last = run.go()
    losses = [event.loss for event in run.events if isinstance(event, Evaluated)][1:]
    assert isinstance(last, Stopped)
    assert min(losses[:-2]) == losses[last.best_step // 4 - 1] and all(
        loss >= min(losses[:-2]) for loss in losses[-2:]
    )
