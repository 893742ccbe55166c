"""Cosines are scikit-learn's; a word is found wherever it stands; context shows in the later layers
only.
"""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics.pairwise import cosine_similarity

from bertsent.errors import BadInput
from bertsent.figures.similarity import layers_figure, similarity_figure, vector_figure
from bertsent.probing.loaded_model import load
from bertsent.space.projection_map import MapOptions, build_map
from bertsent.space.similarity import (
    cosine_similarities,
    search,
    search_sentence,
    similarity_by_layer,
    token_vectors,
    tuning_sentence,
    word_vectors,
)
from tests.space.fake_learner import LetterLearner, letter_reviews

RIVER, MONEY = "He sat down on the river bank.", "The bank lent him the money."


@pytest.fixture(scope="module")
def backbone():
    return load("backbone")


def test_cosines_are_scikit_learn_s_and_zeros_are_like_nothing():
    random = np.random.default_rng(0)
    first, second = random.normal(size=(7, 5)), random.normal(size=(4, 5))
    assert np.allclose(cosine_similarities(first, second), cosine_similarity(first, second))
    assert np.allclose(np.diag(cosine_similarities(first)), 1) and np.allclose(
        cosine_similarities(first), cosine_similarities(first).T
    )
    assert not cosine_similarities(np.zeros((1, 5)), second).any()


def test_the_same_word_differs_at_the_input_by_its_place_only_and_more_after_reading(backbone):
    same_place = word_vectors(backbone, ["The bank is old.", "The bank was rich."], "bank", 0)
    assert np.allclose(same_place[0], same_place[1], atol=1e-6)
    at_input, at_end = (
        cosine_similarities(word_vectors(backbone, [RIVER, MONEY], "bank", layer))[0, 1]
        for layer in (0, -1)
    )
    assert at_end < at_input < 1
    rivers = cosine_similarities(
        word_vectors(
            backbone,
            [RIVER, "The bank of the river was muddy.", MONEY, "She opened a bank account."],
            "bank",
        )
    )
    assert rivers[0, 1] > rivers[0, 2] and rivers[2, 3] > rivers[0, 3]


def test_a_word_of_several_pieces_is_the_mean_of_them(backbone):
    text = "What an unwatchable film"
    ids = torch.tensor([backbone.tokens(text).ids])
    with torch.inference_mode():
        states = (
            backbone.model.bert(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            )
            .hidden_states[3][0]
            .numpy()
        )
    inside = [i for i, word in enumerate(backbone.tokens(text).words) if word == 2]
    assert len(inside) > 1
    assert np.allclose(
        word_vectors(backbone, [text], "UNWATCHABLE", 3)[0], states[inside].mean(axis=0), atol=1e-6
    )


@pytest.mark.parametrize(
    ("word", "sentence", "layer"),
    [("", "a bank", -1), ("bank", "the banker", -1), ("bank", "a bank", 99)],
)
def test_what_cannot_be_is_told(backbone, word, sentence, layer):
    with pytest.raises(BadInput):
        word_vectors(backbone, [sentence], word, layer)


def test_a_review_that_is_looked_for_by_its_own_words_comes_first(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(40)
    learner.embed = lambda texts, **options: learner.embed_and_answer(texts, **options)[0]
    atlas = build_map(learner, reviews, MapOptions(), cache=tmp_path)
    found = search(
        learner, atlas.embeddings.vectors, atlas.points, reviews.texts[17], pooling="cls", n=5
    )
    assert found["cosine"][0] == pytest.approx(1) and found["text"][0] == reviews.texts[17]
    alike = cosine_similarity(
        learner.embed([reviews.texts[17]], pooling="cls", layer=-1), atlas.embeddings.vectors
    )[0]
    assert found["cosine"].tolist() == pytest.approx(np.sort(alike)[::-1][:5].tolist())


def test_the_heatmap_shows_numpy_s_cosines():
    vectors = np.random.default_rng(1).normal(size=(4, 6))
    by_hand = np.array(
        [[a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) for b in vectors] for a in vectors]
    )
    assert np.allclose(
        similarity_figure(cosine_similarities(vectors), ["a", "<b>", "c", "d"]).data[0].z,
        by_hand,
        atol=1e-4,
    )


