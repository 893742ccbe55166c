"""The worker as a process: what a kill, a signal, a full disk or a second worker does to a run, and
that nothing is lost.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from bertsent.errors import BadInput, Busy, NotAvailable
from bertsent.models.backbone import weights_hash
from bertsent.probing.loaded_model import load, load_folder
from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.events import Failed, Finished, Resumed, Started
from bertsent.training.runs.launcher import launch
from bertsent.training.runs.queue import lock_of
from bertsent.training.runs.run import Run, create_run, delete_run
from bertsent.training.worker import explain
from tests.conftest import read_events, wait_until
from tests.training.loop_harness import SENTINELS, LoopHarness, facts, recipe
from tests.training.workers import (
    EVALUATION,
    SAVE,
    STATEMENT,
    STEP,
    ended,
    kill,
    new_run,
    state,
    thaw,
)

slow = pytest.mark.slow  # one second each, but there are many
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="these tests look into /proc"
)


@pytest.fixture
def run(lab, tiny_backbone, toy_reviews):
    """Lay down a run of that course; how often it saves changes no loss."""

    def make(save_seconds=600.0, **changes) -> Run:
        return new_run(
            LoopHarness(
                tiny_backbone,
                toy_reviews,
                recipe(save_seconds=save_seconds, **changes),
                None,
                SENTINELS,
            )
        )

    return make


def resumed_equals(run, alone) -> bool:
    """Whether all that still holds of a run is what the uninterrupted course measured."""
    history = run.history()
    assert isinstance(history.last, Finished), history.last
    assert not list(run.checkpoints.glob(".*"))
    return facts(history) == facts(alone.history)


def steps_resumed_from(run) -> list[int]:
    return [e.step for e in run.log.read()[0] if isinstance(e, Resumed)]


def names(folders) -> list[str]:
    return [folder.name for folder in folders]


# From start to end


def test_a_run_is_new_then_running_then_finished(run, workers, alone):
    made = run()
    assert state(made) == "new" and not made.status().live
    worker = workers.begin(made, freeze=(STEP, 3))
    assert state(made) == "running" and made.status().live
    thaw(worker)
    assert ended(worker) == 0 and state(made) == "finished" and not made.alive()
    assert resumed_equals(made, alone)
    assert [e["event"] for e in read_events(made.folder)][-1] == "finished"
    assert made.scores(8).tolist() == alone.scores[8] and made.scores(5) is None


@pytest.mark.parametrize(
    "moment",
    [
        (STEP, 6),
        pytest.param((EVALUATION, 1), marks=slow),
        (EVALUATION, 2),
        pytest.param((SAVE, 7), marks=slow),
    ],
    ids=["step", "start", "evaluation", "save"],
)
def test_a_pause_ends_the_worker_and_resume_goes_on_exactly(run, workers, alone, moment):
    made = run()
    worker = workers.begin(made, freeze=moment)
    made.request("pause")
    made.request("pause")
    assert made.status().requested == "pause"
    thaw(worker)
    assert ended(worker) == 0 and state(made) == "paused"
    assert list_checkpoints(made.checkpoints)[-1].name == f"step-{made.history().last.step}"
    made.request("")
    assert workers.finish(made) == 0
    assert resumed_equals(made, alone)


def test_a_signal_to_end_means_a_pause(run, workers, alone):
    made = run()
    worker = workers.begin(made, freeze=(STEP, 3))
    os.kill(worker.pid, signal.SIGTERM)
    thaw(worker)
    assert ended(worker) == 0 and state(made) == "paused" and made.history().last.step == 3
    workers.finish(made)
    assert resumed_equals(made, alone)


def test_a_stopped_run_keeps_a_model_that_answers(run, workers):
    made = run()
    worker = workers.begin(made, freeze=(STEP, 6))
    made.request("stop")
    thaw(worker)
    assert ended(worker) == 0 and state(made) == "stopped"
    learner = load(made.id)
    assert learner.name == f"{made.id}, step 6"
    assert 0 < learner.predict(["great fun"])[0].p_positive < 1


# Killed


@pytest.mark.parametrize(
    ("moment", "save_seconds", "resumed"),
    [
        ((STEP, 1), 600, 0),
        pytest.param((STEP, 7), 600, 4, marks=slow),
        ((STEP, 7), 0, 6),
        pytest.param((EVALUATION, 3), 0, 8, marks=slow),
        ((STATEMENT, 11), 0, 3),
    ],
)
def test_a_killed_run_is_interrupted_and_resumes_exactly(
    run, workers, alone, moment, save_seconds, resumed
):
    made = run(save_seconds)
    kill(workers.begin(made, freeze=moment))
    assert state(made) == "interrupted" and not made.alive()
    assert workers.finish(made) == 0
    assert steps_resumed_from(made) == [resumed]
    assert resumed_equals(made, alone)


def test_a_run_killed_before_it_stated_anything_starts_anew(run, workers, alone):
    made = run()
    kill(workers.begin(made, freeze=(STATEMENT, 1)))
    assert state(made) == "new"
    assert workers.finish(made) == 0 and resumed_equals(made, alone)


def test_a_run_killed_three_times_with_torn_last_lines_resumes_exactly(run, workers, alone):
    made = run(save_seconds=0)
    for _ in range(3):
        kill(workers.begin(made, freeze=(STEP, 3)))
        whole = len(made.log.read()[0])
        with made.log.path.open("ab") as file:
            file.write(b'{"event": "stepped", "step": 9999, "lo')
        assert len(made.log.read()[0]) == whole and state(made) == "interrupted"
    workers.finish(made)
    assert all(isinstance(event, dict) for event in read_events(made.folder))
    assert steps_resumed_from(made) == [2, 4, 6]
    assert resumed_equals(made, alone)


@pytest.mark.parametrize(
    ("file", "step", "resumed"),
    [pytest.param(1, 0, None, marks=slow), (7, 1, 0), (27, 4, 4)],
    ids=["of the first", "of the second", "of one that replaces"],
)
def test_a_run_killed_in_mid_save_resumes_exactly_and_sweeps_up(
    run, workers, alone, file, step, resumed
):
    """A checkpoint of five files is half written when the worker dies; whatever has its real name
    is whole. Step 4 ends an epoch: it is saved once after its update, as files 21 to 25, and again
    after its evaluation.
    """
    made = run(save_seconds=0)
    kill(workers.begin(made, freeze=(SAVE, file)))
    (unfinished,) = names(made.checkpoints.glob(".step-*"))
    assert unfinished.startswith(f".step-{step}-")
    assert (made.checkpoints / f"step-{step}").exists() == (step == resumed)
    assert state(made) == "interrupted"
    for folder in list_checkpoints(made.checkpoints):
        load_folder(folder)
    workers.finish(made)
    assert steps_resumed_from(made) == ([] if resumed is None else [resumed])
    assert resumed_equals(made, alone)


@pytest.mark.parametrize(
    "file", [pytest.param("trainer.safetensors", marks=slow), "model.safetensors"]
)
def test_a_checkpoint_cut_short_gives_way_to_the_one_before(run, workers, alone, file):
    made = run(save_seconds=0)
    kill(workers.begin(made, freeze=(STEP, 7)))
    newest = list_checkpoints(made.checkpoints)[-1]
    os.truncate(newest / file, (newest / file).stat().st_size // 2)
    workers.finish(made)
    assert newest.name == "step-6" and steps_resumed_from(made) == [5]
    assert "step-6 cannot be resumed from" in (made.folder / "worker.log").read_text()
    assert resumed_equals(made, alone)


# Two at once


def test_a_second_worker_on_a_run_goes_away(run, workers, alone):
    made = run()
    first = workers.begin(made, freeze=(STEP, 3))
    assert workers.finish(made) == 3
    assert "already has a worker" in (made.folder / "worker.log").read_text()
    thaw(first)
    assert ended(first) == 0
    assert sum(isinstance(e, Started) for e in made.log.read()[0]) == 1
    assert resumed_equals(made, alone)


def test_runs_wait_for_each_other(run, workers):
    runs = [run(), run(), run()]
    first = workers.begin(runs[0], freeze=(STEP, 3))
    others = []
    for place, waiting in enumerate(runs[1:], start=1):
        others.append(workers.begin(waiting))
        wait_until(
            lambda w=waiting, p=place: (
                (w.status().state, w.status().queue_position) == ("queued", p)
            ),
            every=0.02,
        )
    assert state(runs[0]) == "running" and runs[0].status().queue_position == 0
    os.kill(others[0].pid, signal.SIGSTOP)
    thaw(first)
    assert ended(first) == 0
    time.sleep(0.7)  # the third looks twice meanwhile
    assert state(runs[2]) == "queued"  # the device is free, but the second was first
    thaw(others[0])
    assert [ended(worker) for worker in others] == [0, 0]
    spans = [(events[0].time, events[-1].time) for events in (r.log.read()[0] for r in runs)]
    assert all(state(r) == "finished" for r in runs)
    assert (
        spans[0][1] <= spans[1][0] and spans[1][1] <= spans[2][0]
    )  # one after the other, in the order of asking


def test_a_run_killed_in_the_queue_does_not_wait_for_itself(run, workers):
    first, second = run(), run()
    working = workers.begin(first, freeze=(STEP, 2))
    waiting = workers.begin(second)
    wait_until(lambda: second.status().state == "queued", every=0.02)
    kill(waiting)
    kill(working)
    assert workers.finish(second) == 0 and state(second) == "finished"


def test_a_run_can_leave_the_queue_and_a_dead_one_holds_nobody_up(run, workers):
    first, stopped, paused, dead, last = (run(epochs=1) for _ in range(5))
    training = workers.begin(first, freeze=(STEP, 3))
    waiting = []
    for place, made in enumerate((stopped, paused, dead, last), start=1):
        waiting.append(workers.begin(made))
        wait_until(lambda m=made, p=place: m.status().queue_position == p, every=0.02)
    stopped.request("stop")
    paused.request("pause")
    kill(waiting[2])
    assert [ended(waiting[0]), ended(waiting[1])] == [0, 0]
    assert (state(stopped), state(paused), state(dead)) == ("stopped", "paused", "new")
    wait_until(lambda: last.status().queue_position == 1)
    kill(training)  # the kernel gives the device back
    assert ended(waiting[3]) == 0 and state(last) == "finished"
    paused.request("")
    assert workers.finish(paused) == 0 and state(paused) == "finished"


def test_many_viewers_disturb_nothing_and_see_a_consistent_run(run, workers, alone):
    made = run()
    seen, troubles = [], []
    over = threading.Event()

    def look():
        states, step = [], 0
        while not over.is_set():
            try:
                history = made.history()
                assert history.step >= step and [s.step for s in history.steps] == list(
                    range(1, history.step + 1)
                )
                step = history.step
                states.append(made.status(history).state)
            except Exception as error:  # noqa: BLE001
                troubles.append(error)
            time.sleep(0.02)
        seen.append(list(dict.fromkeys(states)))

    viewers = [threading.Thread(target=look) for _ in range(20)]
    for viewer in viewers:
        viewer.start()
    worker = workers.begin(made, freeze=(STEP, 3))
    time.sleep(0.2)
    thaw(worker)
    assert ended(worker) == 0
    time.sleep(0.2)
    over.set()
    for viewer in viewers:
        viewer.join()
    assert not troubles
    for states in seen:
        assert [s for s in states if s != "queued"] == [
            "new",
            "running",
            "finished",
        ]  # it may be seen drawing its ticket
    assert resumed_equals(made, alone)


def test_onlookers_never_take_each_other_for_a_worker(run):
    """Once, onlookers took the lock exclusively: of twenty, each saw the others, and a finished run
    as running.
    """
    made = run()
    (made.folder / "lock").touch()
    with (made.folder / "lock").open("rb") as onlooker:
        fcntl.flock(onlooker, fcntl.LOCK_SH)
        assert not made.alive() and state(made) == "new"
    with lock_of(made.folder):
        assert made.alive() and made.status().live
    assert not made.alive()


def test_a_history_read_before_the_end_does_not_make_a_finished_run_look_dead(run, workers):
    made = run(epochs=1)
    workers.finish(made)
    early = made.history()
    early.last = early.steps[2]
    assert made.status(early).state == "finished"


# Nowhere to write


@pytest.fixture
def small_disk(lab, tmp_path, monkeypatch):
    """A lab on a disk of four megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("mounting needs root")
    monkeypatch.setenv("BERTSENT_HOME", str(folder))
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(disk, leave: int) -> None:
    """Write a ballast file that leaves about so many bytes."""
    with (disk / "ballast").open("wb") as file:
        file.write(b"\0" * max(shutil.disk_usage(disk).free - leave, 0))


