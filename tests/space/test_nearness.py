"""Cosines are scikit-learn's; a word is found wherever it stands; context shows in the later layers only."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from bertsent.errors import BadInput
from bertsent.probing.learners import load
from bertsent.space.atlas import MapOptions, build_map
from bertsent.space.nearness import cosines, search, word_vectors
from tests.space.fake_learner import LetterLearner, letter_reviews

RIVER, MONEY = "He sat down on the river bank.", "The bank lent him the money."


@pytest.fixture(scope="module")
def backbone():
    return load("backbone")


def test_cosines_are_scikit_learn_s_and_zeros_are_like_nothing():
    random = np.random.default_rng(0)
    first, second = random.normal(size=(7, 5)), random.normal(size=(4, 5))
    assert np.allclose(cosines(first, second), cosine_similarity(first, second))
    assert np.allclose(np.diag(cosines(first)), 1) and np.allclose(cosines(first), cosines(first).T)
    assert not cosines(np.zeros((1, 5)), second).any()


def test_the_same_word_differs_at_the_input_by_its_place_only_and_more_after_reading(backbone):
    same_place = word_vectors(backbone, ["The bank is old.", "The bank was rich."], "bank", 0)
    assert np.allclose(same_place[0], same_place[1], atol=1e-6)
    at_input, at_end = (cosines(word_vectors(backbone, [RIVER, MONEY], "bank", layer))[0, 1] for layer in (0, -1))
    assert at_end < at_input < 1
    rivers = cosines(word_vectors(backbone, [RIVER, "The bank of the river was muddy.", MONEY, "She opened a bank account."], "bank"))
    assert rivers[0, 1] > rivers[0, 2] and rivers[2, 3] > rivers[0, 3]


def test_a_word_of_several_pieces_is_the_mean_of_them(backbone):
    import torch

    text = "What an unwatchable film"
    ids = torch.tensor([backbone.tokens(text).ids])
    with torch.inference_mode():
        states = (
            backbone.model.bert(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True).hidden_states[3][0].numpy()
        )
    inside = [i for i, word in enumerate(backbone.tokens(text).words) if word == 2]
    assert len(inside) > 1
    assert np.allclose(word_vectors(backbone, [text], "UNWATCHABLE", 3)[0], states[inside].mean(axis=0), atol=1e-6)


@pytest.mark.parametrize(("word", "sentence", "layer"), [("", "a bank", -1), ("bank", "the banker", -1), ("bank", "a bank", 99)])
def test_what_cannot_be_is_told(backbone, word, sentence, layer):
    with pytest.raises(BadInput):
        word_vectors(backbone, [sentence], word, layer)


def test_a_review_that_is_looked_for_by_its_own_words_comes_first(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(40)
    learner.embed = lambda texts, **options: learner.embed_and_answer(texts, **options)[0]
    atlas = build_map(learner, reviews, MapOptions(), cache=tmp_path)
    found = search(learner, atlas, reviews.texts[17], n=5)
    assert found["cosine"][0] == pytest.approx(1) and found["text"][0] == reviews.texts[17]
    alike = cosine_similarity(learner.embed([reviews.texts[17]], pooling="cls", layer=-1), atlas.embeddings.vectors)[0]
    assert found["cosine"].tolist() == pytest.approx(np.sort(alike)[::-1][:5].tolist())
