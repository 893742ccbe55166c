"""A run folder of version 0.1.0 still opens, answers, is resumed exactly and exported."""

import json
import shutil
from pathlib import Path

import pytest

from bertsent.probing.loaded_model import load
from bertsent.training.checkpoints import kept_checkpoints
from bertsent.training.runs.launcher import launch, stop_and_keep
from bertsent.training.runs.report import run_report
from bertsent.training.runs.run import Run, find_run
from bertsent.training.runs.run_export import export_run
from bertsent.training.runs.run_tables import runs_table
from tests.conftest import wait_until
from tests.training.workers import Workers, state

HERE = Path(__file__).parent / "old_run"
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def old(lab: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The old run in a lab of today."""
    folder = shutil.copytree(HERE / "humble-otter", lab / "runs" / "humble-otter")
    for path in [*folder.rglob("*.json")]:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("MODEL_FOLDER", str(HERE / "tiny-bert")), encoding="utf-8")
    monkeypatch.setattr("bertsent.training.runs.launcher._spawn", workers.spawn)
    return find_run("humble-otter")


def test_it_is_listed_with_its_curves(old):
    row = runs_table().iloc[0]
    assert (row["run"], row["status"], row["step"], row["steps"]) == (old.id, "paused", 5, 8)
    history = old.history()
    assert list(history.step_frame()["loss"]) == EXPECTED["losses"][:5]
    assert list(history.evaluation_frame()["step"]) == [0, 4]
    assert set(history.sentinel_frame()["text"]) == {"a fine warm film", "no fun"}
    assert old.config.training.kept_checkpoints == 4, "its file says waypoints"
    assert [f.name for f in kept_checkpoints(old.checkpoints)] == [
        "step-0",
        "step-2",
        "step-4",
        "step-5",
    ]


def test_it_answers_as_it_did(old):
    texts = list(EXPECTED["step_5"])
    answers = load(f"{old.id}/step-5").predict(texts)
    assert [a.p_positive for a in answers] == pytest.approx(
        list(EXPECTED["step_5"].values()), abs=1e-5
    )


def test_it_ends_as_it_would_have_on_its_own_reviews(old):
    """It trained on `<br /><br />`; the same reviews without it are other tokens."""
    assert any("<br />" in text for text in old.splits().train.texts)
    launch(old)
    wait_until(lambda: state(old) == "finished")
    history = old.history()
    assert [s.loss for s in history.steps] == pytest.approx(EXPECTED["losses"], rel=1e-3)
    assert [s.grad_norm for s in history.steps] == pytest.approx(EXPECTED["grad_norms"], rel=1e-2)
    assert [[e.step, e.loss, e.accuracy] for e in history.evaluations] == [
        pytest.approx(each, rel=1e-3) for each in EXPECTED["evaluations"]
    ]
    assert history.sentinels[-1].scores == pytest.approx(EXPECTED["sentinels"], abs=1e-3)


def test_it_can_be_stopped_kept_and_exported(old, tmp_path):
    stop_and_keep(old)
    wait_until(lambda: state(old) == "stopped")
    assert run_report(old).step == 5
    folder = export_run(old, tmp_path / "exported")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "tiny-bert" in card and "It was not evaluated" not in card
    assert load(str(folder)).predict(["no fun"])[0].p_positive == pytest.approx(
        EXPECTED["step_5"]["no fun"], abs=1e-5
    )