def test_a_disk_that_is_full_fails_the_run_and_loses_nothing(workers, small_disk, run, alone):
    made = run(save_seconds=0)
    worker = workers.begin(made, freeze=(STEP, 6))
    before = names(list_checkpoints(made.checkpoints))
    fill(small_disk, leave=100_000)
    thaw(worker)
    assert ended(worker) == 1
    failed = made.history().last
    assert (
        isinstance(failed, Failed)
        and failed.reason == "The disk is full."
        and "resume" in failed.remedy
    )
    assert state(made) == "failed"
    assert names(list_checkpoints(made.checkpoints)) == before and not list(
        made.checkpoints.glob(".*")
    )
    assert 0 < load(made.id).predict(["great fun"])[0].p_positive < 1
    (small_disk / "ballast").unlink()
    assert workers.finish(made) == 0
    assert resumed_equals(made, alone)


def test_a_disk_without_a_byte_left_loses_nothing_either(workers, small_disk, run, alone):
    """Perhaps not even the failure can be written down then; no line is torn, and the run goes on
    once there is room.
    """
    made = run()
    worker = workers.begin(made, freeze=(STEP, 6))
    fill(small_disk, leave=0)
    thaw(worker)
    assert ended(worker) != 0 and state(made) in ("failed", "interrupted")
    assert read_events(made.folder) and made.log.path.read_bytes().endswith(b"\n")
    with pytest.raises(NotAvailable, match="cannot be written"):
        launch(made)
    (small_disk / "ballast").unlink()
    assert workers.finish(made) == 0
    assert resumed_equals(made, alone)


