"""The Run tab: a run in every state is what opens, with its buttons and its report."""

import json
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import classification_report, confusion_matrix
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.statistics import majority_class_accuracy
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Paused
from bertsent.training.runs.run import Run, list_runs
from bertsent.training.worker import _training
from bertsent.ui.fine_tune import run_buttons, run_curves
from bertsent.ui.fine_tune.opening import ALL_RUNS, COMPARE, LESSON, NEW_RUN, RUN, TAB
from bertsent.ui.fine_tune.run import NEWEST
from bertsent.ui.fine_tune.run_report import THRESHOLD
from tests.conftest import wait_until
from tests.training.workers import start_run
from tests.ui.conftest import words

PAGE = "2_Fine-tune"


def button(app: AppTest, key: str):
    return next(b for b in app.button if b.key == key)


def train_here(run: Run) -> None:
    """What a worker does, in this process: a new one would import torch first."""
    for event in _training(run, lambda: ""):
        run.log.append(event)


def tab_of(app: AppTest) -> str:
    return app.segmented_control(key=TAB).value


def test_a_finished_run_shows_report_matrix_and_mistakes(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert "precision    recall  f1-score   support" in words(app)
    assert "macro avg" in words(app)
    assert any("predicted" in d.value for d in app.dataframe) or "No review." in words(app)


def test_a_live_run_offers_pause_and_stop_and_asks_the_worker(
    running: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception
    button(app, f"pause-{running.id}").click().run()
    assert running.requested() == "pause"
    assert "**Pausing**" in words(app)


def test_a_crashed_run_says_so_and_can_be_resumed_to_its_end(
    crashed: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_buttons, "launch", lambda run: run.log.repair() or train_here(run))
    app = visit(PAGE)
    assert not app.exception
    assert "died" in words(app)
    button(app, f"resume-{crashed.id}").click().run()
    assert not app.exception
    assert crashed.status().state == "finished"


def test_a_failed_run_shows_its_reason_as_text(failed: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert not app.exception
    assert any("not a finite number at step 3" in e.value for e in app.error)
    assert not any("<b>" in e.value for e in app.error), "what was typed must not become markup"


def test_sentinels_are_changed_while_it_trains_and_looking_changes_none(
    running: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, run=running.id)
    assert not app.exception and running.sentinels() == running.config.sentinels
    assert not (running.folder / "sentinels.json").exists()
    box = next(t for t in app.text_area if t.key and t.key.startswith(f"sentinels-{running.id}"))
    box.set_value("no fun\n\ngreat fun")
    next(b for b in app.button if b.label == "Follow these").click().run()
    assert not app.exception and not app.error
    assert running.sentinels() == ("no fun", "great fun")


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("crashed", True),
        ("paused", True),
        ("failed", True),
        ("finished", False),
        ("running", False),
    ],
)
def test_a_run_that_stands_still_can_be_evaluated_and_kept(
    state: str,
    offered: bool,
    request: pytest.FixtureRequest,
    visit: Callable[..., AppTest],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever paused could only resume: the weights stayed without an evaluation of their own."""
    run: Run = request.getfixturevalue(state)
    kept: list[str] = []
    monkeypatch.setattr(run_buttons, "stop_and_keep", lambda run: kept.append(run.id))
    app = visit(PAGE)
    assert any(b.key == f"keep-{run.id}" for b in app.button) == offered
    if offered:
        button(app, f"keep-{run.id}").click().run()
        assert not app.exception and kept == [run.id]


@pytest.fixture
def paused(crashed: Run) -> Run:
    crashed.log.repair()
    crashed.log.append(Paused(step=crashed.history().step))
    return crashed


@pytest.mark.parametrize("state", ["running", "crashed", "failed", "finished"])
def test_a_run_opens_on_its_own_tab_and_no_form_buries_it(
    state: str, request: pytest.FixtureRequest, visit: Callable[..., AppTest]
) -> None:
    """After a crash Resume stood 1,296 pixels down, under a form that opened itself."""
    request.getfixturevalue(state)
    app = visit(PAGE)
    assert tab_of(app) == RUN and not app.number_input and not app.file_uploader


def test_without_runs_the_form_opens(visit: Callable[..., AppTest]) -> None:
    assert tab_of(visit(PAGE)) == NEW_RUN


def test_the_accuracy_stands_beside_the_majority_class(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    share = majority_class_accuracy(finished.splits().validation.labels)
    accuracy = finished.history().evaluations[-1].accuracy
    said = f"validation accuracy {100 * accuracy:.1f} % (majority class {100 * share:.1f} %)"
    assert said in words(app).replace("\\", "") and not app.metric


@pytest.fixture
def newer_runs(finished: Run) -> None:
    """So many newer runs that the finished one is not among the newest any more."""
    for number in range(NEWEST + 1):
        folder = finished.folder.with_name(f"newer-{number}")
        folder.mkdir()
        shutil.copy(finished.folder / "config.json", folder)
    os.utime(finished.folder / "config.json", (1, 1))


@pytest.mark.usefixtures("newer_runs")
def test_a_link_opens_its_run_however_many_are_newer(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    """The picker was cut at 100 runs, and a link to an older one opened the newest instead."""
    assert [run.id for run in list_runs()].index(finished.id) > NEWEST
    app = visit(PAGE, run=finished.id)
    assert not app.exception and not app.error
    assert app.selectbox(key="run-box").value == finished.id
    assert app.query_params["run"] in (finished.id, [finished.id])


def test_a_link_to_a_run_that_is_gone_says_so(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, run="gone-run")
    assert not app.exception and len(app.error) == 1
    assert app.selectbox(key="run-box").value == finished.id
    assert not app.run().error, "said once"


def test_the_link_of_the_badge_opens_its_run_from_any_tab(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    other = finished.folder.with_name("other-run")
    shutil.copytree(finished.folder, other)
    app = visit(PAGE, run=finished.id)
    app.segmented_control(key=TAB).set_value(NEW_RUN).run()
    assert tab_of(app) == NEW_RUN
    app.query_params.pop("tab", None)
    app.query_params["run"] = other.name
    app.run()
    assert not app.exception and tab_of(app) == RUN
    assert app.selectbox(key="run-box").value == other.name
    app.selectbox(key="run-box").set_value(finished.id).run()
    assert app.selectbox(key="run-box").value == finished.id, "a choice is no link"


LINKS = {
    "run": ({"run": "calm-owl"}, RUN),
    "watch": ({"learn_view": "Watch"}, RUN),
    "all runs": ({"learn_view": "All runs"}, ALL_RUNS),
    "compared runs": ({"learn_view": "All runs", "runs": "a,b"}, ALL_RUNS),
    "A/B runs": ({"twins": "keen-fox-twins"}, COMPARE),
    "grid": ({"lab": "glad-hare-lab"}, COMPARE),
    "lesson": ({"lesson": "quiz"}, LESSON),
}


@pytest.mark.parametrize("link", LINKS)
def test_links_of_the_version_before_open_their_tab(
    link: str, lab: Path, visit: Callable[..., AppTest]
) -> None:
    query, tab = LINKS[link]
    app = visit(PAGE, **query)
    assert not app.exception and tab_of(app) == tab
    assert not {"twins", "lab", "learn_view"} & set(app.query_params)


def test_another_tab_takes_its_own_parameters_out_of_the_link(
    lab: Path, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, lesson="quiz")
    assert "lesson" in app.query_params
    app.segmented_control(key=TAB).set_value(COMPARE).run()
    assert not app.exception and "lesson" not in app.query_params
    app.segmented_control(key=TAB).set_value(LESSON).run()
    assert app.query_params["lesson"] in ("quiz", ["quiz"]), "the session remembers the part"


def test_the_gradient_norm_is_drawn_when_its_box_is_opened(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    app.session_state["gradient"] = True
    app.run()
    assert not app.exception and not app.error
    steps = finished.history().step_frame()
    assert f"of {len(steps)} steps the gradient was longer than 1" in words(app)


@pytest.fixture
def fresh(finished: Run) -> Run:
    """A run that was prepared and has said nothing yet."""
    (finished.folder / "events.jsonl").unlink()
    shutil.rmtree(finished.checkpoints)
    finished.checkpoints.mkdir()
    return finished


def test_the_curves_stand_before_the_first_point(
    fresh: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start showed an empty page until torch was loaded; now the axes wait for the first point."""
    drawn: list[dict] = []
    monkeypatch.setattr(run_curves, "draw", lambda chart, **options: drawn.append(chart))
    app = visit(PAGE)
    assert not app.exception and len(drawn) == 3
    config = fresh.config
    steps = config.training.epochs * -(-config.data.train_rows // config.training.batch_size)
    assert all(f'"domain": [0, {steps}]' in json.dumps(_without_data(chart)) for chart in drawn)


def _without_data(chart: dict) -> dict:
    return {name: part for name, part in chart.items() if name != "datasets"}


@pytest.mark.parametrize("state", ["running", "crashed", "failed", "finished"])
def test_every_run_has_its_epoch_log(
    state: str, request: pytest.FixtureRequest, visit: Callable[..., AppTest]
) -> None:
    run: Run = request.getfixturevalue(state)
    log = next(c.value for c in visit(PAGE).code if c.value.startswith("Epoch 1/"))
    over = [e for e in run.history().evaluations if e.step]
    assert len(log.splitlines()) == len(over)
    for line, found in zip(log.splitlines(), over, strict=True):
        assert f"loss: {found.train_loss:.4f} - accuracy: {found.train_accuracy:.4f}" in line
        assert f"val_loss: {found.loss:.4f} - val_accuracy: {found.accuracy:.4f}" in line


@pytest.fixture
def spread(finished: Run) -> np.ndarray:
    """Scores of the last evaluation that a threshold can tell apart."""
    labels = np.array(finished.splits().validation.labels)
    scores = np.linspace(0.05, 0.95, len(labels)) * 0.7 + 0.3 * labels
    finished.save_scores(finished.history().evaluations[-1].step, scores)
    return scores


@pytest.mark.parametrize("percent", [50, 20, 80])
def test_the_threshold_moves_report_and_matrix(
    percent: int, finished: Run, spread: np.ndarray, visit: Callable[..., AppTest]
) -> None:
    truth, guess = finished.splits().validation.labels, spread > percent / 100
    app = visit(PAGE)
    app.slider(key=THRESHOLD).set_value(percent).run()
    assert not app.exception and not app.error
    names = ["Negative", "Positive"]
    report = classification_report(truth, guess, target_names=names, zero_division=0)
    assert report.rstrip() in [c.value.rstrip() for c in app.code]
    (_, wrong_positive), (wrong_negative, _) = confusion_matrix(truth, guess)
    picker = app.segmented_control(key="confusion_cell")
    assert picker.options[:3] == [
        f"Wrong {wrong_positive + wrong_negative}",
        f"NEG → POS {wrong_positive}",
        f"POS → NEG {wrong_negative}",
    ]


def test_a_cell_brings_its_reviews_and_one_of_them_opens_in_probe(
    finished: Run, spread: np.ndarray, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    app.segmented_control(key="confusion_cell").set_value("PP").run()
    assert not app.exception
    shown = next(d.value for d in app.dataframe if "p_positive" in d.value)
    right = [
        example.text
        for example, p in zip(finished.splits().validation, spread, strict=True)
        if example.label == 1 and p > 0.5
    ]
    assert sorted(shown["text"]) == sorted(right) and shown["p_positive"].min() > 50


@pytest.mark.slow
def test_after_kill_9_the_run_with_resume_is_what_one_sees(
    lab: Path, tiny_backbone: Path, toy_reviews: Reviews, visit: Callable[..., AppTest]
) -> None:
    """After a crash Resume stood below a form that had opened itself."""
    training = TrainingConfig(epochs=50, batch_size=8, max_length=32, save_seconds=0.1)
    run = start_run(toy_reviews, training, model=str(tiny_backbone), sentinels=("no fun",))
    wait_until(lambda: run.history().step > 3)
    os.kill(pid_of(run), signal.SIGKILL)
    wait_until(lambda: not run.alive())
    app = visit(PAGE)
    assert not app.exception and tab_of(app) == RUN and not app.number_input
    assert button(app, f"resume-{run.id}") and "died" in words(app)


def pid_of(run: Run) -> int:
    """The process whose command line names the folder of the run."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(run.folder) in process.read_bytes().decode(errors="replace"):
                return int(process.parent.name)
    raise AssertionError("no worker")
