"""The box that explains a training: closed it computes nothing, open it says what is there and what
to do.
"""

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


def opened(app: AppTest, key: str = "landscape") -> AppTest:
    app.session_state[key] = True
    return app.run()


def button(app: AppTest, key: str):
    return next(b for b in app.button if b.key == key)


def own_jobs() -> list:
    return [job for key, job in jobs()._jobs.items() if key.startswith("landscape-")]


def figures(app: AppTest) -> list[dict]:
    found = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart"))
    return [figure for figure in found if figure["data"][0]["type"] in ("contour", "surface")]


def small(app: AppTest) -> AppTest:
    app.segmented_control(key="landscape-side").set_value(9).run()
    return app


def computed(app: AppTest) -> AppTest:
    button(app, "landscape-start").click().run()
    wait_until(lambda: all(job.over for job in own_jobs()), 120)
    return app.run()


def test_closed_boxes_compute_nothing(finished: Run, visit: Visit) -> None:
    app = visit(PAGE)
    assert not app.exception and "Understanding training" in words(app)
    assert not any(
        control.key == "landscape-plane" for control in app.segmented_control
    ) and not figures(app)


def test_under_the_hood_draws_norm_and_rates_and_says_how_often_it_was_clipped(
    finished: Run, visit: Visit
) -> None:
    app = opened(visit(PAGE), "hood")
    assert not app.exception and not app.error
    steps = finished.history().step_frame()
    assert f"of {len(steps)} steps the gradient was longer than 1" in words(app)
    assert len(app.get("vega_lite_chart")) >= 4 or len(app.get("arrow_vega_lite_chart")) >= 4


def test_a_landscape_is_computed_once_and_then_opens_from_disk(finished: Run, visit: Visit) -> None:
    for folder in finished.checkpoints.glob("step-[!048]"):  # leave those of the epochs
        shutil.rmtree(folder)
    app = small(opened(visit(PAGE)))
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
    loss_landscape.jobs.clear()
    del app.session_state["landscape_shown"]
    app.run()
    assert len(figures(app)) == 2 and not own_jobs(), "it came from disk"


def test_other_settings_keep_the_old_picture_and_say_so(finished: Run, visit: Visit) -> None:
    app = computed(small(opened(visit(PAGE))))
    app.segmented_control(key="landscape-plane").set_value("random").run()
    assert not app.exception and len(figures(app)) == 2
    assert "as it was before" in words(app)
    app = computed(app)
    assert "two random directions among millions" in words(app) and "as it was before" not in words(
        app
    )


def test_what_was_cancelled_is_told_and_can_be_tried_again(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = small(opened(visit(PAGE)))
    make = loss_landscape._work

    def stopped(*arguments: object):
        work = make(*arguments)

        def begin(progress: Callable[[float], None]):
            own_jobs()[0].cancel()
            return work(progress)

        return begin

    monkeypatch.setattr(loss_landscape, "_work", stopped)
    app = computed(app)
    assert own_jobs()[0].state == "cancelled" and "Nothing half-made was kept" in words(app)
    monkeypatch.setattr(loss_landscape, "_work", make)
    assert len(figures(computed(app))) == 2


def test_a_live_run_says_when_it_will_be_there(running: Run, visit: Visit) -> None:
    app = opened(visit(PAGE))
    assert not app.exception and "pause or stop it" in words(app)


def test_one_checkpoint_is_not_enough(crashed: Run, visit: Visit) -> None:
    for folder in list_checkpoints(crashed.checkpoints)[1:]:
        shutil.rmtree(folder)
    crashed.log.repair()
    with suppress(OSError):
        crashed.log.append(Paused(step=0))
    app = opened(visit(PAGE))
    assert not app.exception and "needs two checkpoints, and this run has 1" in words(app)
