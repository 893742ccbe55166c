"""A whole file: every answer is the model's own, every share is scikit-learn's, and too much is
refused.
"""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from bertsent.data.examples import LABELS, Example, Reviews
from bertsent.errors import BadInput, Cancelled
from bertsent.probing.batch_answers import (
    MOST,
    answer_all,
    batch_sentence,
    check_count,
    pasted_reviews,
)
from bertsent.probing.loaded_model import load


@pytest.fixture(scope="module")
def learner():
    return load("builtin")


def test_accuracy_is_that_of_scikit_learn(learner):
    rows = [
        ("a fine film", 1, "plain"),
        ("a bad film", 0, "plain"),
        ("not a bad film", 0, "negation"),
        ("no idea", None, "negation"),
    ]
    reviews = Reviews("mine", tuple(Example(str(i), *row) for i, row in enumerate(rows)))
    found = answer_all(learner, reviews)
    known = found.table[:3]
    truth = [LABELS[label] for _, label, _ in rows[:3]]
    assert (
        found.slices["all"].accuracy == accuracy_score(truth, known["prediction"])
        and found.slices["all"].n == 3
    )
    assert found.slices["negation"].accuracy == accuracy_score(truth[2:], known["prediction"][2:])
    assert found.table["right"].isna().tolist() == [False, False, False, True]
    assert list(found.table["prediction"]) == [p.label for p in learner.predict(reviews.texts)]


def test_without_labels_there_is_no_accuracy_and_what_is_cut_is_told(learner):
    exactly, more = "good " * (learner.max_length - 2), "good " * 700
    found = answer_all(learner, pasted_reviews(f"short\n{more}"))
    assert (
        not found.slices
        and "right" not in found.table
        and list(found.table["cut"]) == [False, True]
    )
    assert list(found.table["tokens"]) == [3, learner.max_length]
    assert len(learner.tokenizer.ids([exactly], learner.max_length)[0]) == learner.max_length
    assert np.isfinite(found.table["p_positive"]).all()


def test_limits_are_told_and_it_can_be_stopped(learner):
    with pytest.raises(BadInput, match="Paste one review"):
        pasted_reviews(" \n ")
    with pytest.raises(BadInput, match="the limit here is 10,000"):
        pasted_reviews("good\n" * (MOST + 1))
    assert len(check_count(pasted_reviews("good\n" * MOST))) == MOST
    with pytest.raises(BadInput, match="100,001 characters"):
        pasted_reviews("x" * 100_001)

    def stop(_):
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        answer_all(learner, pasted_reviews("good"), progress=stop)


def test_reviews_without_a_known_word_are_undecided_and_what_is_removed_is_counted(learner):
    """Emoji got "POSITIVE 94.9 %" like any review, and markup went to the model unseen."""
    rows = [("🎬🍿", 0), ("a <br />bad film", 0), ("a fine 🎬 film", 1)]
    reviews = Reviews("mine", tuple(Example(str(i), *row) for i, row in enumerate(rows)))
    found = answer_all(learner, reviews)
    assert found.table["prediction"].tolist() == ["UNDECIDED", "NEGATIVE", "POSITIVE"]
    assert (found.table["unknown"] > 0).tolist() == [True, False, True]
    assert found.table["cleaned"].tolist() == [0, 1, 0]
    assert found.table["right"].isna().tolist() == [True, False, False]
    assert (found.slices["all"].n, found.slices["all"].majority) == (2, 0.5)
    said = batch_sentence(found, learner)
    assert "1 are undecided" in said and "removed from 1." in said and "50.0 %" in said


def test_a_batch_of_unknown_words_has_no_accuracy(learner):
    found = answer_all(learner, Reviews("mine", (Example("1", "🎬", 1),)))
    assert found.slices == {} and found.accuracies.empty
    with pytest.raises(BadInput, match="nothing but markup"):
        pasted_reviews("fine\n<br />")
