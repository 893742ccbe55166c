"""The tab “Before BERT”: each part answers at once and says what it found from the numbers."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from bertsent.ui.words.before_bert import PRESETS
from tests.conftest import wait_until
from tests.ui.attention.page import cells, charts
from tests.ui.conftest import words

PAGE, TAB = "5_Words", "Before BERT"
Visit = Callable[..., AppTest]
Shown = Callable[..., AppTest]


@pytest.fixture
def shown(finished: Run, visit: Visit) -> Shown:
    def show(part: str, **query: str) -> AppTest:
        app = visit(PAGE, words=TAB, before_part=part, model=finished.id, **query)
        assert not app.exception and not app.error, words(app)
        return app

    return show


def plainly(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_every_network_has_a_row(shown: Shown) -> None:
    app = shown("How far back")
    matrix = cells(charts(app)[0])
    assert len(matrix) == 5
    assert matrix.max(axis=1) == pytest.approx(1, abs=1e-5) and matrix.min() >= 0
    said = plainly(app)
    assert "the answer that leans most to late words" in said and "P(positive): LSTM" in said
    app.text_input(key="before_text-box").set_value("Too short").run()
    assert "too few to speak of early and late" in plainly(app) and not app.exception
    app.text_input(key="before_text-box").set_value("…").run()
    assert "There is no word in this review" in plainly(app) and not app.exception


def test_the_mean_over_many_reviews_follows(shown: Shown) -> None:
    app = shown("How far back", before_mean="in a row and shuffled")

    def there() -> bool:
        app.run()
        return "On average over" in plainly(app)

    wait_until(there, seconds=240)
    assert "the words of each shuffled" in plainly(app)
    assert "(5 % of its gradient in the first third" in plainly(app)


def test_filters_are_chosen_and_the_detector_is_worked_out(shown: Shown) -> None:
    app = shown("Filters over words", before_text=PRESETS["Contrast"])
    said = plainly(app)
    assert "All contributions and the bias add up to the logit" in said
    assert "3 < 5" in said and "E-18" in said
    app.selectbox(key="before_filter").set_value(20).run()
    assert "Filter 20 spans 3 words" in plainly(app) and not app.exception
    app.text_input(key="like_detector_seen-box").set_value("9").run()
    assert "9 is too large here" in plainly(app) and not app.exception


def test_orders_are_counted_and_history_names_the_slips(shown: Shown) -> None:
    assert "left-only models use 10, BERT all 20" in plainly(shown("Reading order"))
    said = plainly(shown("History"))
    for part in ("E-11", "E-19", "Encoder-only", "How are you doing?", "entailment"):
        assert part in said
    assert re.search(r"GPT predicts the next word and masks no word", said)
