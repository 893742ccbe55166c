"""The baselines know words and no order, which is what they are there to show."""

import pytest

from bertsent.data.sources import load_reviews
from bertsent.probing.baselines.pipelines import BAGS_OF_WORDS, BOW_SVM, baseline_pipeline

TEXTS = [
    "a fine warm film",
    "lovely acting and great fun",
    "a dull cold film",
    "awful acting and no fun",
] * 4
LABELS = [1, 1, 0, 0] * 4


@pytest.mark.parametrize("name", BAGS_OF_WORDS)
def test_a_baseline_learns_words(name):
    model = baseline_pipeline(name).fit(TEXTS, LABELS)
    assert list(model.predict(["warm and lovely", "dull and awful"])) == [1, 0]


def test_counting_words_forgets_their_order():
    model = baseline_pipeline(BOW_SVM).fit(TEXTS, LABELS)
    first, second = model.decision_function(["not dull, great fun", "not great fun, dull"])
    assert first == second


def test_sarcasm_and_negation_of_the_built_in_test_part_are_out_of_reach_for_counted_words():
    """That is the point of the set; BERT's own figures lie in the model card."""
    reviews = load_reviews("builtin")
    train = reviews.where([e.split == "train" for e in reviews])
    hard = reviews.where(
        [e.split == "test" and e.phenomenon in ("sarcasm", "negation") for e in reviews]
    )
    accuracy = (
        baseline_pipeline(BOW_SVM).fit(train.texts, train.labels).predict(hard.texts) == hard.labels
    ).mean()
    assert len(hard) >= 150
    assert accuracy < 0.65