def test_a_checkpoint_too_large_for_its_place_fails_the_run_with_the_older_ones_intact(
    run, workers, alone
):
    """The same without a disk of its own: the worker may not write files as large as the
    optimizer's state.
    """
    made = run(save_seconds=0)
    assert (
        workers.finish(made, largest_file=150_000) == 1
    )  # weights and the first checkpoint, without moments, are smaller
    assert made.history().failure.reason == "The disk is full."
    assert names(list_checkpoints(made.checkpoints)) == ["step-0"] and not list(
        made.checkpoints.glob(".*")
    )
    load_folder(made.checkpoints / "step-0")
    assert workers.finish(made) == 0
    assert resumed_equals(made, alone)


def test_a_folder_that_may_not_be_written_is_told_at_once(small_disk, run):
    made = run()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(NotAvailable, match=f"The folder of run {made.id} cannot be written"):
        launch(made)
    assert state(made) == "new"
    with pytest.raises(OSError, match="Read-only"):
        run()
    assert names((small_disk / "runs").iterdir()) == [made.id]


def test_what_went_wrong_is_said_in_words(run):
    made = run()
    assert explain(OSError(28, "No space left on device"), made).reason == "The disk is full."
    assert (
        explain(OSError("I/O error: No space left on device (os error 28)"), made).reason
        == "The disk is full."
    )
    memory = explain(
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        made,
    )
    assert memory.reason == "There was not enough memory." and "batch size 4 " in memory.remedy
    import_failed = ImportError("libtorch_cpu.so: failed to map segment from shared object")
    wrapped = RuntimeError("Failed to import transformers.models.bert")
    wrapped.__cause__ = ImportError("libfoo.so: Cannot allocate memory")
    for error in (MemoryError(), import_failed, wrapped):  # imports were called an ImportError
        assert explain(error, made).reason == "There was not enough memory."
    known = explain(BadInput("What happened.", "What to do."), made)
    assert (known.reason, known.remedy) == ("What happened.", "What to do.")
    other = explain(ValueError("something\nlong"), made)
    assert (
        "ValueError something" in other.reason
        and "\n" not in other.reason
        and "worker.log" in other.remedy
    )


