"""The page Words: each tab answers at once, refuses in words, and old links lead to it."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from bertsent.training.runs.run import Run
from tests.ui.conftest import words

PAGE = "5_Words"
Visit = Callable[..., AppTest]
Shown = Callable[..., AppTest]


@pytest.fixture
def shown(finished: Run, visit: Visit) -> Shown:
    """A tab of the page, in a lab with one run."""

    def show(tab: str, **query: str) -> AppTest:
        app = visit(PAGE, words=tab, **query)
        assert not app.exception and not app.error, words(app)
        return app

    return show


def plainly(app: AppTest) -> str:
    """What stands on the page, without the escapes that keep it text."""
    return words(app).replace("\\", "")


def test_sentences_are_compared_before_and_after_fine_tuning(shown: Shown) -> None:
    app = shown("Without fine-tuning")
    assert "Most similar" in words(app) and "Fine-tuning moves the cosines" in plainly(app)
    app.text_area(key="sentences-box").set_value("Only one").run()
    assert "Write at least two sentences" in words(app) and not app.exception


def test_a_word_is_compared_with_itself_and_followed_through_the_layers(shown: Shown) -> None:
    app = shown("Same word, other sentences")
    said = plainly(app)
    assert "Most similar" in said and len(app.get("plotly_chart")) == 3
    assert "“bank” in one meaning has a mean cosine of" in said and "is the clearest" in said
    app.text_area(key="word_sentences-box").set_value("A bank and a bank.\nMy bank.").run()
    said = plainly(app)
    assert "Sentence 1 has “bank” more than once" in said and "At the input “bank”" in said


def test_a_word_that_is_missing_is_said_and_nothing_is_lost(shown: Shown) -> None:
    app = shown("Same word, other sentences")
    sentences = app.text_area(key="word_sentences-box").value
    app.text_input(key="word-box").set_value("elephant").run()
    assert "Sentences 1, 2, 3 and 4 do not have the word" in plainly(app) and not app.exception
    assert app.text_area(key="word_sentences-box").value == sentences
    assert app.query_params["word"] == "elephant"


def test_a_token_has_its_vector(shown: Shown) -> None:
    app = shown("Vectors", vectors_part="One token")
    assert "Token 1, “i”: 32 numbers, beginning" in plainly(app)
    app.button_group(key="vector_token").set_value(3).run()
    assert "Token 3, “paris”" in plainly(app) and not app.exception
    app.text_input(key="vector_text-box").set_value("One").run()
    assert "Token 1, “one”" in plainly(app) and not app.exception
    app.text_input(key="vector_text-box").set_value(" ").run()
    assert "There is no text" in words(app) and not app.exception


def test_the_page_asks_the_encoder_before_fine_tuning_and_on_demand_the_one_after(
    shown: Shown,
) -> None:
    app = shown("Vectors", vectors_part="One token")
    first = plainly(app)
    app.button_group(key="words_by").set_value("after").run()
    assert plainly(app) != first and not app.exception
    assert first == plainly(
        shown("Vectors", words_by="Before fine-tuning", vectors_part="One token")
    )


def test_the_backbone_alone_has_no_after(visit: Visit) -> None:
    app = visit(PAGE, words="Vectors")
    assert not [group for group in app.button_group if group.key == "words_by"]
    assert not app.error and not app.exception


@pytest.mark.parametrize(
    ("meaning", "tab", "carried"),
    [
        (
            "One word, many sentences",
            "Same word, other sentences",
            {"word": "it", "word_layer": "layer 1"},
        ),
        ("Sentences side by side", "Without fine-tuning", {"words_pooling": "cls"}),
        ("Vector of a token", "Vectors", {"vector_text": "I sleep", "words_layer": "layer 1"}),
        ("Fill in a word", "Fill in a word", {}),
        ("", "Same word, other sentences", {}),
    ],
)
def test_an_old_link_to_the_map_opens_the_tab_that_has_it_now(
    finished: Run, visit: Visit, meaning: str, tab: str, carried: dict[str, str]
) -> None:
    old = {"word": "meaning_word", "words_pooling": "meaning_pooling"}
    old |= {"vector_text": "meaning_text", "words_layer": "meaning_layer"}
    old |= {"word_layer": "meaning_layer"}
    query = {old[name]: value.removeprefix("layer ") for name, value in carried.items()}
    query |= {"meaning": meaning} if meaning else {}
    app = visit("6_Map", finding="Meaning", model=finished.id, **query)
    assert app.title[0].value == "Words" and not app.exception and not app.error
    assert app.button_group(key="words").value == tab and not app.toast
    for name, value in carried.items():
        kept = app.session_state[name]
        assert str(kept) in value


def test_what_is_masked_is_shown_by_its_seed(visit: Visit) -> None:
    app = visit(PAGE, words="What is masked", masked_draw="3")
    assert not app.exception and not app.error, words(app)
    first = plainly(app)
    assert (
        "word pieces" in first
        and "In 10,000 draws" in first
        and "GPT predicts the next word and masks no word" in first
    )
    assert "→ [MASK]" in first or "(kept)" in first or "None of the" in first
    app.button(key="masked_again").click().run()
    assert app.query_params["masked_draw"] == "4" and plainly(app) != first
    app.number_input(key="masked_draw").set_value(3).run()
    assert plainly(app) == first
    app.text_input(key="masked_text-box").set_value(" ").run()
    assert "no word that could be masked" in words(app) and not app.exception
