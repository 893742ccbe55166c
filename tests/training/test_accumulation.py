"""Several batches that make one update: the arithmetic is that of one large batch, and resuming
stays exact.
"""

import pytest
import torch

from bertsent.training.events import Finished, Paused
from tests.training.loop_harness import SENTINELS, LoopHarness, equal, facts, paused_after, recipe

STILL = {"dropout": 0.0, "hidden_dropout": 0.0}


@pytest.fixture
def course(tiny_backbone, toy_reviews):
    def make(folder=None, **changes):
        return LoopHarness(tiny_backbone, toy_reviews, recipe(**changes), folder, SENTINELS)

    return make


@pytest.mark.parametrize("class_weights", ["none", "balanced"])
@pytest.mark.parametrize(("size", "times"), [(8, 2), (4, 4), (5, 3), (6, 2)])
def test_small_batches_that_accumulate_learn_what_one_large_batch_does(
    course, size, times, class_weights
):
    """32 rows: 5 x 3 leaves a last step of two rows, 6 x 2 one of a whole and a part; rows weigh
    alike wherever they stand.
    """
    settings = STILL | {"class_weights": class_weights, "label_smoothing": 0.1}
    small, large = (
        course(batch_size=size, accumulate=times, **settings),
        course(batch_size=size * times, **settings),
    )
    assert isinstance(small.go(), Finished) and isinstance(large.go(), Finished)
    assert (
        small.history.started.steps_per_epoch
        == large.history.started.steps_per_epoch
        == -(-32 // (size * times))
    )
    for ours, theirs in zip(small.history.steps, large.history.steps, strict=True):
        assert (ours.step, ours.tokens, ours.accuracy) == (
            theirs.step,
            theirs.tokens,
            pytest.approx(theirs.accuracy),
        )
        assert (ours.loss, ours.grad_norm) == pytest.approx(
            (theirs.loss, theirs.grad_norm), rel=2e-4
        )
    for ours, theirs in zip(
        small.history.evaluations[1:], large.history.evaluations[1:], strict=True
    ):
        assert (ours.loss, ours.train_loss) == pytest.approx(
            (theirs.loss, theirs.train_loss), rel=2e-4
        )


def test_the_first_update_of_both_is_the_same_but_for_the_order_of_the_sum(course):
    small, large = (
        course(batch_size=4, accumulate=4, epochs=1, **STILL),
        course(batch_size=16, epochs=1, **STILL),
    )
    for run in (small, large):
        run.go(requested=lambda run=run: "stop" if run.events[-1].step == 1 else "")
    others = large.weights()
    for name, value in small.weights().items():
        sure = (
            (value - others[name]).abs() > 0.1 * 3e-3
        )  # an update moves a weight by its rate; where a gradient is rounding, by chance
        assert sure.float().mean() < 0.01, name


def test_the_only_batch_of_a_step_has_the_seed_that_it_had_before_there_was_accumulating():
    torch.manual_seed((42 * 1_000_003 + 3) * 64)
    assert torch.equal(torch.rand(4), _after_seeding(step=3, number=1))


def _after_seeding(step, number):
    from types import SimpleNamespace

    from bertsent.training.trainer_state import TrainerState

    of = SimpleNamespace(config=recipe(), accelerator=SimpleNamespace(process_index=0))
    TrainerState._seed(of, step, number)
    return torch.rand(4)


def test_every_batch_of_a_step_drops_something_else():
    drawn = [
        tuple(_after_seeding(step, number).tolist())
        for step in range(1, 40)
        for number in range(1, 65)
    ]
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("trains", ["everything", "lora"])
def test_a_run_that_accumulates_and_is_killed_or_paused_ends_as_one_left_alone(
    course, tmp_path, trains
):
    """With dropout, so that its random numbers are at stake."""
    alone = course(batch_size=3, accumulate=3, trains=trains)
    assert isinstance(alone.go(), Finished)
    run = course(tmp_path, batch_size=3, accumulate=3, trains=trains, save_seconds=0.0)
    run.go(crash_after=7)
    run.go(crash_after=5)
    while isinstance(run.go(requested=paused_after(3)), Paused):
        assert run.passes < 30
    assert facts(run.history) == facts(alone.history)
    assert equal(run.weights(), alone.weights())


def test_a_batch_of_no_finite_loss_within_a_step_ends_the_run(course, monkeypatch):
    """The second batch of the second step is spoilt: nothing of that step is applied."""
    from bertsent.training.trainer_state import TrainerState

    run, forward, calls = (
        course(batch_size=4, accumulate=2),
        TrainerState._forward,
        iter(range(100)),
    )

    def spoilt(self, rows):
        loss, hits, tokens = forward(self, rows)
        return loss * float("nan") if next(calls) == 3 else loss, hits, tokens

    monkeypatch.setattr(TrainerState, "_forward", spoilt)
    failed = run.go()
    assert (
        failed.kind == "failed"
        and failed.step == 2
        and "The loss was not a finite number" in failed.reason
    )
