"""Σ wx + b is scikit-learn's own score, word by word; words are counted as row 001-05 counts them;
their order is not seen.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer

from bertsent.data.examples import Example, Reviews
from bertsent.data.sources import contrastive_reviews, load_reviews
from bertsent.data.splits import imdb_recipe, review_groups, split
from bertsent.errors import BadInput
from bertsent.probing.baselines import bag_of_words
from bertsent.probing.baselines.pipelines import (
    BAGS_OF_WORDS,
    BOW_SVM,
    TFIDF_LR,
    baseline_pipeline,
    fit_baseline,
    grouped_folds,
)
from bertsent.settings import PROJECT

IMDB = PROJECT.parent / "shared" / "data" / "imdb_train.parquet"
TYPED = [
    "Great, another boring movie",
    "a great, great film",
    "boring film with boring people",
    "😀😀",
    "x",
    "word " * 1_000,
    "",
]


@pytest.mark.parametrize("name", BAGS_OF_WORDS)
def test_the_score_is_scikit_learns_and_is_the_sum_of_its_words(name, paired_reviews):
    pipeline, model = (
        baseline_pipeline(name).fit(paired_reviews.texts, paired_reviews.labels),
        bag_of_words.fit_bag_of_words(name, paired_reviews),
    )
    scores = pipeline.decision_function(TYPED)
    assert np.allclose(model.scores(TYPED), scores, atol=1e-10)
    for text, score in zip(TYPED, scores, strict=True):
        found = model.word_weights(text)
        assert found.score == pytest.approx(score, abs=1e-10)
        assert (found.rows["x"] * found.rows["weight"]).sum() + found.bias == pytest.approx(
            score, abs=1e-10
        )
        assert found.p_positive == pytest.approx(float(model.p_positive([text])[0]), abs=1e-12)


def test_logistic_regression_needs_no_other_probabilities(paired_reviews):
    pipeline, model = (
        baseline_pipeline(TFIDF_LR).fit(paired_reviews.texts, paired_reviews.labels),
        bag_of_words.fit_bag_of_words(TFIDF_LR, paired_reviews),
    )
    assert np.allclose(model.p_positive(TYPED), pipeline.predict_proba(TYPED)[:, 1], atol=1e-12)


def test_the_count_vector_of_the_puzzle():
    counted = bag_of_words.count_words("Great, another boring movie")
    assert counted == {"great": 1, "another": 1, "boring": 1, "movie": 1}
    vectorizer = CountVectorizer().fit(["Great, another boring movie"])
    row = vectorizer.transform(["Great, another boring movie"]).toarray()[0]
    assert dict(zip(vectorizer.get_feature_names_out(), row, strict=True)) == counted


def test_the_svm_is_shown_counts_themselves(paired_reviews):
    found = bag_of_words.fit_bag_of_words(BOW_SVM, paired_reviews).word_weights(
        "great great film, zebra"
    )
    assert dict(zip(found.rows["word"], found.rows["x"], strict=True)) == {"great": 2, "film": 1}
    assert list(found.rows["count"]) == list(found.rows["x"])
    assert found.unknown == ("zebra",)


@pytest.mark.parametrize("name", BAGS_OF_WORDS)
def test_probabilities_rise_with_the_score(name, paired_reviews):
    model = bag_of_words.fit_bag_of_words(name, paired_reviews)
    scores, p = (
        model.scores(paired_reviews.texts + TYPED),
        model.p_positive(paired_reviews.texts + TYPED),
    )
    assert (np.diff(p[np.argsort(scores)]) >= 0).all() and p.max() > 0.5 > p.min()
    assert ((p >= 0) & (p <= 1)).all()


def test_counting_is_blind_to_order(paired_reviews):
    model, words = (
        bag_of_words.fit_bag_of_words(BOW_SVM, paired_reviews),
        "great film boring people warm".split(),
    )
    first = model.p_positive([" ".join(words)])[0]
    for seed in range(5):
        mixed = " ".join(np.random.default_rng(seed).permutation(words))
        assert model.p_positive([mixed])[0] == pytest.approx(first, abs=1e-15)


def test_tf_idf_of_single_words_is_blind_to_order_too(paired_reviews):
    """Its word pairs are not; where no pair was learned, only the words are left."""
    model = bag_of_words.fit_bag_of_words(TFIDF_LR, paired_reviews)
    assert model.p_positive(["people great"])[0] == pytest.approx(
        model.p_positive(["great people"])[0], abs=0.2
    )
    assert model.p_positive(["number people"])[0] == pytest.approx(
        model.p_positive(["people number"])[0], abs=1e-15
    )


def test_probabilities_are_scikit_learns_calibration(paired_reviews):
    model = bag_of_words.fit_bag_of_words(BOW_SVM, paired_reviews)
    folds = grouped_folds(paired_reviews.labels, review_groups(paired_reviews))
    theirs = CalibratedClassifierCV(
        baseline_pipeline(BOW_SVM), method="sigmoid", cv=folds, ensemble=False
    )
    theirs.fit(paired_reviews.texts, paired_reviews.labels)
    assert np.allclose(model.p_positive(TYPED), theirs.predict_proba(TYPED)[:, 1], atol=1e-9)


def test_scores_that_tell_nothing_give_the_share_of_positives():
    """Labels that no word explains: unseen scores point the wrong way or nowhere."""
    rng = np.random.default_rng(0)
    labels = (rng.random(120) < 0.75).astype(int)
    words = rng.integers(0, 4, (120, 3))
    reviews = Reviews(
        "noise",
        tuple(
            Example(str(i), " ".join(f"word{w}" for w in row) + f" n{i}", int(label))
            for i, (row, label) in enumerate(zip(words, labels, strict=True))
        ),
    )
    _, slope, offset = fit_baseline(BOW_SVM, reviews.texts, reviews)
    assert slope >= 0
    if slope == 0:
        assert 1 / (1 + np.exp(-offset)) == pytest.approx(labels.mean(), abs=0.02)


def test_few_reviews_and_reviews_without_words():
    few = Reviews(
        "few",
        tuple(
            Example(str(i), ("good film", "bad film")[i % 2], 1 - i % 2, pair="one")
            for i in range(10)
        ),
    )
    assert bag_of_words.fit_bag_of_words(BOW_SVM, few).p_positive(["good"])[0] > 0.5
    with pytest.raises(BadInput, match="cannot learn"):
        bag_of_words.fit_bag_of_words(
            BOW_SVM, Reviews("e", tuple(Example(str(i), "😀", i % 2) for i in range(10)))
        )


def test_the_heaviest_words(paired_reviews):
    heavy = bag_of_words.fit_bag_of_words(BOW_SVM, paired_reviews).heaviest(5)
    assert set(heavy["word"].head(5)) == {"great", "lovely", "warm", "funny", "brave"}
    assert heavy["weight"].is_monotonic_decreasing


@pytest.mark.parametrize("name", BAGS_OF_WORDS)
def test_where_a_weight_comes_from(name, paired_reviews):
    model = bag_of_words.fit_bag_of_words(name, paired_reviews)
    assert model.occurrences("great", paired_reviews) == (6, 6) and model.occurrences(
        "boring", paired_reviews
    ) == (6, 0)
    assert model.occurrences("film", paired_reviews) == (60, 30)


def test_the_puzzle_on_the_built_in_reviews():
    """Row 001-02: counting words takes the sentence for praise."""
    reviews = load_reviews("builtin")
    model = bag_of_words.fit_bag_of_words(
        BOW_SVM, reviews.where([e.split == "train" for e in reviews])
    )
    assert model.p_positive(["Great, another boring movie"])[0] > 0.5


@pytest.mark.slow
@pytest.mark.skipif(not IMDB.is_file(), reason="the IMDb table is not here")
def test_on_the_published_recipe_counting_words_gets_about_four_out_of_five():
    """Row 001-02, with the 5,008 reviews of the paper."""
    parts = split(imdb_recipe(pd.read_parquet(IMDB), contrastive_reviews()))
    model = bag_of_words.fit_bag_of_words(BOW_SVM, parts.train)
    accuracy = (
        (model.p_positive(parts.validation.texts) > 0.5) == np.array(parts.validation.labels)
    ).mean()
    assert 0.75 <= accuracy <= 0.90
