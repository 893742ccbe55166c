"""The tab “Vectors”: every part answers at once, what cannot be used is said, and nothing that was
typed is lost.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.probing.loaded_model import load
from bertsent.space.word_vectors import input_vectors, neighbours_of
from bertsent.ui.words.vectors import PARTS
from tests.conftest import wait_until
from tests.ui.attention.page import charts
from tests.ui.conftest import words

PAGE = "5_Words"
Visit = Callable[..., AppTest]
Shown = Callable[..., AppTest]


@pytest.fixture
def shown(visit: Visit) -> Shown:
    """A part of the tab, in a lab without runs: the backbone that ships is asked."""

    def show(part: str, **query: str) -> AppTest:
        app = visit(PAGE, words="Vectors", vectors_part=part, **query)
        assert not app.exception and not app.error, words(app)
        return app

    return show


def plainly(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_the_map_finds_a_word_and_its_neighbours(shown: Shown) -> None:
    app = shown("Map", vectors_count="1,000 words")

    def there() -> bool:
        app.run()
        return len(app.get("plotly_chart")) == 1

    wait_until(there, seconds=120)
    vectors = input_vectors(load("backbone"))
    (near,) = [table.value for table in app.dataframe]
    assert near["word"].tolist() == neighbours_of(vectors, "film")["word"].tolist()
    everything, *named = charts(app)[0]["data"]
    assert everything["text"][:3] == ["a", "i", "the"]
    asked = next(trace for trace in named if trace["name"] == "asked for")
    assert asked["text"] == ["film"]
    assert "among its 10 nearest dots" in plainly(app)
    app.text_input(key="vectors_word-box").set_value("boring").run()
    assert "“boring” is rarer and not among them" in plainly(app) and not app.exception
    app.text_input(key="vectors_word-box").set_value("Unbelievableness").run()
    assert "It is read in pieces" in plainly(app) and not app.exception
    assert len(app.get("plotly_chart")) == 1
    assert app.text_input(key="vectors_word-box").value == "Unbelievableness"


def test_a_sum_is_worked_out_with_its_question_left_in(shown: Shown) -> None:
    app = shown("Arithmetic")
    vectors = input_vectors(load("backbone"))
    king, man, woman = (vectors.direction(word) for word in ("king", "man", "woman"))
    whole = np.flatnonzero(vectors.whole)
    cosines = vectors.cosines(king - man + woman)[whole]
    expected = [vectors.words[whole[i]] for i in np.argsort(-cosines, kind="stable")[:10]]
    assert app.dataframe[0].value["word"].tolist() == expected
    assert app.dataframe[0].value[" "].iloc[0] == "in the question"
    said = plainly(app)
    assert "a word of the question itself" in said and "“queen” is number 2 of" in said
    assert "Of 30 analogies" in said
    for typed, refusal in (
        (" ", "nothing to work out"),
        ("king - kingg", "none of the 30,522 entries"),
        ("king man", "where one word belongs"),
        ("king - king", "cancel out"),
    ):
        app.text_input(key="vectors_sum-box").set_value(typed).run()
        assert refusal in plainly(app) and not app.exception
        assert app.text_input(key="vectors_sum-box").value == typed
    app.text_input(key="vectors_sum-box").set_value("films − film + movie = movies").run()
    assert "“movies” is number" in plainly(app)


def test_opposites_are_near_each_other(shown: Shown) -> None:
    app = shown("Opposites")
    said = plainly(app)
    assert "“exciting”, its opposite, is number 4 of" in said and "differ in one word" in said
    assert "24 pairs of opposites have a mean cosine of" in said
    app.text_input(key="vectors_second-box").set_value("boring").run()
    assert "the same word" in plainly(app) and not app.exception
    app.text_input(key="vectors_second-box").set_value("bank").run()
    assert "“bank”, its opposite" in plainly(app) and "differ in one word" not in plainly(app)


def test_one_hot_vectors_stand_beside_dense_ones(shown: Shown) -> None:
    app = shown("One-hot or dense")
    assert "79 times fewer" in plainly(app) and len(app.get("plotly_chart")) == 2
    assert app.dataframe[0].value["numbers of all words"].iloc[0] == 30_522**2
    app.text_input(key="vectors_other-box").set_value("🎬").run()
    assert "none of the 30,522 entries" in plainly(app) and not app.exception
    app.text_input(key="vectors_other-box").set_value("film").run()
    assert len(app.get("plotly_chart")) == 2 and not app.exception


def test_a_link_from_before_there_were_parts_opens_the_token(visit: Visit) -> None:
    app = visit(PAGE, words="Vectors", vector_text="I sleep")
    assert app.button_group(key="vectors_part").value == "One token"
    assert "Token 1, “i”" in plainly(app) and not app.exception


@pytest.mark.parametrize("part", PARTS)
def test_a_small_vocabulary_lacks_words_and_says_so(
    part: str, finished: object, visit: Visit
) -> None:
    app = visit(PAGE, words="Vectors", vectors_part=part)
    assert not app.exception and not app.error, words(app)
