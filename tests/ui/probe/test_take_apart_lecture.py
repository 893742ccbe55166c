from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.conftest import words

PAGE = "3_Probe"
LOGITS = {"part": "logits", "numbers": "lecture"}


def test_the_switch_puts_the_lecture_s_numbers_into_the_part(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, part="logits")
    assert "0.9309, 0.0691" not in words(app) and "numbers" not in app.query_params
    app.segmented_control(key="numbers-segments").set_value("lecture").run()
    assert not app.exception and not app.error
    assert "0.9309, 0.0691" in words(app) and "8.17, 0.61 ✓" in words(app)
    assert app.query_params["numbers"] == "lecture"


def test_an_edited_number_is_followed_and_linked_and_can_be_undone(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, **LOGITS)
    app.text_input(key="softmax_logits-box").set_value("0, 0").run()
    assert "0.5000, 0.5000" in words(app) and "8.17" not in words(app)
    assert app.query_params["softmax_logits"] == "0, 0"
    app.button(key="softmax_as_in_the_lecture").click().run()
    assert "0.9309, 0.0691" in words(app) and "softmax_logits" not in app.query_params
    assert app.text_input(key="softmax_logits-box").value == "2.1, -0.5"


def test_the_link_brings_edited_numbers(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, **LOGITS, softmax_logits="1, 1")
    assert not app.exception and "0.5000, 0.5000" in words(app)


def test_a_mistyped_number_is_told_and_nothing_is_lost(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, **LOGITS)
    box = "softmax_logits-box"
    app.text_input(key=box).set_value("3, 1").run()
    kept = "0.8808, 0.1192"
    for typed in ("abc, 1", "", "inf, 2", "1, 2, 3", "1e300, 2", "1 " * 900):
        app.text_input(key=box).set_value(typed).run()
        assert not app.exception and len(app.error) == 1
        assert kept in words(app) and app.text_input(key=box).value == typed


def test_a_link_with_nonsense_is_told(finished: Run, visit: Callable[..., AppTest]) -> None:
    app = visit(PAGE, **LOGITS, softmax_logits="<b>$x$" * 1_000)
    assert not app.exception and len(app.error) == 1 and "0.9309, 0.0691" in words(app)
