"""What would flip it, as a visitor meets it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.probing.registry import shipped
from bertsent.training.runs.run import Run
from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE = "3_Probe"
WHY, LAYERS, FLIPS = "Why", "Layer by layer", "What would flip it"
PUZZLE = "Great, another boring movie"


def test_without_a_kind_of_change_it_says_what_to_do(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, probe=FLIPS)
    for name in ("neighbours", "opposites", "delete", "not"):
        app.checkbox(key=f"flip_{name}").uncheck()
    app.run()
    assert not app.exception and "Allow at least one" in words(app)


@pytest.mark.skipif(not shipped(), reason="the model is not here")
def test_the_shipped_model_flips_and_the_flip_becomes_the_review(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    app = visit(
        PAGE,
        probe=FLIPS,
        flip_own="gripping",
        flip_neighbours="false",
        flip_opposites="false",
        flip_delete="false",
        flip_not="false",
    )
    wait_until(lambda: any(b.key == "flip-take-0" for b in app.run().button), every=0.5)
    assert not app.exception and not app.error
    assert "One change flips it" in words(app)
    app.button(key="flip-take-0").click().run()
    text = app.text_input(key="review_box").value
    assert "ripping" in text and load("builtin").predict([text])[0].label == "POSITIVE"
