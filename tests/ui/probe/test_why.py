"""Why, as a visitor meets it, and what it has in common with the two other views of one answer."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.data.examples import Reviews
from bertsent.data.splits import split
from bertsent.probing.loaded_model import load
from bertsent.probing.registry import shipped
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


def ask(app: AppTest, text: str) -> AppTest:
    return app.text_input(key="review_box").set_value(text).run()


@pytest.mark.parametrize("view", [WHY, LAYERS, FLIPS])
@pytest.mark.parametrize(
    "text",
    ["Great", PUZZLE, "🎬", "<b>bold</b> *x* $y$ \u202eevil\u202c", "It isn't bad, is it? " * 200],
)
def test_every_review_is_answered(
    finished: Run, visit: Callable[..., AppTest], view: str, text: str
) -> None:
    app = ask(visit(PAGE, probe=view), text)
    assert not app.exception and not app.error


@pytest.mark.parametrize("view", [WHY, LAYERS, FLIPS])
def test_an_empty_review_is_told(finished: Run, visit: Callable[..., AppTest], view: str) -> None:
    app = ask(visit(PAGE, probe=view), " ")
    assert not app.exception and any("nothing to classify" in told.value for told in app.info)


def test_the_evidence_is_the_models_own(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, probe=WHY)
    table = next(found.value for found in app.dataframe if "leave-one-out" in found.value)
    model = load(finished.id)
    whole = model.predict([PUZZLE])[0].p_positive
    assert table["word"].tolist() == ["Great", ",", "another", "boring", "movie"]
    assert table["leave-one-out"].iloc[3] == pytest.approx(
        whole - model.predict(["Great, another movie"])[0].p_positive, abs=1e-6
    )
    assert "is not an explanation" in words(app) or "where a head takes information from" in words(
        app
    )
    assert sum(metric.label.startswith("τ") for metric in app.metric) == 3


def test_one_word_has_no_tau(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = ask(visit(PAGE, probe=WHY), "Great")
    assert {metric.value for metric in app.metric if metric.label.startswith("τ")} == {"n/a"}
    assert "τ = n/a" in words(app)


def test_units_and_heads_can_be_chosen_and_linked(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(
        PAGE,
        probe=WHY,
        why_by="Word pieces",
        why_attention="one head",
        why_layer="1",
        why_head="2",
        text="unfathomable touché",
    )
    assert not app.exception and not app.error
    table = next(found.value for found in app.dataframe if "leave-one-out" in found.value)
    assert any(word.startswith("##") for word in table["word"])
    maps = load(finished.id).attend("unfathomable touché")
    assert table["attention"].tolist() == pytest.approx(
        maps.weights[0, 1, 0, 1:-1].tolist(), abs=1e-6
    )


def test_what_is_covered_of_a_long_review_is_said(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = ask(visit(PAGE, probe=WHY), "word " * 900)
    assert "reads at most 32 tokens" in words(app).replace("\\", "")


@pytest.mark.skipif(not shipped(), reason="the model is not here")
def test_a_link_opens_the_same_stretch_of_a_long_review(
    with_shipped_model: None, visit: Callable[..., AppTest]
) -> None:
    text = " ".join(f"word{number}" for number in range(40))
    app = visit(
        PAGE,
        probe=WHY,
        text=text,
        why_from="33 to 40",
        why_attention="mean of a layer",
        why_layer="2",
    )
    wait_until(lambda: app.run().dataframe, every=0.5)
    assert not app.exception and not app.error
    assert app.selectbox(key="why_from").value == 33 and app.selectbox(key="why_layer").value == 2
    assert "Drawn as bars: 33 to 40" in words(app).replace("\\", "")
