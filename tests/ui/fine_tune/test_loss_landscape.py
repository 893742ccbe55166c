"""The Loss landscape tab: computed when asked for, kept on disk, and empty states."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.checkpoints import list_checkpoints
from bertsent.training.events import Paused
from bertsent.training.runs.run import Run
from bertsent.ui.fine_tune import loss_landscape
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words as written

PAGE = "2_Fine-tune"
Visit = Callable[..., AppTest]


def words(app: AppTest) -> str:
    return written(app).replace("\\", "")


def opened(visit: Visit) -> AppTest:
    return visit(PAGE, tab="Loss landscape")


def own_jobs() -> list:
    return [job for key, job in jobs()._jobs.items() if key.startswith("landscape-")]


def figures(app: AppTest) -> list[dict]:
    found = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart"))
    return [figure for figure in found if figure["data"][0]["type"] in ("contour", "surface")]


def small(app: AppTest) -> AppTest:
    app.segmented_control(key="landscape-side").set_value(9).run()
    return app


def computed(app: AppTest) -> AppTest:
    next(b for b in app.button if str(b.key).startswith("begin-landscape")).click().run()
    wait_until(lambda: all(job.over for job in own_jobs()))
    return app.run()


def test_a_landscape_is_computed_once_and_then_opens_from_disk(finished: Run, visit: Visit) -> None:
    for folder in finished.checkpoints.glob("step-[!048]"):  # leave those of the epochs
        shutil.rmtree(folder)
    app = small(opened(visit))
    assert "81 sets of weights" in words(app) and "8 reviews" in words(app)
    app = computed(app)
    assert not app.exception and not app.error, words(app)
    assert [figure["data"][0]["type"] for figure in figures(app)] == ["contour", "surface"]
    evaluations = finished.history().evaluations
    for evaluation in (evaluations[0], evaluations[-1]):
        assert f"{evaluation.loss:.3f} at step {evaluation.step}" in words(app)
    assert "keeps 100 % of the length of the path" in words(app), (
        "three checkpoints lie in one plane"
    )
    assert len(own_jobs()) == 1
    jobs.clear()
    del app.session_state["landscape_shown"]
    app.run()
    assert len(figures(app)) == 2 and not own_jobs(), "it came from disk"


def test_other_settings_keep_the_old_picture_and_say_so(finished: Run, visit: Visit) -> None:
    app = computed(small(opened(visit)))
    app.segmented_control(key="landscape-plane").set_value("random").run()
    assert not app.exception and len(figures(app)) == 2
    assert "Below is the previous landscape" in words(app)
    app = computed(app)
    assert "two random directions among millions" in words(app)
    assert "Below is the previous landscape" not in words(app)


def test_a_cancelled_landscape_can_be_tried_again(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = small(opened(visit))
    make = loss_landscape._compute

    def cancelled(*arguments: object) -> object:
        own_jobs()[0].cancel()
        return make(*arguments)

    monkeypatch.setattr(loss_landscape, "_compute", cancelled)
    app = computed(app)
    assert own_jobs()[0].state == "cancelled" and not figures(app) and not app.exception
    monkeypatch.setattr(loss_landscape, "_compute", make)
    assert len(figures(computed(app))) == 2


def test_a_live_run_has_no_landscape_yet(running: Run, visit: Visit) -> None:
    app = opened(visit)
    assert not app.exception and app.info
    assert not [b for b in app.button if "landscape" in str(b.key)]


def test_one_checkpoint_is_not_enough(crashed: Run, visit: Visit) -> None:
    for folder in list_checkpoints(crashed.checkpoints)[1:]:
        shutil.rmtree(folder)
    crashed.log.repair()
    with suppress(OSError):
        crashed.log.append(Paused(step=0))
    app = opened(visit)
    assert not app.exception and "this run has 1" in words(app)
