"""What training did to the heads: against scipy, its bounds, and its zeros."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from bertsent.errors import BadInput
from bertsent.probing.heads.attention_change import (
    attention_change,
    attention_of_both,
    change_table,
    jensen_shannon,
)
from bertsent.probing.heads.attention_maps import AttentionMaps, ranked_heads
from bertsent.probing.loaded_model import load

PUZZLE = "Great, another boring movie"


def maps(seed: int, layers: int = 2, heads: int = 3, size: int = 5) -> AttentionMaps:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(size, 0.3), (layers, heads, size)).astype(np.float32)
    return AttentionMaps(
        ("[CLS]", *map(str, range(size - 2)), "[SEP]"), (True, *[False] * (size - 2), True), weights
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_divergence_is_scipys(seed: int) -> None:
    before, after = maps(seed), maps(seed + 100)
    found = jensen_shannon(before.weights, after.weights)
    theirs = (
        jensenshannon(before.weights.astype(float), after.weights.astype(float), axis=-1, base=np.e)
        ** 2
    )
    np.testing.assert_allclose(found, theirs.mean(-1), atol=1e-9)
    assert (found >= 0).all() and (found <= np.log(2) + 1e-12).all()


def test_nothing_changed_is_zero_and_everything_changed_is_ln_2() -> None:
    assert not attention_change(maps(0), maps(0)).weights.any()
    assert not jensen_shannon(maps(0).weights, maps(0).weights).any()
    identity, shifted = np.eye(4)[None, None], np.roll(np.eye(4), 1, axis=1)[None, None]
    assert jensen_shannon(identity, shifted)[0, 0] == pytest.approx(np.log(2), abs=1e-12)
    assert jensen_shannon(identity, identity)[0, 0] == 0


def test_rows_sum_to_zero_and_the_most_changed_head_comes_first() -> None:
    found = attention_change(maps(1), maps(2))
    np.testing.assert_allclose(found.weights.sum(-1), 0, atol=1e-5)
    divergence = jensen_shannon(maps(1).weights, maps(2).weights)
    ranked = ranked_heads(divergence)
    assert len(ranked) == 6 and len(set(ranked)) == 6
    ordered = [divergence[head] for head in ranked]
    assert ordered == sorted(ordered, reverse=True)
    table = change_table(found, divergence)
    assert table["divergence in nats"].tolist() == ordered


def test_the_divergence_does_not_care_which_came_first() -> None:
    np.testing.assert_allclose(
        jensen_shannon(maps(1).weights, maps(2).weights),
        jensen_shannon(maps(2).weights, maps(1).weights),
        atol=1e-15,
    )


def test_the_built_in_model_against_the_encoder_it_came_from(builtin) -> None:
    before, after = attention_of_both(load("backbone"), builtin, PUZZLE)
    found = attention_change(before, after)
    assert found.weights.shape == (6, 12, 7, 7) and found.tokens[0] == "[CLS]"
    np.testing.assert_allclose(found.weights.sum(-1), 0, atol=1e-5)
    assert 0 < jensen_shannon(before.weights, after.weights).max() <= np.log(2)
    assert not jensen_shannon(after.weights, after.weights).any()


def test_a_model_that_reads_less_sets_the_length(tiny) -> None:
    long = "word " * 100
    before, after = attention_of_both(tiny(max_length=64), tiny(max_length=16), long)
    assert len(before.tokens) == len(after.tokens) == 16
    assert not jensen_shannon(before.weights, after.weights).any()


def test_what_cannot_be_compared_is_refused() -> None:
    def model(found: AttentionMaps) -> SimpleNamespace:
        return SimpleNamespace(max_length=64, attend=lambda text, max_length: found)

    with pytest.raises(BadInput, match="heads cannot be compared"):
        attention_of_both(model(maps(0)), model(maps(0, heads=2)), PUZZLE)
    other = replace(maps(0), tokens=("a", "b", "c", "d", "e"))
    with pytest.raises(BadInput, match="same tokens"):
        attention_of_both(model(maps(0)), model(other), PUZZLE)
