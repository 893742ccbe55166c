"""However a run ends, the weights that it keeps are those that it has evaluated.

Stop and keep used to report the last epoch's evaluation beside the weights of the last step; a run
stopped at its very last step stayed unevaluated, and its card said "It was not evaluated".
"""

import numpy as np
import pytest
import yaml

from bertsent.models.backbone import BUILTIN_HUB_ID
from bertsent.probing.loaded_model import load_folder
from bertsent.training.checkpoints import is_evaluated, list_checkpoints, read_progress
from bertsent.training.events import Finished, Paused, Saved, Stopped
from bertsent.training.runs import launcher
from bertsent.training.runs.launcher import launch, stop_and_keep
from bertsent.training.runs.report import run_report
from bertsent.training.runs.run_export import _card_facts, export_run
from bertsent.training.runs.run_tables import epoch_rows
from tests.conftest import wait_until
from tests.training.loop_harness import SENTINELS, LoopHarness, equal, facts, recipe
from tests.training.workers import STEP, Workers, ended, new_run, state, thaw


@pytest.fixture
def course(tiny_backbone, toy_reviews):
    def make(folder=None, **changes):
        return LoopHarness(tiny_backbone, toy_reviews, recipe(**changes), folder, SENTINELS)

    return make


def requested_after(run: LoopHarness, step: int, what: str):
    """Somebody who asks for ``what`` once so many steps are done."""
    return lambda: what if run.history.step >= step else ""


def newest(folder) -> str:
    return list_checkpoints(folder)[-1].name


@pytest.mark.parametrize("step", [2, 4, 6])
def test_a_stop_evaluates_the_weights_that_it_keeps(course, tmp_path, step):
    run = course(tmp_path)
    last = run.go(requested=requested_after(run, step, "stop"))
    assert isinstance(last, Stopped) and last.step == step
    assert newest(tmp_path) == f"step-{step}" and is_evaluated(tmp_path)
    evaluation = run.history.evaluations[-1]
    assert evaluation.step == step
    kept = load_folder(tmp_path / f"step-{step}")
    answers = kept.probabilities(run.splits.validation.texts)[:, 1]
    assert np.allclose(answers, run.scores[step], atol=1e-5)
    assert evaluation.accuracy == np.mean((answers > 0.5) == run.splits.validation.labels)


@pytest.mark.parametrize("what", ["stop", "pause"])
def test_a_run_at_its_last_step_is_finished_whatever_is_requested(course, alone, tmp_path, what):
    run = course(tmp_path)
    assert isinstance(run.go(requested=requested_after(run, 8, what)), Finished)
    assert facts(run.history) == facts(alone.history)


def test_a_pause_puts_off_the_evaluation_of_a_stop(course, tmp_path):
    run = course(tmp_path)
    answers = iter(["stop", "pause"])  # the second one comes during the evaluation

    def requested():
        return next(answers, "pause") if run.history.step == 2 else ""

    assert isinstance(run.go(requested=requested), Paused)
    assert not is_evaluated(tmp_path)


def test_what_was_stopped_inside_an_epoch_goes_on_exactly(course, alone, tmp_path):
    run = course(tmp_path)
    run.go(requested=requested_after(run, 6, "stop"))
    assert isinstance(run.go(), Finished)
    assert facts(run.history)["steps"] == facts(alone.history)["steps"]
    epochs = run.history.epoch_evaluations
    assert [e.step for e in run.history.evaluations] == [0, 4, 6, 8]
    assert [(e.step, e.train_loss) for e in epochs] == [
        (e.step, e.train_loss) for e in alone.history.evaluations
    ]
    assert equal(run.weights(), alone.weights())
    rows = epoch_rows(run.history)
    assert list(rows["epoch"]) == [0, 1, 2], "an epoch that is not over is not a row"


def test_an_evaluation_inside_an_epoch_states_the_means_of_the_steps_so_far(course, tmp_path):
    run = course(tmp_path)
    run.go(requested=requested_after(run, 6, "stop"))
    found, steps = run.history.evaluations[-1], run.history.steps[4:6]
    assert found.train_loss == pytest.approx(np.mean([s.loss for s in steps]))
    assert found.train_accuracy == pytest.approx(np.mean([s.accuracy for s in steps]))


