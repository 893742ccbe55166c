import re
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.training.runs.run import Run
from tests.ui.conftest import words
from tests.ui.probe.driving import press

PAGE = "3_Probe"


def test_without_a_model_it_says_how_to_get_one(visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert "The built-in sentiment model is missing" in words(app)


def test_the_answer_is_the_models_own(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    answer = load(finished.id).predict(["Great, another boring movie"])[0]
    share = max(answer.p_positive, 1 - answer.p_positive)
    assert any(f"{answer.label} {100 * share:.1f} %" in s.value for s in app.subheader)
    app = visit(PAGE, part="logits")
    shown = app.table[0].value
    assert np.allclose(shown["logit z"].astype(float), answer.logits, atol=1e-4)
    assert np.allclose(
        shown["share of the sum"].astype(float).iloc[1], answer.p_positive, atol=1e-4
    )


def test_every_checkpoint_can_answer(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE)
    slider = app.select_slider(key=f"checkpoint-{finished.id}")
    assert slider.options[0] == "step 0" and slider.options[-1] == "latest"
    slider.set_value("step 0").run()
    assert any("step 0" in c.value for c in app.caption)
    assert not app.exception


@pytest.mark.parametrize(
    ("text", "said"), [("", "nothing to classify"), ("   \n", "nothing to classify")]
)
def test_empty_text_is_told(
    finished: Run, visit: Callable[..., AppTest], text: str, said: str
) -> None:
    app = visit(PAGE)
    app.text_input(key="review_box").set_value(text).run()
    assert not app.exception
    assert any(said in told.value for told in app.info)
    app = press(app, "ask_puzzle")
    assert app.text_input(key="review_box").value == "Great, another boring movie"
    assert app.subheader and not app.info


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "$$x^2$$ **bold** [a](javascript:b)",
        "\u202eevil\u202c",
        "good 🎬" * 500,
    ],
)
def test_odd_text_is_answered(finished: Run, visit: Callable[..., AppTest], text: str) -> None:
    app = visit(PAGE)
    app.text_input(key="review_box").set_value(text).run()
    assert not app.exception and not app.error
    assert any(s.value[2:10] in ("POSITIVE", "NEGATIVE") for s in app.subheader)


def test_a_review_of_emoji_is_undecided(finished: Run, visit: Callable[..., AppTest]) -> None:
    """Answer drew POSITIVE with a probability for tokens that the model had never seen."""
    app = visit(PAGE)
    app.text_input(key="review_box").set_value("🎬🍿").run()
    assert not app.exception and not app.error
    assert [s.value for s in app.subheader if "UNDECIDED" in s.value]
    assert not any("POSITIVE" in s.value or "NEGATIVE" in s.value for s in app.subheader)
    assert not app.get("plotly_chart")  # the bar of a probability that says nothing


def test_what_is_cleaned_is_said_and_not_read(finished: Run, visit: Callable[..., AppTest]) -> None:
    """The model read ``<br />`` that the page did not show."""
    app = visit(PAGE, part="text")
    app.text_input(key="review_box").set_value("A fine<br /><br />film").run()
    drawn = "".join(each.proto.body for each in app.get("html"))
    cards = re.findall('token-card [a-z]*"><b>(.*?)</b>', drawn)
    assert cards[:5] == ["[CLS]", "a", "fine", "film", "[SEP]"]
    assert any("2 HTML tags" in c.value for c in app.caption)


def test_a_damaged_checkpoint_is_told(finished: Run, visit: Callable[..., AppTest]) -> None:
    for weights in finished.checkpoints.glob("*/model.safetensors"):
        weights.write_bytes(weights.read_bytes()[:1000])
    app = visit(PAGE)
    assert not app.exception
    assert any("Export or download the model again" in e.value for e in app.error), words(app)


def test_a_running_model_answers_with_its_newest_weights(
    running: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE)
    assert not app.exception and not app.error
    assert any("the newest there is" in c.value for c in app.caption)
