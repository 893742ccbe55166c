"""The reviews that the Map opens with are new to the model, and even."""

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

from bertsent.data.sources import load_reviews
from bertsent.settings import ASSETS
from bertsent.ui.map.learned_from import learned_from, learned_sentence
from bertsent.ui.map.review_sample import ordinary_reviews


def test_they_are_even_and_near_no_review_that_the_model_learned_from() -> None:
    found = ordinary_reviews()
    assert len(found) == len(set(found.texts)) == 400 and sum(found.labels) == 200
    lines = pd.read_csv(ASSETS / "reviews" / "one-liners.csv")["text"]
    assert _shared_words(found.texts, [*load_reviews("builtin").texts, *lines]).max() < 0.6


def test_none_is_written_twice() -> None:
    texts = ordinary_reviews().texts
    assert np.triu(_shared_words(texts, texts), 1).max() < 0.7


def _shared_words(ours: list[str], theirs: list[str]) -> np.ndarray:
    """Words that two reviews share, of the words of both."""
    words = CountVectorizer(binary=True).fit([*ours, *theirs])
    first, second = words.transform(ours), words.transform(theirs)
    shared = (first @ second.T).toarray()
    sizes = np.asarray(first.sum(axis=1)) + np.asarray(second.sum(axis=1)).T
    return shared / (sizes - shared)


def test_what_the_shipped_model_learned_from_is_counted_by_text() -> None:
    built_in = load_reviews("builtin")
    few = built_in.take(range(20))
    assert learned_from("builtin", few) == sum(e.split == "train" for e in few)
    assert learned_from("builtin", ordinary_reviews()) == 0 == learned_from("backbone", few)
    assert "learned from none" in learned_sentence("builtin", ordinary_reviews())
