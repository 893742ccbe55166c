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
    assert len(found) == len(set(found.texts)) == 160 and sum(found.labels) == 80
    lines = pd.read_csv(ASSETS / "reviews" / "one-liners.csv")["text"]
    learned = [*load_reviews("builtin").texts, *lines]
    words = CountVectorizer(binary=True).fit(learned)
    ours, theirs = words.transform(found.texts), words.transform(learned)
    shared = (ours @ theirs.T).toarray()
    sizes = np.asarray(ours.sum(axis=1)) + np.asarray(theirs.sum(axis=1)).T
    assert (shared / (sizes - shared)).max() < 0.6  # of the words of both


def test_what_the_shipped_model_learned_from_is_counted_by_text() -> None:
    built_in = load_reviews("builtin")
    few = built_in.take(range(20))
    assert learned_from("builtin", few) == sum(e.split == "train" for e in few)
    assert learned_from("builtin", ordinary_reviews()) == 0 == learned_from("backbone", few)
    assert "learned from none" in learned_sentence("builtin", ordinary_reviews())