def test_the_input_vector_of_a_token_is_word_plus_position_plus_segment_by_hand(backbone):
    pieces, vectors = token_vectors(backbone, "I love Paris", 0)
    assert pieces == ("[CLS]", "i", "love", "paris", "[SEP]") and vectors.shape == (
        5,
        backbone.width,
    )
    own = backbone.model.bert.embeddings
    with torch.inference_mode():
        ids = torch.tensor(backbone.tokens("I love Paris").ids)
        sums = (
            own.word_embeddings(ids)
            + own.position_embeddings.weight[:5]
            + own.token_type_embeddings.weight[0]
        )
        assert np.allclose(vectors, own.LayerNorm(sums).numpy(), atol=1e-5)


def test_layer_by_layer_equals_every_pair_by_hand(backbone):
    texts = [RIVER, MONEY, "She opened a bank account."]
    table = similarity_by_layer(backbone, texts, "bank")
    assert table["layer"].tolist() == list(range(backbone.layers + 1))
    for layer in (0, 2, backbone.layers):
        alike = cosine_similarity(word_vectors(backbone, texts, "bank", layer))
        assert table["same"][layer] == pytest.approx(alike[np.triu_indices(3, 1)].mean(), abs=1e-5)
        rest = []
        for text in texts:
            pieces, vectors = token_vectors(backbone, text, layer)
            rest.append(
                vectors[
                    [i for i, piece in enumerate(pieces) if piece not in ("[CLS]", "[SEP]", "bank")]
                ]
            )
        pairs = np.concatenate(
            [cosine_similarity(rest[i], rest[j]).ravel() for i in range(3) for j in range(i)]
        )
        assert table["others"][layer] == pytest.approx(pairs.mean(), abs=1e-5)
    assert table["same"].iloc[0] > table["same"].iloc[-1] > table["others"].iloc[-1]
    assert (
        len(layers_figure(table, "<b>ank").data) == 2
        and "<b>" not in layers_figure(table, "<b>ank").data[0].name
    )


def test_one_sentence_cannot_be_compared_and_one_word_can(backbone):
    with pytest.raises(BadInput):
        similarity_by_layer(backbone, [RIVER], "bank")
    assert similarity_by_layer(backbone, ["bank", "Bank"], "bank")["others"].isna().all()


@pytest.mark.parametrize("text", ["x", "🎬", "word " * 1_000])
def test_every_text_has_tokens_with_vectors(backbone, text):
    pieces, vectors = token_vectors(backbone, text)
    assert len(pieces) == len(vectors) <= backbone.max_length and np.isfinite(vectors).all()
    assert np.allclose(vectors[0], backbone.embed([text], pooling="cls")[0], atol=1e-4)
    assert len(vector_figure(vectors[0]).data[0].y) == backbone.width


def test_what_fine_tuning_did_to_cosines_and_to_a_search_is_counted():
    before = np.array([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]])
    after = np.array([[1, 0.1, 0.8], [0.1, 1, 0.2], [0.8, 0.2, 1]])
    said = tuning_sentence(before, after)
    assert "0.20 to 0.90 before to 0.10 to 0.80 after" in said and "0 of 3 keep" in said
    assert "3 of 3 keep" in tuning_sentence(before, before)

    def rows(ids: str, labels: str) -> pd.DataFrame:
        names = {"p": "POSITIVE", "n": "NEGATIVE"}
        return pd.DataFrame({"id": list(ids), "label": [names[each] for each in labels]})

    said = search_sentence(rows("abcd", "ppnn"), rows("aexy", "nnnn"))
    assert "after it 4 are negative" in said and "verdicts count more" in said
    assert "1 of the 4 are found by both" in said
    assert "verdicts" not in search_sentence(rows("abcd", "pppp"), rows("aexy", "nnpp"))
