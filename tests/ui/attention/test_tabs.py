"""All tabs of Attention: whatever is typed is answered, links to nothing open the usual view, and
the chosen head is shared.
"""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.attention.page import PAGE, PUZZLE, said
from tests.ui.conftest import words

ARCS = "Arcs"
SILENCE = "Silence heads"
CHANGE = "Change by training"
MEASURES = "Measures"
PRODUCT = "Query × key"
WORD = "Word to word"
EVERY = (WORD, ARCS, SILENCE, CHANGE, MEASURES, PRODUCT)
TEXTS = (
    "Great",
    PUZZLE,
    "🎬",
    "<b>bold</b> *x* $y$ [a](javascript:b) \u202eevil\u202c",
    "[CLS] [SEP]",
    "word " * 1000,
    ".",
)


@pytest.mark.parametrize("view", EVERY)
def test_every_review_is_answered(finished: Run, visit: Callable[..., AppTest], view: str) -> None:
    app = visit(PAGE, look=view)
    for text in TEXTS:
        app.text_input(key="review_box").set_value(text).run()
        assert not app.exception and not app.error, text
        assert "![x](" not in words(app) and "<b>bold" not in words(app)
    app.text_input(key="review_box").set_value(" ").run()
    assert not app.exception and "nothing to classify" in app.error[0].value
    app.text_input(key="review_box").set_value(PUZZLE).run()
    assert not app.exception and not app.error


@pytest.mark.parametrize("view", EVERY)
def test_a_link_to_nothing_opens_the_usual_view(
    finished: Run, visit: Callable[..., AppTest], view: str
) -> None:
    wrong = {
        "layer": "99",
        "head": "x",
        "silenced": "9·9",
        "change_head": "0·0",
        "qk_from": "99 x",
        "measure": "<b>",
        "arcs_of": "-7",
    }
    app = visit(PAGE, look=view, **wrong)
    assert not app.exception and not app.error


def test_a_model_without_a_head_gets_an_explanation(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=SILENCE)
    assert not app.exception and not app.error and "was not fine-tuned" in said(app)
    app = visit(PAGE, look=CHANGE)
    assert not app.exception and not app.error and "fine-tuning has not changed it yet" in said(app)


def test_views_share_the_head(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, layer="1", head="2")
    app.segmented_control(key="look").set_value(ARCS).run()
    assert (app.selectbox(key="layer").value, app.selectbox(key="head").value) == (1, "2")
    app.segmented_control(key="look").set_value(PRODUCT).run()
    assert "Head 1·2" in said(app)
