"""Jobs of the server: lanes, the queue, who still wants one, and which results are kept."""

import gc
import logging
import threading
import weakref
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.errors import BadInput
from bertsent.ui.shared import jobs as module
from bertsent.ui.shared.jobs import Job, Jobs, size_in_bytes
from tests.conftest import wait_until


class Gate:
    """Work that goes on only when the test opens it."""

    def __init__(self) -> None:
        self.began, self.open = threading.Event(), threading.Event()

    def __call__(self, progress: Callable[[float], None]) -> str:
        self.began.set()
        while not self.open.wait(0.01):
            progress(0.5)
        return "made"


@pytest.fixture
def gate() -> Gate:
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def someone(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Become that viewer."""
    return lambda name: monkeypatch.setattr(module, "viewer", lambda: name)


def over(job: Job) -> Job:
    assert job.finished.wait(20)
    wait_until(lambda: job.over)
    return job


def test_long_work_does_not_hold_up_short_work(gate: Gate) -> None:
    """One thread served everything: a training of one visitor held everybody's maps for minutes."""
    jobs = Jobs()
    jobs.start("training", gate, "long")
    assert over(jobs.start("map", lambda progress: 1)).result == 1
    assert not jobs.find("training").over


def test_the_same_request_is_one_job(gate: Gate) -> None:
    jobs = Jobs()
    assert jobs.start("map", gate) is jobs.start("map", gate)


def test_the_queue_says_how_many_are_before(gate: Gate) -> None:
    jobs = Jobs()
    first, second, third = (jobs.start(key, gate) for key in ("one", "two", "three"))
    jobs.start("elsewhere", gate, "long")
    gate.began.wait(20)
    jobs.find("one")  # looking changes no place
    assert [jobs.ahead(job) for job in (first, second, third)] == [0, 1, 2]


def test_a_cancel_withdraws_only_who_pressed_it(gate: Gate, someone: Callable[[str], None]) -> None:
    """Anybody's Cancel ended what others were waiting for."""
    jobs = Jobs()
    for name in ("anna", "ben"):
        someone(name)
        job = jobs.start("map", gate)
    job.withdraw("anna")
    assert not job.ending
    gate.open.set()
    assert over(job).state == "done"


def test_the_last_who_cancels_ends_it(gate: Gate, someone: Callable[[str], None]) -> None:
    jobs = Jobs()
    for name in ("anna", "ben"):
        someone(name)
        job = jobs.start("map", gate)
    job.withdraw("anna")
    job.withdraw("ben")
    assert over(job).state == "cancelled"
    someone("anna")
    assert jobs.start("map", lambda progress: 2) is not job


def test_who_has_left_does_not_hold_a_job(
    gate: Gate, someone: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs()
    for name in ("anna", "ben"):
        someone(name)
        job = jobs.start("map", gate)
    monkeypatch.setattr(module, "_is_here", lambda session: session != "ben")
    job.withdraw("anna")
    assert over(job).state == "cancelled"


def test_a_cancelled_job_that_waits_never_runs(gate: Gate) -> None:
    jobs, ran = Jobs(), []
    jobs.start("first", gate)
    gate.began.wait(20)
    waiting = jobs.start("second", ran.append)
    waiting.cancel()
    assert waiting.state == "cancelled"
    gate.open.set()
    over(jobs.find("first"))
    assert over(jobs.start("third", lambda progress: 3)).result == 3 and not ran


def test_results_are_bounded_by_bytes_and_the_last_used_stay() -> None:
    """Results were bounded by count, and looking at one did not keep it."""
    jobs = Jobs(most_bytes=2_500_000)
    for key in ("old", "looked at"):
        over(jobs.start(key, lambda progress: np.zeros(1_000_000, np.uint8)))
    assert jobs.find("old").state == "done"
    jobs.find("looked at"), jobs.find("old")
    over(jobs.start("new", lambda progress: np.zeros(1_000_000, np.uint8)))
    wait_until(lambda: jobs.find("looked at") is None)
    assert jobs.find("old") and jobs.find("new")


def test_the_newest_result_is_kept_whatever_its_size() -> None:
    jobs = Jobs(most_bytes=10)
    over(jobs.start("large", lambda progress: np.zeros(1_000)))
    jobs._forget_unused()
    assert jobs.find("large").result.size == 1_000


def test_finished_work_lets_go_of_what_it_read() -> None:
    class Reviews:
        pass

    reviews, jobs = Reviews(), Jobs()
    released = weakref.ref(reviews)
    over(jobs.start("count", lambda progress, reviews=reviews: 1))
    del reviews
    gc.collect()
    assert released() is None


def test_an_error_nobody_foresaw_has_a_number_on_screen_and_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log had the traceback of a failed job, but nothing that led from the screen to it."""
    caplog.set_level(logging.ERROR, "bertsent")
    job = over(Jobs().start("map", lambda progress: 1 / 0))
    (record,) = caplog.records
    number = record.args[0]
    assert job.state == "failed" and number in job.error and record.exc_info[0] is ZeroDivisionError


def test_a_foreseen_error_is_its_sentence() -> None:
    def work(progress: Callable[[float], None]) -> None:
        raise BadInput("No reviews.", "Upload some.")

    assert over(Jobs().start("map", work)).error == "No reviews. Upload some."


def test_quick_work_is_done_once_for_all_who_ask_at_the_same_time(gate: Gate) -> None:
    jobs, found = Jobs(), []
    threads = [
        threading.Thread(target=lambda: found.append(jobs.run_now("quick", gate))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    gate.began.wait(20)
    gate.open.set()
    for thread in threads:
        thread.join(20)
    assert found == ["made"] * 3 and len(jobs._jobs) == 1


def test_quick_work_that_failed_is_tried_again() -> None:
    jobs = Jobs()
    with pytest.raises(ZeroDivisionError):
        jobs.run_now("quick", lambda progress: 1 / 0)
    assert jobs.run_now("quick", lambda progress: 4) == 4


@pytest.mark.parametrize(
    ("thing", "least"),
    [
        (np.zeros(1_000), 8_000),
        ({"a": [np.zeros(1_000), "x" * 500]}, 8_500),
        (pd.DataFrame({"text": ["x" * 1_000] * 3 + ["y"]}), 3_000),
        (pd.Series(np.zeros(1_000)), 8_000),
    ],
)
def test_the_size_of_a_result(thing: object, least: int) -> None:
    assert least <= size_in_bytes(thing) < least + 1_500


def test_what_is_held_twice_counts_once() -> None:
    array = np.zeros(10_000)
    assert size_in_bytes([array, array]) < 85_000


def page(work) -> None:  # noqa: ANN001 - a script of its own, without the imports above
    import streamlit as st

    from bertsent.ui.shared.jobs import JobRequest, outcome

    found = outcome(JobRequest("test-page", work, "Counting", "Count", tokens=100_000))
    if found is not None:
        st.markdown(f"found {found}")


def test_a_page_offers_begins_cancels_and_shows(gate: Gate) -> None:
    module.jobs.clear()
    app = AppTest.from_function(page, args=(gate,), default_timeout=240).run()
    (begin,) = app.button
    app = begin.click().run()
    cancel = next(button for button in app.button if button.label == "Cancel")
    assert module.jobs().find("test-page").lane == "long"
    cancel.click().run()
    job = over(module.jobs().find("test-page"))
    assert job.state == "cancelled"
    app = app.run()
    gate.open.set()
    app = app.button[0].click().run()
    over(module.jobs().find("test-page"))
    assert app.run().markdown[0].value == "found made"


def test_who_withdrew_may_wait_again(gate: Gate) -> None:
    module.jobs.clear()
    job = module.jobs().start("test-page", gate)
    job.want("another viewer")
    app = AppTest.from_function(page, args=(gate,), default_timeout=240).run()
    (cancel,) = app.button
    app = cancel.click().run()
    assert not job.ending
    (again,) = app.button
    app = again.click().run()
    assert not job.ending and not job.withdrawn and len(job.wanted_by) == 3
