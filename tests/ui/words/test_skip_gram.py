"""The tab “Skip-gram”: the pairs of the course, its shapes, and a training that is watched
from its first step to its neighbours.
"""

from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import wait_until
from tests.ui.conftest import words

PAGE, TAB = "5_Words", "Skip-gram"
Visit = Callable[..., AppTest]
Shown = Callable[..., AppTest]


@pytest.fixture
def shown(visit: Visit) -> Shown:
    def show(part: str, **query: str) -> AppTest:
        app = visit(PAGE, words=TAB, skip_part=part, **query)
        assert not app.exception and not app.error, words(app)
        return app

    return show


def plainly(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_the_pairs_are_those_of_the_course(shown: Shown) -> None:
    app = shown("Training pairs")
    assert "(dog,the), (dog,friendly), (dog,plays), (dog,in)" in plainly(app)
    (table,) = [each.value for each in app.dataframe]
    dog = table[table["word, given"] == "dog"]["word, to be predicted"].tolist()
    assert dog == ["the", "friendly", "plays", "in"] and len(table) == 22
    app.text_input(key="skip_gram_pairs_window-box").set_value("1").run()
    assert len(app.dataframe[0].value) == 12 and not app.exception
    app.text_input(key="skip_gram_pairs_sentence-box").set_value("Alone").run()
    assert "A pair needs two words" in plainly(app) and not app.exception


def test_the_shapes_stand_beside_those_of_the_texts(shown: Shown) -> None:
    app = shown("Matrix shapes")
    said = plainly(app)
    assert "[1×10000]" in said and "[10000×64]" in said and "sums to 1.0000" in said
    assert "Built-in reviews: 2,128 words have a vector" in said
    assert "[1×2128] · [2128×64] = [1×64]" in said


def test_an_own_text_is_learned_from_while_one_watches(shown: Shown) -> None:
    app = shown("Live training", skip_texts="My own text")
    assert "no word in this text" in plainly(app)
    app.text_area(key="skip_text").set_value("dog dog dog").run()
    assert "Only 1 word occurs 2 times" in plainly(app) and not app.exception
    app.text_area(key="skip_text").set_value("word " * 20_001).run()
    assert "has 20,001 words; here at most 20,000" in plainly(app) and not app.exception
    assert len(app.text_area(key="skip_text").value) == 5 * 20_001
    random = np.random.default_rng(0)
    names = ["whale", "captain", "harpoon", "ocean", "ship", "sailor", "storm", "island"]
    text = "\n".join(" ".join(random.choice(names, 8)) for _ in range(40))
    app.text_area(key="skip_text").set_value(text).run()
    assert "320 words in 40 texts, 8 different ones" in plainly(app)
    app.button(key="skip_train").click().run()

    def learned() -> bool:
        app.run()
        assert not app.exception and not app.error, words(app)
        return "The loss went from" in plainly(app)

    wait_until(learned, seconds=120)
    assert len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart")) == 2
    (look_back,) = app.slider
    assert look_back.value == look_back.max
    look_back.set_value(0).run()
    assert "At the start." in plainly(app) and not app.exception
    app.text_input(key="skip_word-box").set_value("whale").run()
    assert "Of the 7 nearest to “whale” the two share" in plainly(app) and not app.exception
    app.text_input(key="skip_word-box").set_value("qqq").run()
    assert "“qqq” has no vector in word2vec and the encoder" in plainly(app) and not app.exception


def test_built_in_reviews_wait_for_the_button(shown: Shown) -> None:
    app = shown("Live training")
    assert "2,128 different ones that come at least 5 times" in plainly(app)
    assert app.button(key="skip_train").label == "Train"
