"""The first part of the way on screen: choices are followed and linked, odd reviews are told."""

import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.conftest import words

PAGE, PART = "3_Probe", {"part": "text"}


def said(app: AppTest) -> str:
    """What a visitor reads, without the backslashes that keep it literal."""
    return words(app).replace("\\", "")


def drawn(app: AppTest) -> str:
    assert not app.exception and not app.error, said(app)
    return "".join(each.proto.body for each in app.get("html"))


def cards(app: AppTest) -> list[tuple[str, str]]:
    """Every token that is drawn, with its class."""
    found = re.findall(r'class="token-card ([a-z]*)"><b>(.*?)</b>', drawn(app))
    return [(piece, kind) for kind, piece in found]


def test_letters_become_ids_and_the_check_holds(finished: Run, visit: Callable[..., AppTest]):
    app = visit(PAGE, **PART, text="An Unbelievably fine film 🎬")
    assert [piece for piece, _ in cards(app)][:6] == ["[CLS]", "an", "un", "##bel", "##ie", "##va"]
    assert ("[UNK]", "unknown") in cards(app)
    assert ">8671<" in drawn(app) and "Letters, words and ids: recomputed = the model" in said(app)
    assert "recomputed ≠" not in said(app)
    assert app.selectbox(key="split_word-box").value == "unbelievably"


def test_a_word_is_chosen_typed_and_linked(finished: Run, visit: Callable[..., AppTest]):
    app = visit(PAGE, **PART, text="unbelievably disheartening")
    app.selectbox(key="split_word-box").set_value("disheartening").run()
    assert app.query_params["split_word"] == "disheartening"
    assert "“disheartening” takes" in said(app)
    app = visit(PAGE, **PART, text="fine", split_word="unhappiness")
    assert "“unhappiness” takes 25 trials" in said(app)
    assert drawn(app).count('class="trial-block"') == 4
    app = visit(PAGE, **PART, text="fine", split_word="x" * 101)
    assert "101 letters, more than 100" in said(app)


def test_padding_and_mask_appear_beside_a_longer_review(
    finished: Run, visit: Callable[..., AppTest]
):
    app = visit(PAGE, **PART, text="fine film")
    assert ("[PAD]", "padding") in cards(app)
    assert "the review keeps P(positive)" in said(app)
    app.text_input(key="longer_review-box").set_value("a dull cold film").run()
    assert sum(piece == "[PAD]" for piece, _ in cards(app)) == 2
    assert app.query_params["longer_review"] == "a dull cold film"


def test_a_second_text_has_a_segment_of_its_own(finished: Run, visit: Callable[..., AppTest]):
    app = visit(PAGE, **PART, text="fine film", reads="pair", second_text="dull and cold")
    assert [piece for piece, kind in cards(app) if kind == "second"] == [
        *("dull", "and", "cold", "[SEP]")
    ]
    assert "Ids and segments: recomputed = the model" in said(app)
    app.segmented_control(key="reads-segments").set_value("padded").run()
    assert "reads" not in app.query_params and ("[PAD]", "padding") in cards(app)


@pytest.mark.parametrize(
    "text",
    [
        "🎬🍿",
        "!",
        "word " * 600,
        "<script>alert(1)</script> $$x$$ **b**",
        "b" * 150,
        "e\u0301\u0301 好",
        "\ufffd",
    ],
)
def test_odd_reviews_are_taken_apart(finished: Run, visit: Callable[..., AppTest], text: str):
    app = visit(PAGE, **PART, text=text)
    assert cards(app)[0] == ("[CLS]", "marker")
    assert "recomputed ≠" not in said(app)
    assert "<script>" not in drawn(app)


def test_an_empty_other_text_is_told(finished: Run, visit: Callable[..., AppTest]):
    app = visit(PAGE, **PART, text="fine", longer_review=" ")
    assert not app.exception and any("nothing to classify" in e.value for e in app.error)
    assert app.selectbox(key="split_word-box")


def test_the_lecture_s_sentences_are_worked_out_and_edited(
    finished: Run, visit: Callable[..., AppTest]
):
    """Rows 003-01 to 003-04 and 002-18."""
    app = visit(PAGE, **PART, numbers="lecture")
    shown = said(app)
    assert "101, 1045, 2293, 3000, 102, 0, 0 ✓" in shown and "un, ##ha, ##pp, ##iness" in shown
    assert [piece for piece, kind in cards(app) if kind == "padding"] == ["[PAD]"] * 2
    app.text_input(key="paris_sentence-box").set_value("I | love **Paris**").run()
    assert "I, |, love, *, *, Paris, *, *" in said(app) and not app.exception
    assert app.query_params["paris_sentence"] == "I | love **Paris**"
    app.text_input(key="paris_length-box").set_value("99").run()
    assert len(app.error) == 1 and not app.exception


def test_a_token_is_clicked_and_its_vector_framed(finished: Run, visit: Callable[..., AppTest]):
    """Rows 002-19, 003-05 and 003-06."""
    app = visit(PAGE, part="input", numbers="lecture")
    assert not app.exception and not app.error and "recomputed ≠" not in said(app)
    assert "0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1 ✓" in said(app)
    app.pills(key="paris_vectors_place_pills").set_value(2).run()
    assert app.query_params["paris_vectors_place"] == "2"
    assert "the one of “love” is drawn" in said(app)
    app.text_input(key="my_dog_sum_place-box").set_value("12").run()
    assert len(app.error) == 1 and "There is no token 12" in app.error[0].value.replace("\\", "")
