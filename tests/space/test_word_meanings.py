"""A word in several meanings: every mean over pairs by hand, the sentence whichever way the numbers
fall, the usual layer by a measurement that is made again here.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.space.similarity import (
    similarity_by_layer,
    similarity_by_layer_sentence,
    word_vectors,
)
from bertsent.space.word_meanings import (
    PRESETS,
    check_word,
    clearest_layer,
    meanings_by_layer,
    meanings_sentence,
    read_sentences,
    repeated_sentence,
)

COLUMNS = ["layer", "same", "different", "least", "most", "others"]


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return load("backbone")


def by_hand(model: LoadedModel, word: str, layer: int) -> tuple[list[float], list[float]]:
    """The cosines of two of each meaning and of different ones; the presets have two of each."""
    lines = [line for line in PRESETS[word].split("\n") if line]
    cosines = cosine_similarity(word_vectors(model, lines, word, layer))
    one = [float(cosines[0, 1]), float(cosines[2, 3])]
    return one, [float(cosines[i, j]) for i in (0, 1) for j in (2, 3)]


@pytest.mark.parametrize("word", list(PRESETS))
def test_every_pair_is_counted_once_on_its_side(model: LoadedModel, word: str) -> None:
    table = meanings_by_layer(model, read_sentences(PRESETS[word]), word)
    assert list(table.columns) == COLUMNS and len(table) == model.layers + 1
    for layer in (0, 3, model.layers):
        one, other = by_hand(model, word, layer)
        expected = [np.mean(one), np.mean(other), min(one), max(other)]
        assert table.iloc[layer][COLUMNS[1:5]].tolist() == pytest.approx(expected, abs=1e-5)
    lines = [line for line in PRESETS[word].split("\n") if line]
    assert table["others"].tolist() == similarity_by_layer(model, lines, word)["others"].tolist()


def test_the_usual_layer_is_the_one_that_tells_most_presets_apart(model: LoadedModel) -> None:
    margins = np.array(
        [
            [
                min(one) - max(other)
                for one, other in (by_hand(model, word, n) for n in range(model.layers + 1))
            ]
            for word in PRESETS
        ]
    )
    clear = (margins > 1e-6).sum(axis=0)
    found = clearest_layer(model)
    assert clear[found.layer] == clear.max() == found.clear == len(PRESETS)
    assert found.margin == pytest.approx(margins[:, found.layer].mean(), abs=1e-5)
    assert f"layer {found.layer}" in found.sentence() and "3 of 3" in found.sentence()
    for word in PRESETS:
        table = meanings_by_layer(model, read_sentences(PRESETS[word]), word)
        assert "tells the meanings apart" in meanings_sentence(table, word, found.layer)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((0.9, 0.5, 0.8, 0.6, 0.3), "tells the meanings apart"),
        ((0.9, 0.5, 0.6, 0.7, 0.3), "the pairs overlap, from 0.60 of one meaning to 0.70"),
        ((0.5, 0.5, 0.5, 0.5, 0.3), "does not tell them apart"),
        ((0.4, 0.6, 0.3, 0.7, 0.3), "does not tell them apart"),
        ((np.nan, 0.6, np.nan, 0.7, 0.3), "Without a second sentence of one meaning"),
        ((0.6, np.nan, 0.5, np.nan, 0.3), "the difference comes from context"),
    ],
)
def test_the_sentence_follows_the_numbers(row: tuple[float, ...], said: str) -> None:
    first = (0, 0.97, 0.97, 0.95, 0.98, 0.1)
    table = pd.DataFrame([first, (1, *row)], columns=COLUMNS)
    assert said in meanings_sentence(table, "bank", 1)


def test_without_an_effect_of_context_none_is_claimed() -> None:
    table = pd.DataFrame([(0, 0.97, 0.1), (1, 0.96, np.nan)], columns=["layer", "same", "others"])
    assert "context hardly changes it" in similarity_by_layer_sentence(table, "it", 1)
    assert "nan" not in similarity_by_layer_sentence(table, "it", 1)
    assert "only by where it stands" in similarity_by_layer_sentence(table, "it", 0)


def test_an_empty_line_begins_another_meaning() -> None:
    found = read_sentences("\n\na bank\nthe bank \n\n\n\nmy bank\n\n")
    assert found.texts == ("a bank", "the bank", "my bank") and found.groups == (0, 0, 1)
    assert read_sentences("\n".join(["x"] * 40)).groups == (0,) * 12
    with pytest.raises(BadInput, match="at least two"):
        read_sentences("one\n\n")


def test_which_sentences_lack_the_word_or_have_it_twice_is_told() -> None:
    texts = ["The bank.", "A banker.", "Bank on the BANK.", "Nothing"]
    with pytest.raises(BadInput, match="Sentences 2 and 4 do not have the word “bank”"):
        check_word(texts, " bank ")
    with pytest.raises(BadInput, match="Sentence 2 .“A banker.”. does not have"):
        check_word(texts[:3], "bank")
    with pytest.raises(BadInput, match="no word to look at"):
        check_word(texts, "  ")
    assert repeated_sentence(texts, "bank").startswith("Sentence 3 has “bank” more than once")
    assert repeated_sentence(texts[:2], "bank") == ""
