"""One weight out of (L, H, T, T): against the array by hand, and against the model's own pass."""

import numpy as np
import pytest

from bertsent.probing.heads.attention_maps import SHARE, WEIGHT, AttentionMaps, TokenSelection
from bertsent.probing.heads.attention_matrix import (
    MEAN_OF_ALL,
    MEAN_OF_LAYER,
    STRONGEST,
    attention_matrix,
    rank_in,
    strongest_head,
    strongest_pair_sentence,
    usual_pair,
    weight_sentence,
    weights_between,
)

PUZZLE = "Great, another boring movie"


def drawn(layers: int, heads: int, size: int) -> np.ndarray:
    raw = np.random.default_rng(5).random((layers, heads, size, size)) + 0.01
    return (raw / raw.sum(-1, keepdims=True)).astype(np.float32)


def test_every_head_is_the_cell_of_the_array() -> None:
    weights = drawn(3, 4, 5)
    found = weights_between(
        AttentionMaps(
            ("[CLS]", "a", "b", "c", "[SEP]"), (True, False, False, False, True), weights
        ),
        1,
        3,
    )
    assert found[["layer", "head"]].values.tolist() == [
        [n, h] for n in (1, 2, 3) for h in (1, 2, 3, 4)
    ]
    for row in found.itertuples():
        own = weights[row.layer - 1, row.head - 1, 1]
        assert row.weight == own[3]
        assert row.rank == 1 + sorted(own, reverse=True).index(own[3])


def test_the_direction_counts() -> None:
    maps = AttentionMaps(
        ("a", "b"), (False, False), np.array([[[[0.9, 0.1], [0.6, 0.4]]]], np.float32)
    )
    assert weights_between(maps, 0, 1)["weight"].item() == pytest.approx(0.1)
    assert weights_between(maps, 1, 0)["weight"].item() == pytest.approx(0.6)
    with pytest.raises(IndexError):
        weights_between(maps, 0, 2)


def test_equal_weights_share_the_better_place() -> None:
    assert rank_in(np.array([[0.2, 0.4, 0.2, 0.2], [0.25] * 4]), 3).tolist() == [2, 1]


def test_a_lone_token() -> None:
    lone = AttentionMaps(("great",), (False,), np.ones((1, 1, 1, 1), np.float32))
    assert weights_between(lone, 0, 0)[["weight", "rank"]].values.tolist() == [[1, 1]]


@pytest.mark.parametrize("text", [PUZZLE, "great", "🎬", "", "word " * 1000])
def test_the_models_own_weights(tiny, text) -> None:
    learner = tiny()
    maps = learner.attend(text)
    last = len(maps.tokens) - 1
    source, target = usual_pair(maps.tokens, maps.special, maps.head_mean())
    for first, second in ((0, last), (last, 0), (source, target)):
        found = weights_between(maps, first, second)
        np.testing.assert_array_equal(
            found["weight"].to_numpy().reshape(2, 2), maps.weights[:, :, first, second]
        )
        assert found["rank"].between(1, last + 1).all()
    whole = sum(weights_between(maps, source, place)["weight"] for place in range(last + 1))
    np.testing.assert_allclose(whole, 1, atol=1e-5)


def test_the_puzzle_begins_with_great_and_boring() -> None:
    tokens = ("[CLS]", "great", ",", "another", "boring", "movie", "[SEP]")
    special = (True, *[False] * 5, True)
    even = np.full((7, 7), 1 / 7)
    assert usual_pair(tokens, special, even) == (1, 4)
    assert usual_pair(("Great", "boring"), (False, False), np.eye(2)) == (0, 1)
    assert usual_pair(tokens[2:], special[2:], even[2:, 2:]) == (
        1,
        2,
    )  # without "great": another, boring


def test_else_it_begins_with_the_two_words_most_tied() -> None:
    mean = np.array([[0.1, 0.9, 0, 0], [0, 0.8, 0.1, 0.1], [0, 0.15, 0.85, 0], [0.4, 0.3, 0.3, 0]])
    special = (True, False, False, True)
    assert usual_pair(("[CLS]", "fine", "film", "[SEP]"), special, mean) == (
        2,
        1,
    )  # markers and a word itself do not count
    assert usual_pair(("[CLS]", "film", "[SEP]"), (True, False, True), mean[:3, :3]) == (1, 1)
    assert usual_pair(("[CLS]", "[SEP]"), (True, True), mean[:2, :2]) == (0, 0)


