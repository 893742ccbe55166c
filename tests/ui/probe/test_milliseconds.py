"""Milliseconds, as a visitor meets them: measured in the background, beside what is published.
How many they are is never asserted, and whether the view asks first is set, not measured.
"""

import json
from collections.abc import Callable

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.answer import answer_title
from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.probe import milliseconds
from bertsent.ui.shared.jobs import jobs
from tests.ui.conftest import settled, words

PAGE, VIEW = "3_Probe", "Milliseconds"
Visit = Callable[..., AppTest]


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def table(app: AppTest) -> pd.DataFrame:
    return next(
        found.value for found in app.dataframe if "published (course)" in found.value
    ).set_index("what")


def waterfall(app: AppTest) -> dict:
    return json.loads(app.get("plotly_chart")[0].proto.spec)


def count_of(app: AppTest) -> object:
    return next(c for c in app.segmented_control if c.key == "timing_reviews")


def test_each_step_and_both_ways_are_there(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milliseconds, "AT_ONCE", float("inf"))
    app = settled(visit(PAGE, probe=VIEW))
    assert not app.error, said(app)
    answer = load(finished.id).predict(["Great, another boring movie"])[0]
    bars = [trace for trace in waterfall(app)["data"] if trace["type"] == "bar"]
    assert len(bars) == 3 and all(
        after["base"][0] == pytest.approx(before["base"][0] + before["x"][0])
        for before, after in zip(bars[:-1], bars[1:], strict=True)
    )
    assert answer_title(answer) in said(app)
    assert "7 tokens with [CLS] and [SEP]" in said(app) and "16 reviews (" in said(app)
    assert "other people" in said(app) and "Published, not measured here" in said(app)
    numbers = table(app)
    assert numbers.loc["factor", "published (course)"] == "2.5 ×" and numbers.loc[
        "factor", "measured"
    ].endswith(" ×")
    assert len(app.get("plotly_chart")) == 2


def test_the_number_of_reviews_is_chosen_and_linked(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow machine the view asks before it measures, and this test waited for what nobody had
    begun: both ways are now chosen here and not by the clock.
    """
    monkeypatch.setattr(milliseconds, "AT_ONCE", float("inf"))
    app = settled(visit(PAGE, probe=VIEW, timing_reviews="8"))
    assert count_of(app).value == 8 and "8 reviews (" in said(app)
    app = settled(count_of(app).set_value(32).run())
    assert count_of(app).value == 32 and "32 reviews (" in said(app)


def test_what_takes_long_waits_for_a_button(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milliseconds, "AT_ONCE", 0)
    app = settled(visit(PAGE, probe=VIEW))
    assert (
        len(app.get("plotly_chart")) == 1
        and "can be cancelled" in said(app)
        and len(table(app)) == 4
    )
    (begin,) = (button for button in app.button if button.label == "Measure")
    app = settled(begin.click().run())
    assert len(app.get("plotly_chart")) == 2 and len(table(app)) == 9
    before = {key: job for key, job in jobs()._jobs.items() if key.startswith("timing-")}
    app = settled(
        next(button for button in app.button if button.key == "timing_again").click().run()
    )
    after = {key: job for key, job in jobs()._jobs.items() if key.startswith("timing-")}
    assert before.keys() == after.keys() and all(before[key] is not after[key] for key in before)
    assert len(table(app)) == 9


@pytest.mark.parametrize(
    "text", ["Great", "🎬", "<b>bold</b> *x* $y$ \u202eevil\u202c", "word " * 1000]
)
def test_every_review_is_timed(finished: Run, visit: Visit, text: str) -> None:
    app = visit(PAGE, probe=VIEW, timing_reviews="8")
    app.text_input(key="review_box").set_value(text).run()
    app = settled(app)
    assert not app.error and len(waterfall(app)["data"]) == 6


def test_an_empty_review_and_a_wrong_link(finished: Run, visit: Visit) -> None:
    app = settled(visit(PAGE, probe=VIEW, timing_reviews="999"))
    assert not app.error and count_of(app).value == 16
    app.text_input(key="review_box").set_value(" ").run()
    assert not app.exception and "nothing to classify" in app.info[0].value


def test_a_failed_measurement_is_told_and_can_be_tried_again(
    finished: Run, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bertsent.errors import NotAvailable
    from bertsent.probing import timing

    kept = timing.time_steps

    def fails(*arguments: object, **options: object) -> None:
        raise NotAvailable("It has no opinion.", "Choose another.")

    monkeypatch.setattr(timing, "time_steps", fails)
    app = settled(visit(PAGE, probe=VIEW))
    assert "It has no opinion" in app.error[0].value.replace("\\", "")
    monkeypatch.setattr(timing, "time_steps", kept)
    app = settled(
        next(button for button in app.button if button.label == "Try again").click().run()
    )
    assert not app.error and len(waterfall(app)["data"]) == 6
