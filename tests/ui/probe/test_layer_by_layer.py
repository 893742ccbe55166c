"""Layer by layer, as a visitor meets it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.splits import split
from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from bertsent.ui.probe import layer_by_layer
from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE = "3_Probe"
WHY, LAYERS, FLIPS = "Why", "Layer by layer", "What would flip it"
PUZZLE = "Great, another boring movie"


@pytest.fixture(autouse=True)
def few_reviews(toy_reviews: Reviews, monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes that learn in a second."""
    monkeypatch.setattr(layer_by_layer, "_reviews", lambda: split(toy_reviews))


def test_the_lens_ends_at_the_answer(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, probe=LAYERS, lens_other="Great, another gripping movie")
    assert not app.exception and not app.error
    answer = load(finished.id).predict([PUZZLE])[0]
    assert f"{100 * answer.p_positive:.1f} %" in words(app).replace(
        "\\", ""
    ) and "Dashed, “Great, another gripping movie”" in words(app).replace("\\", "")


def test_probes_are_trained_on_request(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, probe=LAYERS)
    next(
        button for button in app.button if button.label == "Train a probe for each layer"
    ).click().run()

    def there() -> bool:
        app.run()
        return "held-out reviews the probe is right" in words(app).replace("\\", "")

    wait_until(there, every=0.5)
    assert not app.exception and not app.error
