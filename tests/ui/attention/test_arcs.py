"""Arcs: of one token, and of all."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.attention.page import LONG, PAGE, said

ARCS = "Arcs"


def test_arcs_of_one_token_and_of_every_one(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=ARCS, layer="1", head="2", arcs_most="12")
    assert not app.exception and "The 12 arcs are" in said(app)
    app.selectbox(key="arcs_of").set_value(4).run()
    assert not app.exception and "The 6 arcs are" in said(app)
    app.text_input(key="review_box").set_value(LONG).run()
    assert not app.exception and not app.error
