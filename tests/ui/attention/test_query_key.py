"""Query × key: one weight multiplied out to the model's own."""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.attention.page import PAGE, PUZZLE, said, values

PRODUCT = "Query × key"


def test_a_weight_is_multiplied_out(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, look=PRODUCT, layer="2", head="1", qk_from="4 another", qk_to="5 boring")
    assert not app.exception and not app.error
    weight = load(finished.id).attend(PUZZLE).weights[1, 0, 3, 4]
    assert values(app)[2] == values(app)[3] == f"{weight:.4f}"
    assert "“another” looks at “boring”: the 16 products" in said(app)
    (table,) = (found.value for found in app.dataframe if "softmax" in found.value)
    assert table["softmax"].sum() == pytest.approx(1)
    np.testing.assert_allclose(table["softmax"], table["the model’s own"], atol=1e-5)


def test_a_head_is_taken_apart_with_the_same_head_and_words(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit("4_Attention", look="Query × key", layer="1", head="2")
    app.selectbox(key="qk_from").set_value(3).run()
    app.button(key="take_apart").click().run()
    assert not app.exception and not app.error
    assert app.session_state["part_layers"] and app.session_state["probe"] == "Answer"
    chosen = [app.selectbox(key=key).value for key in ("layer", "head", "qk_from", "qk_to")]
    assert chosen == [1, "2", 3, 0]
