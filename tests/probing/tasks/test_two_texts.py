"""Measures of two texts against counting by hand, NumPy and both orders asked alone."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import load, load_head
from bertsent.probing.tasks.two_texts import (
    COSINE,
    JACCARD,
    PARAPHRASE,
    SIMILARITY,
    compare_texts,
    jaccard_index,
    token_set,
)

FIRST, SECOND = "The cat drinks milk.", "Milk the kitten drinks!"


@pytest.fixture(scope="module")
def models(heads_folder):
    return {
        "similarity": load_head(heads_folder, "similarity"),
        "paraphrase": load_head(heads_folder, "paraphrase"),
        "backbone": load("backbone"),
    }


@pytest.fixture(scope="module")
def pair(models):
    return compare_texts(FIRST, SECOND, **models)


def test_jaccard_is_counted_by_hand(pair, models) -> None:
    """the cat drinks milk . / milk the kitten drinks ! : three of seven."""
    assert pair.common == {"the", "drinks", "milk"}
    assert pair.measure(JACCARD).share == pytest.approx(3 / 7)
    assert pair.measure(JACCARD).shown == "3 of 7"
    assert jaccard_index(set(), set()) == 0
    assert token_set(models["backbone"], "the the The") == {"the"}


def test_the_cosine_is_that_of_scikit_learn(pair, models) -> None:
    vectors = models["backbone"].embed([FIRST, SECOND], pooling="mean")
    expected = cosine_similarity(vectors)[0, 1]
    assert pair.measure(COSINE).share == pytest.approx(expected, abs=1e-5)


def test_both_orders_are_asked(pair, models) -> None:
    for name, key, scale in ((SIMILARITY, "similarity", 5), (PARAPHRASE, "paraphrase", 1)):
        answers = [
            np.ravel(models[key].answers([order]))[-1] / scale
            for order in ((FIRST, SECOND), (SECOND, FIRST))
        ]
        found = pair.measure(name)
        assert (found.share, found.swapped) == pytest.approx(answers, abs=1e-5)
    assert all(measure.moves == 0 for measure in pair.measures if measure.symmetric)


def test_what_both_texts_have_is_marked_where_it_stands(pair) -> None:
    assert "".join(part for part, _ in pair.first) == FIRST
    assert [part for part, shared in pair.second if shared] == ["Milk", "the", "drinks"]


def test_one_model_alone_and_an_empty_text(models) -> None:
    alone = compare_texts(
        FIRST, FIRST, similarity=None, paraphrase=None, backbone=models["backbone"]
    )
    assert alone.measure(SIMILARITY) is None and alone.measure(JACCARD).share == 1
    assert alone.measure(COSINE).share == pytest.approx(1)
    assert not alone.swap_sentence() and not alone.overlap_sentence()
    with pytest.raises(BadInput, match="second"):
        compare_texts(FIRST, "", **models)
