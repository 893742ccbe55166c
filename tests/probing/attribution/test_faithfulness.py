import numpy as np
import pytest
from scipy.stats import kendalltau

from bertsent.probing.attribution.attributions import (
    ATTENTION,
    GRADIENTS,
    LEAVE_ONE_OUT,
    attribute_review,
    faithfulness_curves,
    kendall_taus,
    token_attention,
)
from bertsent.probing.attribution.faithfulness import (
    MOST,
    RANDOM,
    aopc,
    deletion_curves,
    kendall_tau,
)
from bertsent.probing.attribution.units import segment_review
from bertsent.probing.heads.attention_maps import attention_rollout

TEXT = "Great, another boring movie"


def random_weights(layers: int = 3, heads: int = 4, size: int = 6) -> np.ndarray:
    weights = np.random.default_rng(0).random((layers, heads, size, size)) ** 3
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def test_rollout_is_the_product_by_hand() -> None:
    weights = random_weights()
    first, second, third = (0.5 * layer.mean(0) + 0.5 * np.eye(6) for layer in weights)
    rolled = attention_rollout(weights)
    assert np.allclose(rolled, third @ second @ first, atol=1e-6)
    assert np.allclose(rolled.sum(-1), 1, atol=1e-12)


def test_rollout_of_heads_that_only_look_at_themselves_moves_nothing() -> None:
    assert np.allclose(attention_rollout(np.broadcast_to(np.eye(4), (5, 2, 4, 4))), np.eye(4))


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_looks_are_the_rows_that_the_head_reads(tiny, pooling: str) -> None:
    model = tiny(pooling)
    maps = model.attend(TEXT)
    found = token_attention(maps, pooling)
    rows = slice(0, 1) if pooling == "cls" else slice(None)
    assert np.allclose(found.heads, maps.weights[:, :, rows].mean(2), atol=1e-6)
    assert np.allclose(found.of(1, 0), maps.weights[1, 0, rows].mean(0), atol=1e-6)
    assert np.allclose(found.of(1), maps.weights[1, :, rows].mean((0, 1)), atol=1e-6)
    for values in (found.of(), found.of(0), found.of(0, 1), found.rollout):
        assert values.sum() == pytest.approx(1, abs=1e-5)


def test_tau_is_scipys_on_sizes() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        first, second = random.normal(size=12).round(1), random.normal(size=12).round(1)
        assert kendall_tau(first, second) == pytest.approx(
            kendalltau(np.abs(first), np.abs(second)).statistic
        )
    assert (
        kendall_tau([1], [2]) is None
        and kendall_tau([], []) is None
        and kendall_tau([1, 1], [1, 2]) is None
    )
    assert kendall_tau([1, -2, 3], [1, 2, -3]) == pytest.approx(1)


def test_aopc_by_hand() -> None:
    assert aopc(np.array([0.9, 0.5, 0.1])) == pytest.approx((0 + 0.4 + 0.8) / 3)
    assert aopc(np.array([0.9])) == 0


def test_deletions_are_predictions_of_what_is_left(tiny) -> None:
    model, reading = tiny(), segment_review(tiny(), "one two three four")
    found = deletion_curves(model, reading, {"mine": np.array([0.1, 3.0, 2.0, -1.0])}, range(4))
    texts = ["one two three four", "one three four", "one four", "four", ""]
    share = model.probabilities(texts)[:, 1]
    answer = share if share[0] > 0.5 else 1 - share
    assert found[0].name == "mine" and np.allclose(found[0].curve, answer, atol=1e-6)
    assert found[0].aopc == pytest.approx(aopc(answer), abs=1e-6)
    random = found[-1]
    assert random.name == RANDOM and random.spread[0] <= random.aopc <= random.spread[1]
    assert random.curve[0] == pytest.approx(answer[0], abs=1e-6) and random.curve[
        -1
    ] == pytest.approx(answer[-1], abs=1e-6)


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_the_triangle(tiny, pooling: str) -> None:
    model = tiny(pooling)
    found = attribute_review(model, TEXT)
    table = found.table(found.attention.rollout)
    assert table["word"].tolist() == ["Great", ",", "another", "boring", "movie"] and table[
        "position"
    ].tolist() == [1, 2, 3, 4, 5]
    assert table[GRADIENTS].sum() == pytest.approx(found.gradients.tokens.sum())
    assert table[ATTENTION].sum() == pytest.approx(1 - found.attention.rollout[[0, -1]].sum())
    said = kendall_taus(table)
    assert said[(ATTENTION, LEAVE_ONE_OUT)] == pytest.approx(
        kendalltau(table[ATTENTION], table[LEAVE_ONE_OUT].abs()).statistic
    )
    curves = {each.name: each for each in faithfulness_curves(model, found, table)}
    assert list(curves) == [ATTENTION, GRADIENTS, LEAVE_ONE_OUT, RANDOM]
    assert all(len(each.curve) == 6 for each in curves.values())


def test_one_word_has_no_tau(tiny) -> None:
    found = attribute_review(tiny(), "Great")
    table = found.table(found.attention.of(0, 0))
    assert len(table) == 1 and set(kendall_taus(table).values()) == {None}
    assert len({round(each.aopc, 9) for each in faithfulness_curves(tiny(), found, table)}) == 1


def test_a_long_review_is_compared_in_part_and_read_in_whole(tiny) -> None:
    model = tiny(max_length=128)
    found = attribute_review(model, "word and other words " * 250, first=40, count=20)
    assert len(found.review.ids) == 128 and found.review.cut
    assert found.table(found.attention.rollout)["position"].tolist() == list(range(41, 61))
    assert all(
        len(each.curve) == MOST + 1
        for each in faithfulness_curves(model, found, found.table(found.attention.rollout))
    )


def test_a_word_that_adds_to_p_points_up_and_the_title_says_so(builtin) -> None:
    """The bars showed what a word adds under the title "Change of P(positive) by leaving it out":
    sign and title contradicted each other.
    """
    found = attribute_review(builtin, "A dull plot and a wonderful film")
    table = found.table(found.attention.of())
    added = table.set_index("word")[LEAVE_ONE_OUT]
    whole = builtin.predict(["A dull plot and a wonderful film"])[0].p_positive
    without = builtin.predict(["A dull plot and a film"])[0].p_positive
    assert without < whole and added["wonderful"] == pytest.approx(whole - without, abs=1e-5)
    assert "adds to P(positive)" in found.titles("rollout")[2]
