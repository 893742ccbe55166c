"""Runs in every state, made with the real engine on a tiny BERT, and a door to each page through
``app.py``.
"""

import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, local_script_runner

from bertsent.data.examples import Reviews
from bertsent.probing import registry, shipped_scores
from bertsent.probing.tasks import head_scores
from bertsent.settings import PROJECT
from bertsent.training.config import TrainingConfig
from bertsent.training.events import Failed
from bertsent.training.runs import launcher
from bertsent.training.runs.launcher import prepare_run
from bertsent.training.runs.run import Run
from bertsent.training.worker import _training
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.training.workers import Workers, start_run
from tests.ui.runs_of_tasks import small_sets

# AppTest reads the metadata of every installed package at each visit, a server once.
manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests
)
_finish = local_script_runner.require_widgets_deltas
SENTINELS = ("Great, another boring movie",)


def _wait_and_finish(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """AppTest asks a thousand times a second whether the page has run, which takes the time of the
    page itself.
    """
    runner._script_thread.join(timeout)
    _finish(runner, 0 if runner._script_thread.is_alive() else 1)


local_script_runner.require_widgets_deltas = _wait_and_finish


@pytest.fixture(scope="session")
def trained(
    tiny_backbone: Path, toy_reviews: Reviews, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a run that a real worker finished."""
    home = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        workers = Workers()  # they start faster; real ones are tested with the runs
        patch.setattr(launcher, "_spawn", workers.spawn)
        training = TrainingConfig(epochs=2, batch_size=8, max_length=32, head_lr=1e-2)
        run = start_run(
            toy_reviews,
            training,
            model=str(tiny_backbone),
            contrastive_share=0.0,
            sentinels=SENTINELS,
        )
        wait_until(lambda: not run.alive())
        assert run.status().state == "finished", (run.folder / "worker.log").read_text()
        workers.end()
    return run.folder


@pytest.fixture(scope="session")
def runs_of_tasks(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a finished run for each kind of task, named after it."""
    home = tmp_path_factory.mktemp("tasks")
    training = TrainingConfig(epochs=1, batch_size=32, max_length=24, kept_checkpoints=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERTSENT_HOME", str(home))
        patch.setenv("BERTSENT_DEVICE", "cpu")
        for name, reviews in small_sets().items():
            run = prepare_run(reviews, training, model=str(tiny_backbone), name=name)
            for event in _training(run, lambda: ""):
                run.log.append(event)
    return home


@pytest.fixture
def lab_of_tasks(lab: Path, runs_of_tasks: Path) -> Path:
    shutil.copytree(runs_of_tasks / "runs", lab / "runs")
    return lab


@pytest.fixture
def finished(lab: Path, trained: Path) -> Run:
    folder = lab / "runs" / trained.name
    shutil.copytree(trained, folder)
    return Run(folder)


@pytest.fixture
def crashed(finished: Run) -> Run:
    """The same run with its last words missing: the worker died in mid-step."""
    lines = (finished.folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (finished.folder / "events.jsonl").write_bytes(b"".join(lines[:-3]) + b'{"event": "stepp')
    return finished


@pytest.fixture
def failed(crashed: Run) -> Run:
    crashed.log.repair()
    crashed.log.append(
        Failed(
            step=3,
            reason="The loss was not a finite number at step 3.",
            remedy="Lower <b>the</b> rates.",
        )
    )
    return crashed


@pytest.fixture
def running(crashed: Run) -> Iterator[Run]:
    """A run whose lock is held: it lives."""
    with FileLock(crashed.folder / "lock"):
        yield crashed


@pytest.fixture(autouse=True)
def warm_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that somebody has visited before: AppTest starts every single run as if nobody had,
    which would lose each click.

    How a fresh server behaves is shown in a real browser (tests/browser).
    """
    make = PagesManager.__init__

    def made(self: PagesManager, *arguments: object, **options: object) -> None:
        make(self, *arguments, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", made)


@pytest.fixture
def visit(lab: Path) -> Callable[..., AppTest]:
    """Open a page as a visitor would: ``visit("2_Fine-tune")``."""
    import streamlit as st

    st.cache_resource.clear()
    st.cache_data.clear()

    def open_page(name: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=240)
        for key, value in query.items():
            app.query_params[key] = value
        return app.switch_page(f"pages/{name}.py").run()

    return open_page


def settled(app: AppTest) -> AppTest:
    """The page after all background work, drawn until it begins no other."""
    for _ in range(4):
        known = list(jobs()._jobs.values())
        wait_until(lambda: all(job.over for job in known))  # noqa: B023 - asked at once
        app = app.run()
        assert not app.exception, app.exception
        if all(job in known for job in list(jobs()._jobs.values())):
            break
    return app


def words(app: AppTest) -> str:
    """Everything a visitor can read on the page."""
    kinds = (
        app.title,
        app.caption,
        app.markdown,
        app.text,
        app.info,
        app.warning,
        app.error,
        app.subheader,
        app.code,
    )
    return "\n".join(str(element.value) for kind in kinds for element in kind)


@pytest.fixture(autouse=True)
def without_shipped_model(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A lab in which only its runs answer, unless a test is about the model that ships
    (``with_shipped_model``) or about heads of further tasks (``with_heads``).
    """
    names = request.fixturenames
    heads = request.getfixturevalue("heads_folder") if "with_heads" in names else None
    for module in (registry, head_scores):
        monkeypatch.setattr(module, "SHIPPED_HEADS", heads or tmp_path / "no-heads")
    if "with_shipped_model" in request.fixturenames:
        return
    for module in (registry, shipped_scores):
        monkeypatch.setattr(module, "SHIPPED", tmp_path / "nothing-ships")


@pytest.fixture
def with_heads() -> None:
    """A lab with heads of further tasks, whose weights are random."""


@pytest.fixture
def with_shipped_model() -> None:
    """The lab as it is delivered."""
