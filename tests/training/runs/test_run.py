"""Runs as others see them: started, listed, asked, judged, taken away, deleted."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from io import BytesIO

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, classification_report, confusion_matrix

from bertsent.data.examples import Example, Reviews
from bertsent.data.splits import split
from bertsent.errors import BadCheckpoint, BadInput, NotAvailable
from bertsent.probing.loaded_model import load
from bertsent.settings import PROJECT
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Finished, Started
from bertsent.training.runs.launcher import launch
from bertsent.training.runs.report import evaluation_report, run_report
from bertsent.training.runs.run import (
    Run,
    create_run,
    delete_run,
    find_run,
    list_runs,
    suggest_name,
)
from bertsent.training.runs.run_export import export_run, zip_run
from bertsent.training.runs.run_tables import runs_table
from tests.conftest import wait_until
from tests.training.loop_harness import SENTINELS, LoopHarness, recipe
from tests.training.workers import Workers, new_run, start_run, state


@pytest.fixture
def made(lab, tiny_backbone, toy_reviews):
    """A run that nobody works on."""
    return new_run(LoopHarness(tiny_backbone, toy_reviews, recipe(), None, SENTINELS))


@pytest.fixture(scope="module")
def finished(tmp_path_factory, tiny_backbone, toy_reviews):
    """A lab with one finished run."""
    home = tmp_path_factory.mktemp("finished") / "lab"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BERTSENT_HOME", str(home))
        environment.setenv("BERTSENT_DEVICE", "cpu")
        workers = Workers()
        run = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe(epochs=4), None, SENTINELS))
        assert workers.finish(run) == 0
        yield run


# Starting for real

_APP = """
import os, sys, threading
from bertsent.training.runs import launcher
from bertsent.training.config import TrainingConfig
launch, launcher.launch = launcher.launch, lambda run: None
training = TrainingConfig(epochs=1, batch_size=8, max_length=64)
run = launcher.prepare_run(sys.argv[1], training, model=sys.argv[2])
launcher.launch(run)
both = [threading.Thread(target=launch, args=(run,)) for _ in range(2)]
[thread.start() for thread in both], [thread.join() for thread in both]
print(run.id, flush=True)
os._exit(1)
"""


@pytest.mark.slow
def test_two_starts_at_once_by_an_app_that_dies_at_once_make_one_run_that_goes_on(
    lab, tiny_backbone, toy_csv
):
    """The model is named by a path relative to where the app was started, which is not where the
    worker starts.
    """
    app = subprocess.run(
        [sys.executable, "-c", _APP, toy_csv.name, os.path.relpath(tiny_backbone, toy_csv.parent)],
        capture_output=True,
        text=True,
        cwd=toy_csv.parent,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        timeout=120,
        check=False,
    )
    assert app.returncode == 1 and app.stdout, app.stderr
    run = find_run(app.stdout.strip())
    wait_until(lambda: not run.alive())
    assert state(run) == "finished"
    assert sum(isinstance(event, Started) for event in run.log.read()[0]) == 1
    assert run.config.model == str(tiny_backbone)
    assert run.config.data.train_rows == 32 and len(run.splits().validation) == 8


def test_launching_a_run_that_has_a_worker_does_nothing(made):
    from bertsent.training.runs.queue import lock_of

    with lock_of(made.folder):
        launch(made)
    assert not (made.folder / "worker.log").exists() and state(made) == "new"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"training": {"max_length": 256}},
            "A max length of 256 tokens is not possible. Choose from 8 to 128.",
        ),
        (
            {"training": {"trains": "last", "last_layers": 3, "max_length": 64}},
            "The encoder has 2 layers, not 3.",
        ),
        ({"model": "bert-base-uncased"}, "The model bert-base-uncased is not on this machine."),
        ({"model": "no such model"}, "There is no model “no such model”."),
        ({"model": "~nobody-here/model"}, "There is no model"),
        ({"model": "x" * 3_000}, "There is no model"),
        ({"model": "../" * 5 + "etc"}, ""),
        ({"contrastive_share": 0.95}, "A share of 0.95 contrastive reviews is not possible."),
        ({"sentinels": ("x" * 301,)}, "more than 300 characters"),
        ({"sentinels": tuple(map(str, range(13)))}, "There are 13 sentinel sentences."),
        ({"source": "nothing.csv"}, "There is no file nothing.csv"),
    ],
)
def test_what_is_wrong_is_found_before_anything_is_written(
    lab, tiny_backbone, toy_reviews, wrong, told
):
    training = TrainingConfig(**wrong.pop("training", {"max_length": 64}))
    request = {"source": toy_reviews, "model": str(tiny_backbone), **wrong}
    with pytest.raises((BadInput, NotAvailable, BadCheckpoint)) as error:
        start_run(request.pop("source"), training, **request)
    assert told in str(error.value) and error.value.remedy
    assert not list(lab.rglob("*"))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("all alike", 1)] * 20, "positive"),
        ([("one", 0), ("two", 1)], "only 1 review of one class"),
        ([("same", i % 2) for i in range(20)], "repeat each other too much"),
        ([], "There are no reviews"),
        ([("unknown", None)] * 10, "have no label"),
    ],
)
def test_reviews_that_cannot_be_learned_from_are_refused(lab, tiny_backbone, rows, told):
    reviews = Reviews(
        "odd", tuple(Example(f"r{i}", text, label) for i, (text, label) in enumerate(rows))
    )
    with pytest.raises(BadInput, match=told):
        start_run(reviews, TrainingConfig(max_length=64), model=str(tiny_backbone))
    assert not list(lab.rglob("*"))


def test_a_batch_larger_than_the_data_is_one_batch(tiny_backbone, toy_reviews):
    course = LoopHarness(tiny_backbone, toy_reviews, recipe(batch_size=512, epochs=1))
    assert isinstance(course.go(), Finished) and len(course.history.steps) == 1


# Listing and finding


def test_runs_are_listed_newest_first_and_found_by_name(lab, tiny_backbone, toy_reviews):
    assert list_runs() == [] and runs_table().empty
    runs = []
    for age in (300, 200, 100):
        runs.append(new_run(LoopHarness(tiny_backbone, toy_reviews, recipe())))
        os.utime(runs[-1].folder / "config.json", (time.time() - age,) * 2)
    assert [run.id for run in list_runs()] == [run.id for run in reversed(runs)]
    assert find_run(runs[0].id).folder == runs[0].folder
    assert list(runs_table()["status"]) == ["new"] * 3


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../runs", "no-such-run", "A B", "/etc", "x" * 400, "a/../b", "~"]
)
def test_a_name_that_is_none_is_told_and_is_never_a_path(made, name):
    with pytest.raises(NotAvailable, match="There is no run") as error:
        find_run(name)
    assert made.id in str(error.value)


def test_a_run_that_cannot_be_read_spoils_no_list(made, tiny_backbone, toy_reviews):
    good = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe()))
    (made.folder / "config.json").write_text('{"id": ')
    assert {run.id for run in list_runs()} == {made.id, good.id}
    with pytest.raises(BadCheckpoint, match=f"The configuration of run {made.id} cannot be read"):
        _ = find_run(made.id).config
    table = runs_table().set_index("run")
    assert table.loc[made.id, "status"] == "unreadable" and table.loc[good.id, "status"] == "new"
    assert state(made) == "new"


@pytest.mark.parametrize("spoil", ["events.jsonl", "lock", "control.json", "checkpoints"])
def test_oddities_in_a_run_s_folder_spoil_no_list(made, spoil):
    path = made.folder / spoil
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir() if spoil in ("lock",) else path.write_bytes(b"\xff{]\n\x00")
    assert list(runs_table()["run"]) == [made.id]
    assert state(made) == "new"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", {"created": 1e999}),
        ("events.jsonl", {"event": "stepped", "step": 1e999}),
        ("events.jsonl", {"event": "started", "step": 0, "total_steps": 1e999}),
        ("control.json", {"wish": 1e999}),
        ("sentinels.json", [1e999]),
    ],
)
def test_forged_numbers_in_one_run_hide_no_other(made, tiny_backbone, toy_reviews, name, content):
    """Infinity as the time of creation ended the list of all runs with an OverflowError."""
    good = new_run(LoopHarness(tiny_backbone, toy_reviews, recipe()))
    path = made.folder / name
    if name == "config.json":
        content = json.loads(path.read_text(encoding="utf-8")) | content
    if name == "events.jsonl":
        numbers = dict.fromkeys(
            ["epoch", "loss", "accuracy", "learning_rate", "head_learning_rate", "grad_norm"], 1
        )
        steps = dict.fromkeys(["tokens", "tokens_per_second", "seconds", "eta_seconds"], 1)
        content = numbers | steps | content if content["event"] == "stepped" else content
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")
    table = runs_table().set_index("run")
    assert set(table.index) == {made.id, good.id} and table.loc[good.id, "status"] == "new"
    assert made.requested() == ""


def test_deleting_while_others_look_on_leaves_nothing_behind(lab, tiny_backbone, toy_reviews):
    """Once, an onlooker could make a new lock file in a folder that was being removed, which then
    could not be.
    """
    runs = [new_run(LoopHarness(tiny_backbone, toy_reviews, recipe())) for _ in range(5)]
    over, troubles = threading.Event(), []

    def look():
        while not over.is_set():
            try:
                runs_table()
                [run.status() for run in runs]
            except Exception as error:  # noqa: BLE001
                troubles.append(error)

    viewers = [threading.Thread(target=look) for _ in range(4)]
    [viewer.start() for viewer in viewers]
    for run in runs:
        delete_run(run)
    over.set()
    [viewer.join() for viewer in viewers]
    assert not troubles and not list((lab / "runs").iterdir())


def test_a_wish_is_replaced_whole_and_read_back(made):
    assert made.requested() == ""
    for wish in ("pause", "stop", ""):
        made.request(wish)
        assert made.requested() == wish
    (made.folder / "control.json").write_text("{")
    assert made.requested() == ""
    assert sorted(p.name for p in made.folder.iterdir()) == [
        "checkpoints",
        "config.json",
        "control.json",
        "reviews.parquet",
    ]


def test_a_run_that_cannot_be_laid_down_leaves_nothing_behind(
    lab, tiny_backbone, toy_reviews, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bertsent.training.config.RunConfig.save", full)
    course = LoopHarness(tiny_backbone, toy_reviews, recipe())
    with pytest.raises(OSError, match="No space left"):
        create_run(course.splits, course.config, source="toy")
    assert not list((lab / "runs").iterdir())


def test_names_are_free_and_can_be_said_aloud():
    names = {suggest_name(set()) for _ in range(50)}
    assert all(name.count("-") == 1 and name.isascii() and name.islower() for name in names)

    class Everything(set):
        def __contains__(self, name):
            return name.count("-") == 1

    assert suggest_name(Everything({"a"})).endswith("-2")


# What a run found out


def test_a_finished_run_says_what_it_was_made_of(finished):
    config = finished.config
    assert config.id == finished.id and config.data.sha256 == finished.splits().sha256
    assert config.versions.keys() >= {"torch", "transformers", "bertsent"}
    row = runs_table().iloc[0]
    assert (row["run"], row["status"], row["step"], row["steps"], row["epochs"]) == (
        finished.id,
        "finished",
        16,
        16,
        4,
    )
    assert row["accuracy"] == finished.history().best_accuracy


def test_the_report_is_scikit_learn_s(finished):
    found, validation = run_report(finished), finished.splits().validation
    p = load(finished.id).probabilities(validation.texts)[:, 1]
    guess = (p > 0.5).astype(int)
    assert found.step == 16 and found.rows == 8
    assert found.text == classification_report(
        validation.labels, guess, target_names=["Negative", "Positive"], zero_division=0.0
    )
    assert (found.matrix == confusion_matrix(validation.labels, guess)).all()
    assert (
        found.accuracy
        == pytest.approx(accuracy_score(validation.labels, guess))
        == finished.history().evaluations[-1].accuracy
    )


def test_mistakes_come_most_confident_first():
    reviews = Reviews(
        "four", tuple(Example(f"r{i}", f"text {i}", label) for i, label in enumerate((0, 1, 0, 1)))
    )
    found = evaluation_report(reviews, np.array([0.6, 0.1, 0.4, 0.9]))
    assert list(found.mistakes["id"]) == ["r1", "r0"]
    assert list(found.mistakes["predicted"]) == ["NEGATIVE", "POSITIVE"] and found.accuracy == 0.5


def test_a_run_that_was_not_evaluated_says_so(made):
    with pytest.raises(NotAvailable, match="not been evaluated yet"):
        run_report(made)


def test_a_run_is_taken_away_with_a_card_of_measured_facts(finished, tmp_path):
    folder = export_run(finished, tmp_path / "away")
    card = (folder / "README.md").read_text(encoding="utf-8")
    accuracy = run_report(finished).accuracy
    told = (
        finished.id,
        "toy (32 training, 8 validation reviews)",
        "Step 16, epoch 4",
        f"value: {round(accuracy, 4)}",
        "| epochs | 4 |",
    )
    assert all(fact in card for fact in told)
    assert run_report(finished).text in card
    assert not list(folder.glob("trainer.*"))
    texts = ["great fun", "a dull cold film"]
    assert np.array_equal(load(str(folder)).logits(texts), load(finished.id).logits(texts))


def test_an_earlier_step_can_be_taken_away_and_a_missing_one_is_told(finished, tmp_path):
    assert (
        "Step 4, epoch 1"
        in (export_run(finished, tmp_path / "early", step=4) / "README.md").read_text()
    )
    with pytest.raises(NotAvailable, match="has no checkpoint of step 5"):
        export_run(finished, tmp_path / "none", step=5)
    assert not (tmp_path / "none").exists()


def test_a_run_without_a_checkpoint_cannot_be_taken_away(made, tmp_path):
    with pytest.raises(NotAvailable, match="has no checkpoint yet"):
        export_run(made, tmp_path / "none")


def test_the_zip_holds_the_same_folder(finished, tmp_path):
    with zipfile.ZipFile(BytesIO(zip_run(finished))) as archive:
        archive.extractall(tmp_path)
    folder = export_run(finished, tmp_path / "away")
    assert {p.name for p in (tmp_path / finished.id).iterdir()} == {
        p.name for p in folder.iterdir()
    }
    assert (tmp_path / finished.id / "model.safetensors").read_bytes() == (
        folder / "model.safetensors"
    ).read_bytes()


def test_exporting_never_touches_what_is_there(finished, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "precious.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("taken", "file"):
        with pytest.raises(BadInput, match="exists and is not empty"):
            export_run(finished, tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "taken"]


def test_exporting_into_an_empty_folder_where_one_stands_works(finished, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert (export_run(finished, Run(tmp_path / "here").folder) / "README.md").is_file()


@pytest.mark.slow
def test_the_built_in_backbone_learns_to_tell_reviews_apart(lab, toy_reviews):
    run = start_run(
        toy_reviews,
        TrainingConfig(epochs=4, max_length=32, batch_size=8),
        sentinels=("a fine warm film", "no fun"),
    )
    wait_until(lambda: not run.alive(), 280, every=0.5)
    assert state(run) == "finished", (run.folder / "worker.log").read_text()
    assert run_report(run).accuracy == 1.0
    last = run.history().sentinels[-1].scores
    assert last["a fine warm film"] > 0.5 > last["no fun"]
    assert load(run.id).predict(["great fun"])[0].label == "POSITIVE"


def test_watched_sentences_are_those_of_the_start_until_others_are_chosen(lab, toy_reviews):
    run = create_run(split(toy_reviews), TrainingConfig(), source="toy", sentinels=("great fun",))
    assert run.sentinels() == ("great fun",)
    run.set_sentinels((" no fun ", "great fun", "no fun"))
    assert run.sentinels() == ("no fun", "great fun")
    with pytest.raises(BadInput):
        run.set_sentinels(tuple(f"sentence {n}" for n in range(13)))
    assert run.sentinels() == ("no fun", "great fun")
    for damage in ("{", "7", '"great fun"x', "[" * 5_000):
        (run.folder / "sentinels.json").write_text(damage)
        assert run.sentinels() == ("great fun",)