# Spoiled folders


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda run, model: (run.folder / "config.json").write_text("{"), "configuration of run"),
        (
            lambda run, model: (run.folder / "reviews.parquet").write_bytes(b"PAR1"),
            "The reviews of run",
        ),
        (lambda run, model: (model / "model.safetensors").unlink(), "has no model.safetensors"),
        (lambda run, model: shutil.rmtree(model), "There is no model"),
        (lambda run, model: os.truncate(model / "model.safetensors", 90_000), "The weights of"),
        (lambda run, model: _change_weights(model), "have changed since the run began"),
    ],
    ids=["config", "reviews", "no weights", "no model", "cut weights", "other weights"],
)
def test_a_spoiled_folder_fails_the_run_with_words(
    lab, tiny_backbone, toy_reviews, workers, tmp_path, spoil, told
):
    model = shutil.copytree(tiny_backbone, tmp_path / "model")
    course = LoopHarness(model, toy_reviews, recipe(epochs=1))
    sha256 = weights_hash(model / "model.safetensors")
    made = create_run(
        course.splits, course.config, source="toy", model=str(model), model_sha256=sha256
    )
    spoil(made, model)
    assert workers.finish(made) == 1
    failure = made.history().failure
    assert told in failure.reason and failure.remedy
    assert state(made) == "failed"


def _change_weights(model) -> None:
    data = bytearray((model / "model.safetensors").read_bytes())
    data[-100] ^= 1
    (model / "model.safetensors").write_bytes(data)


def test_a_run_cannot_be_deleted_while_it_trains(run, workers):
    made = run()
    worker = workers.begin(made, freeze=(STEP, 3))
    with pytest.raises(Busy, match="still training"):
        delete_run(made)
    assert made.log.path.exists()
    kill(worker)
    delete_run(made)
    assert not made.folder.exists() and not list(made.folder.parent.iterdir())
    delete_run(made)  # somebody else was faster


def test_every_line_of_a_run_is_json_without_numbers_that_are_none(run, workers):
    made = run(epochs=1)
    workers.finish(made)
    for line in made.log.path.read_text().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(name))