def test_the_built_in_model_has_the_weight_of_the_puzzle(builtin) -> None:
    maps = builtin.attend(PUZZLE)
    source, target = usual_pair(maps.tokens, maps.special, maps.head_mean())
    assert (maps.tokens[source], maps.tokens[target]) == ("great", "boring")
    assert len(weights_between(maps, source, target)) == 72


def matrix(weights: np.ndarray, tokens: tuple[str, ...], special: tuple[bool, ...]):
    return attention_matrix(AttentionMaps(tokens, special, weights[None, None]), 0, "1")


def test_the_sentence_names_the_strongest_pair_of_words() -> None:
    weights = np.full((4, 4), 0.1)
    weights[1, 2], weights[1, 3], weights[2, 2] = 0.61, 0.09, 0.7
    shown = matrix(weights, ("[CLS]", "great", "boring", "[SEP]"), (True, False, False, True))
    assert strongest_pair_sentence(shown) == "Head 1·1 sends 61 % of “great” to “boring”."


def test_the_sentence_says_when_the_markers_take_most() -> None:
    weights = np.array(
        [[0.2, 0.1, 0.1, 0.6], [0.1, 0.1, 0.2, 0.6], [0.1, 0.1, 0.1, 0.7], [0.25] * 4]
    )
    shown = matrix(weights, ("[CLS]", "a", "b", "[SEP]"), (True, False, False, True))
    said = strongest_pair_sentence(shown)
    assert "sends 20 % of “a” to “b”" in said and "75 %" in said
    lone = matrix(np.eye(3), ("[CLS]", "a", "[SEP]"), (True, False, True))
    assert "no two words" in strongest_pair_sentence(lone)


def test_a_renormalised_share_is_not_called_the_weight() -> None:
    """With [CLS] and [SEP] hidden the caption gave the share among the words, 67 % here, as what
    the head sends; the model's weight is 20 %.
    """
    weights = np.array(
        [[0.25] * 4, [0.3, 0.1, 0.2, 0.4], [0.3, 0.1, 0.1, 0.5], [0.25] * 4], np.float32
    )
    special = (True, False, False, True)
    whole = AttentionMaps(("[CLS]", "great", "boring", "[SEP]"), special, weights[None, None])
    hidden = whole.select(TokenSelection(hidden=True))
    assert (whole.quantity, hidden.quantity) == (WEIGHT, SHARE)
    given, kept = (attention_matrix(maps, 0, "1") for maps in (whole, hidden))
    assert kept.weights[0, 1] == pytest.approx(2 / 3) and given.weights[1, 2] == pytest.approx(0.2)
    for sentence in (strongest_pair_sentence(kept), weight_sentence(kept, 0, 1)):
        assert "to the tokens shown" in sentence
    for sentence in (strongest_pair_sentence(given), weight_sentence(given, 1, 2)):
        assert "to the tokens shown" not in sentence


def test_the_head_that_was_asked_for_is_the_one_that_is_shown() -> None:
    weights = np.full((2, 3, 4, 4), 0.25, dtype=np.float32)
    weights[1, 2, 1] = [0.0, 0.0, 0.9, 0.1]
    weights[1, 0, 0] = [0.0, 0.0, 0.0, 1.0]  # what [CLS] does is no link between words
    maps = AttentionMaps(("[CLS]", "a", "b", "[SEP]"), (True, False, False, True), weights)
    assert strongest_head(maps, 1) == 2
    view = attention_matrix(maps, 1, STRONGEST)
    assert (view.name, view.place) == ("Head 2·3", (1, 2))
    np.testing.assert_array_equal(view.weights, weights[1, 2])
    np.testing.assert_array_equal(attention_matrix(maps, 1, "1").weights, weights[1, 0])
    assert attention_matrix(maps, 0, MEAN_OF_ALL).layer is None
    mean = attention_matrix(maps, 1, MEAN_OF_LAYER)
    assert mean.place is None and mean.layer == 1
    np.testing.assert_allclose(mean.weights, weights[1].mean(0), atol=1e-7)
