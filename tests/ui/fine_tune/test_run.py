"""The Run tab: a run in every state is what opens, with its buttons and its report."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.statistics import majority_class_accuracy
from bertsent.training.events import Paused
from bertsent.training.runs.run import Run, list_runs
from bertsent.training.worker import _training
from bertsent.ui.fine_tune import run as run_tab
from bertsent.ui.fine_tune.opening import ALL_RUNS, COMPARE, LESSON, NEW_RUN, RUN, TAB
from bertsent.ui.fine_tune.run import NEWEST
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
    assert any("predicted" in d.value for d in app.dataframe) or "0 wrong" in words(app)


def test_a_live_run_offers_pause_and_stop_and_asks_the_worker(
    running: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception
    button(app, f"pause-{running.id}").click().run()
    assert running.requested() == "pause"
    assert "pausing" in words(app)


def test_a_crashed_run_says_so_and_can_be_resumed_to_its_end(
    crashed: Run, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_tab, "launch", lambda run: run.log.repair() or train_here(run))
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
    monkeypatch.setattr(run_tab, "stop_and_keep", lambda run: kept.append(run.id))
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
    metrics = {metric.label: metric.value for metric in app.metric}
    share = majority_class_accuracy(finished.splits().validation.labels)
    assert metrics["Majority class"] == f"{100 * share:.1f} %"
    accuracy = finished.history().evaluations[-1].accuracy
    assert metrics["Validation accuracy"] == f"{100 * accuracy:.1f} %"


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
