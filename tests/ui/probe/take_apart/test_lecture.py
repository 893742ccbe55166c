from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui import conftest

PAGE = "3_Probe"
LOGITS = {"part": "logits", "numbers": "lecture"}


def words(app: AppTest) -> str:
    """What a visitor reads, without the marks that keep Markdown literal."""
    return conftest.words(app).replace("\\", "")


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


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("layers", ("0.1800", "Head ", "335,141,888", "2,362,368")),
        ("logits", ("1,538", "0.0883", "[CLS], i, love, paris, [SEP], [PAD], [PAD]")),
        ("loss", ("0.0716", "0.105, 2.303", "0.8492")),
        ("back", ("−0.0691, 0.0691", "0.05001999")),
    ],
)
def test_each_part_shows_its_worked_examples(
    finished: Run, visit: Callable[..., AppTest], part: str, shown: tuple[str, ...]
) -> None:
    app = visit(PAGE, part=part, numbers="lecture")
    assert not app.exception and not app.error
    tables = "\n".join(table.value.to_string() for table in (*app.table, *app.dataframe))
    seen = words(app) + tables + "\n".join(html.proto.body for html in app.get("html"))
    assert not [wanted for wanted in shown if wanted not in seen]


def test_an_example_of_the_model_follows_an_edited_sentence(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    app = visit(PAGE, part="logits", numbers="lecture", sentence_vectors_length="5")
    app.text_input(key="sentence_vectors_sentence-box").set_value("A $x$ | **film**").run()
    assert not app.exception and not app.error
    assert "[CLS], a, $, x, $, |, *, *, film, *, *, [SEP]" in words(app)
    app.text_input(key="sentence_vectors_sentence-box").set_value(" ").run()
    assert len(app.error) == 1 and "Sentence: Nothing is typed" in words(app)


def test_a_table_that_was_typed_is_kept_by_the_link(
    finished: Run, visit: Callable[..., AppTest]
) -> None:
    typed = "1, 0.5\n0, 0.5"
    app = visit(PAGE, part="loss", numbers="lecture", mean_loss_reviews=typed)
    assert "0.6931" in words(app) and app.query_params["mean_loss_reviews"] == typed
    app.button(key="mean_loss_as_in_the_lecture").click().run()
    assert "0.8492" in words(app) and "mean_loss_reviews" not in app.query_params
    app = visit(PAGE, part="loss", numbers="lecture", mean_loss_reviews="1, 0.5\nx, 0.5")
    assert len(app.error) == 1 and "Row 2" in words(app)
