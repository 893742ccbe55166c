"""Three tasks in one run: the one training loop learns them, accumulates, pauses and comes back
from ``kill -9`` exactly as it does with one.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.checkpoint import load_checkpoint
from bertsent.probing.loaded_model import load, load_folder
from bertsent.tasks.catalogue import FIVE_STEPS
from bertsent.tasks.mixed import THREE_TASKS, WEIGHTED
from bertsent.training.build import build_model, check_kept_head
from bertsent.training.curves.reading import answer_losses
from bertsent.training.events import Finished, Paused, Resumed
from bertsent.training.runs.report import part_answers, task_report
from bertsent.training.trainer_state import TrainerState
from tests.own_mixture import mixture
from tests.training.loop_harness import (
    SENTINELS,
    LoopHarness,
    equal,
    facts,
    fresh,
    paused_after,
    recipe,
)
from tests.training.workers import SAVE, STEP, kill, new_run, state

STILL = {"dropout": 0.0, "hidden_dropout": 0.0}
IMPROVED = {"pooling": "mean", "heads": "feed-forward", "jaccard": True, "share_pairs": True}


@pytest.fixture
def course(tiny_backbone):
    def make(folder=None, task=WEIGHTED, **changes):
        return LoopHarness(tiny_backbone, mixture(task), recipe(**changes), folder)

    return make


def _rows(found) -> list[dict[str, float]]:
    return [evaluation.metrics for evaluation in found.history.evaluations]


def test_a_run_learns_all_three_and_states_a_metric_of_each(course) -> None:
    found = course(epochs=6, batch_size=12, **IMPROVED)
    assert isinstance(found.go(), Finished)
    first, last = _rows(found)[0], _rows(found)[-1]
    assert last["mean"] > first["mean"] + 0.2
    main = [
        last[key] for key in ("five-steps accuracy", "paraphrase accuracy", "similarity pearson")
    ]
    assert found.history.evaluations[-1].accuracy == pytest.approx(sum(main) / 3)


def test_the_first_loss_is_that_of_the_heads_worked_out_apart(course, tiny_backbone) -> None:
    found = course(batch_size=200, epochs=1, **STILL)
    found.go()
    model, tokenizer = fresh(tiny_backbone, found.config, WEIGHTED)
    model.eval()
    total, train = 0.0, found.splits.train
    for place, share in enumerate((0.5, 0.25, 0.25)):
        part = WEIGHTED.parts[place]
        own = train.of_part(part)
        losses = []
        for row in own:  # each alone: no padding, no neighbours
            ids = torch.tensor(tokenizer.input_ids([(row.text, row.second)], 64))
            ends = (ids == tokenizer.sep_id).long()
            logits = model(ids, torch.ones_like(ids), (ends.cumsum(1) - ends).clamp(max=1))
            target = part.targets([part.target_of(row)])
            losses.append(part.loss(logits[:, WEIGHTED.columns(place)], target).item())
        total += share * sum(losses) / len(losses)
    assert found.history.steps[0].loss == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize(("size", "times"), [(8, 3), (5, 4)])
def test_small_batches_that_accumulate_learn_what_one_large_batch_does(course, size, times) -> None:
    small = course(batch_size=size, accumulate=times, **STILL)
    large = course(batch_size=size * times, **STILL)
    small.go(), large.go()
    for ours, theirs in zip(small.history.steps, large.history.steps, strict=True):
        assert (ours.loss, ours.grad_norm) == pytest.approx(
            (theirs.loss, theirs.grad_norm), rel=5e-4
        )


def test_an_epoch_draws_as_many_rows_of_each_part(course, tiny_backbone) -> None:
    config = recipe(batch_size=10, epoch_rows=60)
    found = course()
    model, tokenizer = fresh(tiny_backbone, config, WEIGHTED)
    trained = TrainerState(model, tokenizer, found.splits, config, "cpu")
    assert trained.steps_per_epoch == 6
    places = trained.train.targets[:, 0].int().tolist()
    drawn = [row for step in range(1, 7) for batch in trained.batches(step) for row in batch]
    assert sorted(places[row] for row in drawn) == [0] * 20 + [1] * 20 + [2] * 20
    assert {places[row] for row in trained.batches(3)[0]} == {0, 1, 2}
    again = [row for step in range(7, 13) for batch in trained.batches(step) for row in batch]
    assert drawn != again


@pytest.mark.parametrize("options", [{}, IMPROVED], ids=["baseline", "improved"])
def test_a_pause_and_a_crash_change_nothing(course, tmp_path, options) -> None:
    settings = {"batch_size": 12, "epoch_rows": 48, "save_seconds": 0.0, **options}
    alone = course(tmp_path / "alone", **settings)
    alone.go()
    broken = course(tmp_path / "broken", **settings)
    assert isinstance(broken.go(requested=paused_after(4)), Paused)
    broken.go(crash_after=9)
    assert isinstance(broken.go(), Finished)
    assert facts(broken.history) == facts(alone.history) and _rows(broken) == _rows(alone)
    assert equal(broken.weights(), alone.weights())


def test_sentences_are_followed_by_the_head_of_sentiment_and_change_nothing(
    course, tmp_path, tiny_backbone
) -> None:
    """What is followed is what the saved model of that task answers."""
    alone, watched = course(epochs=1), course(tmp_path, epochs=1)
    watched.sentinels = SENTINELS
    alone.go()
    watched.go()
    assert facts(watched.history) | {"sentinels": []} == facts(alone.history)
    assert equal(watched.weights(), alone.weights())
    saved = load_folder(tmp_path / f"step-{watched.history.step}").part("five-steps")
    answers = saved.answers([(text, "") for text in SENTINELS])
    followed = watched.history.sentinels[-1].scores
    assert list(followed) == list(SENTINELS)
    assert list(followed.values()) == pytest.approx(FIVE_STEPS.expected_step(answers) / 4, abs=1e-6)


def test_another_way_of_building_heads_is_refused(course, tmp_path, tiny_backbone) -> None:
    found = course(tmp_path, epochs=1, **IMPROVED)
    found.go()
    folder = found.store.folder / f"step-{found.history.step}"
    kept = recipe(keep_head=True, **IMPROVED)
    model, _ = build_model(str(folder), kept, task=WEIGHTED)
    assert equal(model.state_dict(), load_checkpoint(folder).model.state_dict())
    with pytest.raises(BadInput, match="built in another way"):
        build_model(str(folder), recipe(keep_head=True, pooling="mean"), task=WEIGHTED)
    with pytest.raises(BadInput, match="another question"):
        build_model(str(folder), kept, task=THREE_TASKS)
    check_kept_head(str(folder), kept, WEIGHTED)
    with pytest.raises(BadInput, match="another question"):  # before anything is written
        check_kept_head(str(folder), kept, FIVE_STEPS)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks into /proc")
@pytest.mark.parametrize("moment", [(STEP, 2), (STEP, 7), (SAVE, 7), (SAVE, 27)], ids=str)
def test_a_killed_run_of_three_tasks_resumes_exactly(lab, course, workers, moment) -> None:
    alone = course(batch_size=24, epoch_rows=96, **IMPROVED)
    alone.go()
    changed = course(batch_size=24, epoch_rows=96, save_seconds=0.0, **IMPROVED)
    run = new_run(changed)
    kill(workers.begin(run, freeze=moment))
    assert state(run) == "interrupted"
    assert workers.finish(run) == 0
    history = run.history()
    assert isinstance(history.last, Finished)
    assert facts(history) == facts(alone.history)
    assert [e.metrics for e in history.evaluations] == _rows(alone)
    assert sum(isinstance(event, Resumed) for event in run.log.read()[0]) <= 1
    model = load(run.id).part("similarity")
    assert 0 <= model.answers([("the cat sleeps", "cat is asleep")])[0] <= 5


def test_the_report_of_each_part_is_that_of_its_own_rows(course) -> None:
    found = course(**IMPROVED)
    found.go()
    reviews, step = found.splits.validation, found.history.step
    kept = np.array(found.scores[step])
    report = task_report(reviews, kept, step)
    assert report.metrics == pytest.approx(_rows(found)[-1])
    for name, measured in (("five-steps", "accuracy"), ("similarity", "pearson")):
        own, answers = part_answers(reviews, kept, WEIGHTED.parts[WEIGHTED.place(name)])
        assert len(own) == len(answers) == sum(e.part == name for e in reviews)
        metrics = task_report(own, answers, step).metrics
        assert metrics[measured] == pytest.approx(report.metrics[f"{name} {measured}"])
    losses = answer_losses(kept, reviews)
    assert losses.mean() == pytest.approx(found.history.evaluations[-1].loss, rel=1e-4)