def test_patience_does_not_count_an_evaluation_inside_an_epoch(course, tmp_path):
    run = course(tmp_path, patience=1, epochs=3)
    run.go(requested=requested_after(run, 6, "stop"))
    assert read_progress(tmp_path / "step-6")["worse"] == 0
    assert read_progress(tmp_path / "step-6")["best_step"] == 4


def test_a_stop_after_a_crash_keeps_no_newer_weights_than_it_evaluates(course, tmp_path):
    """Weights kept at step 7 outlived a crash; a resume from step 4 evaluated older ones."""
    whole, crashed = (course(tmp_path / name, kept_checkpoints=8) for name in ("whole", "crashed"))
    whole.go()
    kept = [i for i, e in enumerate(whole.events, 1) if isinstance(e, Saved) and e.step == 7]
    crashed.go(crash_after=kept[0])
    assert newest(tmp_path / "crashed") == "step-7"
    assert isinstance(crashed.go(requested=lambda: "stop"), Stopped)
    assert (
        newest(tmp_path / "crashed") == f"step-{crashed.history.evaluations[-1].step}" == "step-4"
    )


# As a person does it: a worker, a pause, a stop, an export


@pytest.fixture
def paused(lab, tiny_backbone, toy_reviews, workers: Workers, monkeypatch):
    """A run that was paused after two of its eight steps."""
    monkeypatch.setattr(launcher, "_spawn", workers.spawn)
    run = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe(), None, SENTINELS))
    worker = workers.begin(run, freeze=(STEP, 3))
    run.request("pause")
    thaw(worker)
    assert ended(worker) == 0 and state(run) == "paused"
    return run


def finished_by_worker(run) -> None:
    wait_until(lambda: not run.alive() and state(run) != "paused")


def test_a_paused_run_can_be_stopped_and_kept(paused, tmp_path):
    stop_and_keep(paused)
    finished_by_worker(paused)
    assert state(paused) == "stopped"
    step = paused.history().step
    assert newest(paused.checkpoints) == f"step-{step}"
    assert run_report(paused).step == step == paused.history().evaluations[-1].step
    card = (export_run(paused, tmp_path / "away") / "README.md").read_text(encoding="utf-8")
    values = yaml.safe_load(card.split("---")[1])
    results = values["model-index"][0]["results"][0]["metrics"]
    assert {each["type"]: each["value"] for each in results}["accuracy"] == pytest.approx(
        run_report(paused).accuracy, abs=1e-4
    )
    stop_and_keep(paused)
    assert not paused.alive(), "there is nothing left to do"


def test_a_stopped_run_goes_on_to_its_end(paused, alone):
    stop_and_keep(paused)
    finished_by_worker(paused)
    launch(paused)
    wait_until(lambda: state(paused) == "finished")
    assert facts(paused.history())["steps"] == facts(alone.history)["steps"]
    launch(paused)
    assert not paused.alive() and state(paused) == "finished", "a finished run is not resumed"


def test_a_run_stopped_at_its_last_step_counts_as_finished(paused):
    """As older versions left it: the last event says stopped, and nothing is left to train."""
    launch(paused)
    wait_until(lambda: state(paused) == "finished")
    history = paused.history()
    paused.log.append(Stopped(step=history.step, seconds=history.seconds))
    assert state(paused) == "finished"


def test_a_waiting_stop_keeps_its_place_in_the_queue_until_it_has_evaluated(
    paused, lab, tiny_backbone, toy_reviews, workers
):
    other = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe(seed=2), None, SENTINELS))
    busy = workers.begin(other, freeze=(STEP, 1))
    stop_and_keep(paused)
    wait_until(lambda: paused.status().state == "queued")
    thaw(busy)
    wait_until(lambda: state(paused) == "stopped")
    assert paused.history().evaluations[-1].step == paused.history().step


def test_the_card_names_the_real_base_model_and_its_licence(paused):
    found = _card_facts(paused, 0)
    assert (found.backbone, found.is_hub_id) == ("tiny-bert", False)
    config = paused.folder / "config.json"
    text = config.read_text(encoding="utf-8").replace(paused.config.model, "builtin")
    config.write_text(text, encoding="utf-8")
    found = _card_facts(paused, 0)
    assert (found.backbone, found.licence) == (BUILTIN_HUB_ID, "apache-2.0")
