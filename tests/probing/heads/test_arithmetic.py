"""Measures, Q·K, whole words and stretches: against hand-made numbers and against the model's own
weights.
"""

import numpy as np
import pytest
from scipy.stats import entropy

from bertsent.errors import BadInput
from bertsent.probing.attribution.units import segment_review
from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.heads.attention_maps import AttentionMaps, TokenSelection
from bertsent.probing.heads.head_measures import SHARES, head_measures
from bertsent.probing.heads.query_key_product import QueryKey, query_key

PUZZLE = "Great, another boring movie"
PIECES = "An unfathomableness, isn't it? touché"


def uniform(size: int = 4) -> AttentionMaps:
    tokens = ("[CLS]", *[f"t{i}" for i in range(size - 2)], "[SEP]")
    weights = np.stack(
        [np.full((size, size), 1 / size), np.eye(size), np.roll(np.eye(size), 1, axis=1)]
    ).astype(np.float32)
    return AttentionMaps(tokens, (True, *[False] * (size - 2), True), weights[None])


def test_measures_of_heads_that_are_known() -> None:
    even, itself, following = (row for _, row in head_measures(uniform()).iterrows())
    assert even["entropy"] == pytest.approx(np.log(4)) and even["to [SEP]"] == even[
        "to [CLS]"
    ] == pytest.approx(0.25)
    assert even["distance"] == pytest.approx(np.abs(np.subtract.outer(range(4), range(4))).mean())
    assert itself["entropy"] == 0 and itself["to itself"] == 1 and itself["distance"] == 0
    assert following["to the next"] == 1 and following["distance"] == pytest.approx(
        (1 + 1 + 1 + 3) / 4
    )
    assert (following["layer"], following["head"]) == (1, 3)


def test_measures_of_the_model_that_ships(builtin) -> None:
    maps = builtin.attend(PUZZLE)
    found = head_measures(maps)
    assert len(found) == 72
    np.testing.assert_allclose(
        found["entropy"], entropy(maps.weights.astype(float), axis=-1).mean(-1).ravel(), atol=1e-6
    )
    assert found["entropy"].between(0, np.log(7)).all()
    assert all(found[share].between(0, 1).all() for share in SHARES)
    np.testing.assert_allclose(found["to [SEP]"], maps.weights[..., -1].mean(-1).ravel(), atol=1e-6)


def test_measures_that_the_tokens_do_not_allow_are_missing() -> None:
    lone = AttentionMaps(("great",), (False,), np.ones((1, 1, 1, 1), np.float32))
    (row,) = (row for _, row in head_measures(lone).iterrows())
    assert np.isnan(row["to [SEP]"]) and np.isnan(row["to the next"]) and row["to itself"] == 1


@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_query_times_key_gives_the_models_own_weights(tiny, family) -> None:
    learner = tiny("cls", family)
    maps = learner.attend(PIECES)
    assert maps.weights.std() > 0.01  # not even, or anything would do
    for layer in range(2):
        for head in range(2):
            for place in (0, 3, len(maps.tokens) - 1):
                own = maps.weights[layer, head, place]
                found = query_key(forward_pass(learner, PIECES), (layer, head), place, own)
                np.testing.assert_allclose(found.weights, own, atol=1e-5)


def test_query_times_key_in_the_model_that_ships(builtin) -> None:
    maps = builtin.attend(PUZZLE)
    for layer, head, place in ((0, 0, 1), (3, 6, 4), (5, 11, 0)):
        own = maps.weights[layer, head, place]
        found = query_key(forward_pass(builtin, PUZZLE), (layer, head), place, own)
        assert found.query.shape == (32,) and found.keys.shape == (7, 32)
        assert found.products(4).sum() == pytest.approx(found.scores[4]) and found.scaled[
            4
        ] == pytest.approx(found.scores[4] / np.sqrt(32))
        np.testing.assert_allclose(found.weights, own, atol=1e-5)


def test_the_worked_example_of_the_lecture() -> None:
    """001-24: q(not) · k(good) = 0.61, / √3 = 0.35."""
    found = QueryKey(
        ("not", "good"),
        (0, 0),
        0,
        np.array([0.8, 0.2, -0.1]),
        np.array([[0.0, 0.0, 0.0], [0.7, 0.3, 0.1]]),
        np.array([0.4, 0.6]),
    )
    assert found.scores[1] == pytest.approx(0.61) and round(found.scaled[1], 2) == 0.35


@pytest.mark.parametrize("place", [(9, 0, 0), (0, 9, 0), (0, 0, 99), (-1, 0, 0), (0, 0, -1)])
def test_what_is_not_there_is_refused(tiny, place) -> None:
    with pytest.raises(BadInput, match="There is no"):
        query_key(forward_pass(tiny(), PUZZLE), place[:2], place[2], np.ones(7))


def test_whole_words_sum_what_comes_and_average_what_goes(tiny) -> None:
    learner = tiny()
    maps, reading = learner.attend(PIECES), segment_review(learner, PIECES)
    found = maps.in_words(reading.units)
    assert found.tokens == (
        "[CLS]",
        "An",
        "unfathomableness",
        ",",
        "isn't",
        "it",
        "?",
        "touché",
        "[SEP]",
    )
    assert found.special == (True, *[False] * 7, True)
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    pieces = list(reading.units[1].tokens)
    assert len(pieces) > 1
    by_hand = np.mean([maps.weights[1, 0, i, pieces].sum() for i in pieces])
    assert found.weights[1, 0, 2, 2] == pytest.approx(by_hand, abs=1e-6)
    assert found.weights[1, 0, 0, 2] == pytest.approx(maps.weights[1, 0, 0, pieces].sum(), abs=1e-6)


def test_without_pieces_words_change_nothing(tiny) -> None:
    learner = tiny()
    maps = learner.attend(PUZZLE)
    np.testing.assert_allclose(
        maps.in_words(segment_review(learner, PUZZLE).units).weights, maps.weights, atol=1e-6
    )


def test_a_stretch_is_scaled_to_one_and_stays_inside(tiny) -> None:
    maps = tiny().attend("one two three four five six seven eight")
    for start, size in ((0, 4), (3, 4), (8, 4), (99, 4), (0, 99)):
        found = maps.select(TokenSelection(start=start, size=size))
        assert found.renormalised == (size < len(maps.tokens))
        assert found.tokens == (maps.tokens[start : start + size] or maps.tokens[-1:])
        np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    by_hand = maps.weights[1, 1, 3:7, 3:7]
    np.testing.assert_allclose(
        maps.select(TokenSelection(start=3, size=4)).weights[1, 1],
        by_hand / by_hand.sum(-1, keepdims=True),
        atol=1e-6,
    )


def test_parts_are_taken_in_order(tiny) -> None:
    learner = tiny()
    maps, units = learner.attend(PIECES), segment_review(learner, PIECES).units
    assert maps.select(TokenSelection()) is maps
    found = maps.select(TokenSelection(by_words=True, hidden=True, start=1, size=3), units)
    assert found.tokens == ("unfathomableness", ",", "isn't") and not any(found.special)


def test_rollout_is_one_map_whose_rows_sum_to_one(tiny) -> None:
    maps = tiny().attend(PUZZLE)
    found = maps.rollout()
    assert found.weights.shape == (1, 1, 7, 7)
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    mixed = [0.5 * layer.mean(0) + 0.5 * np.eye(7) for layer in maps.weights.astype(float)]
    np.testing.assert_allclose(found.weights[0, 0], mixed[1] @ mixed[0], atol=1e-6)
