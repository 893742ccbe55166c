"""A visitor brings reviews with stars and pairs of texts, and reads what they say of the claims."""

from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bertsent.ui.fine_tune import three_tasks_own_data
from bertsent.ui.shared.jobs import jobs
from tests.conftest import wait_until
from tests.ui.conftest import words


def _page() -> None:
    import streamlit as st

    from bertsent.ui.fine_tune.three_tasks_own_data import ask_own_data

    for each in ask_own_data("a-run"):
        st.markdown(each.finding)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The boxes, with models that answer by the first letter and by the words that are shared."""
    numbers: dict[str, int] = {}

    def ids(texts: list[str], limit: int) -> list[list[int]]:
        rows = ([numbers.setdefault(word, len(numbers)) for word in text.split()] for text in texts)
        return [[-1, *row, -2] for row in rows]

    def by_letter(texts: list[str], progress: object = None) -> np.ndarray:
        p = np.array([0.95 if text.startswith("good") else 0.1 for text in texts])
        return np.stack([1 - p, p], axis=1)

    def by_words(inputs: list[tuple[str, str]], progress: object = None) -> np.ndarray:
        same = [set(one.split()) == set(other.split()) for one, other in inputs]
        return np.stack([1 - np.array(same, float), np.array(same, float)], axis=1)

    tokenizer = SimpleNamespace(ids=ids)
    sentiment = SimpleNamespace(key="sentiment", probabilities=by_letter)
    paraphrase = SimpleNamespace(tokenizer=tokenizer, max_length=64, answers=by_words)
    monkeypatch.setattr(three_tasks_own_data, "shipped", lambda: True)
    monkeypatch.setattr(three_tasks_own_data, "loaded_model", lambda name: sentiment)
    monkeypatch.setattr(three_tasks_own_data, "models_of", lambda name: {"paraphrase": paraphrase})
    monkeypatch.setattr(three_tasks_own_data, "weights_of", lambda name: "weights")
    return AppTest.from_function(_page).run()


def _bring(app: AppTest, box: str, name: str, content: str) -> str:
    """Upload a file and read the page once its work is done."""
    boxes = {each.label: each for each in app.file_uploader}
    boxes[box].upload(name, content.encode())
    app.run()
    found = list(jobs()._jobs.values())
    wait_until(lambda: all(job.over for job in found), every=0.05)
    app.run()
    assert not app.exception
    return words(app).replace("\\", "")


def test_stars_of_a_visitor_are_compared_with_answers(app: AppTest) -> None:
    rows = "\n".join(f"{'good' if i % 10 > 4 else 'bad'} film {i},{i % 10 + 1}" for i in range(40))
    text = _bring(app, "Reviews with stars", "rated.csv", f"text,stars\n{rows}\n")
    assert "Over 40 reviews P(positive) follows the stars with ρ = 0.87" in text
    assert not app.error


def test_pairs_that_share_their_words_fool_what_counts_words(app: AppTest) -> None:
    rows = "\n".join(f"man bites dog {i},dog bites man {i},{i % 2}" for i in range(20))
    text = _bring(app, "Pairs with 0 or 1", "pairs.csv", f"text1,text2,label\n{rows}\n")
    assert "Three quarters and more: 100 % of 10" in text
    assert "Of 10 such pairs that are answered “same”, 10 stay so" in text
    assert not app.error


def test_a_file_without_stars_is_refused_in_a_sentence(app: AppTest) -> None:
    _bring(app, "Reviews with stars", "a.csv", "text,label\ngood,1\nbad,0\n")
    (error,) = app.error
    assert "no column for the stars" in error.value


def test_many_rows_are_drawn_and_it_is_said(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three_tasks_own_data, "MOST", 20)
    rows = "\n".join(f"{'good' if i % 2 else 'bad'} {i},{i % 2 * 8 + 1}" for i in range(60))
    text = _bring(app, "Reviews with stars", "rated.csv", f"text,stars\n{rows}\n")
    assert "20 of 60 reviews, drawn at random" in text and "Over 20 reviews" in text
    assert "no stars in between" in text
