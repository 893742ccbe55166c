"""Silencing heads: against weights zeroed by hand, exact where nothing is silenced, and unnoticed
by whoever else asks.
"""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.probing.heads.attention_modules import encoder_layers, output_projection
from bertsent.probing.heads.head_ablation import (
    LEAST_SUPPORT,
    AblationGrid,
    _MaskedModel,
    ablate_every_head,
    flipping_set,
    probabilities_without,
)
from bertsent.probing.loaded_model import LoadedModel, load

PUZZLE = "Great, another boring movie"
REVIEWS = (PUZZLE, "Great", "🎬", "A film of two hours. " * 9)


def by_hand(learner, text: str, heads) -> float:
    """P(positive) of a copy of the model in which the heads' columns of the output projections are
    zero, in plain full attention.
    """
    model = copy.deepcopy(learner.model)
    width = learner.width // learner.heads
    for layer, head in heads:
        with torch.no_grad():
            output_projection(encoder_layers(model.bert)[layer]).weight[
                :, head * width : (head + 1) * width
            ] = 0
    model.bert.set_attn_implementation("eager")
    ids = torch.tensor([learner.tokens(text).ids])
    with torch.no_grad():
        return float(model(ids, torch.ones_like(ids)).double().softmax(-1)[0, 1])


def whole(learner, text: str) -> float:
    return float(learner.probabilities([text])[0, 1])


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("text", REVIEWS)
def test_silencing_nothing_changes_nothing_at_all(tiny, pooling, family, text) -> None:
    learner = tiny(pooling, family)
    assert probabilities_without(learner, text, [()])[0] == whole(learner, text)
    assert probabilities_without(learner, text, [[(0, 0)], [], [(1, 1)]])[1] == whole(learner, text)
    ids = torch.tensor([learner.tokens(text).ids])
    with torch.inference_mode():
        silenced = _MaskedModel(learner)
        silenced.head_mask = [
            torch.ones(1, 2),
            torch.ones(1, 2),
        ]  # the hooks work, and let everything pass
        assert torch.equal(
            silenced.model(ids, torch.ones_like(ids)), learner.model(ids, torch.ones_like(ids))
        )


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_a_silenced_head_is_a_head_whose_columns_are_zero(tiny, pooling, family) -> None:
    learner = tiny(pooling, family)
    every = [(layer, head) for layer in range(2) for head in range(2)]
    sets = [*([head] for head in every), every[:2], every[2:], every]
    np.testing.assert_allclose(
        probabilities_without(learner, PUZZLE, sets),
        [by_hand(learner, PUZZLE, s) for s in sets],
        atol=1e-5,
    )
    board = ablate_every_head(learner, PUZZLE)
    np.testing.assert_allclose(
        board.p_without[:, :-1].ravel(),
        [by_hand(learner, PUZZLE, [head]) for head in every],
        atol=1e-5,
    )
    np.testing.assert_allclose(
        board.p_without[:, -1],
        [by_hand(learner, PUZZLE, every[:2]), by_hand(learner, PUZZLE, every[2:])],
        atol=1e-5,
    )
    assert np.abs(board.change).min() > 1e-4  # there is something to see


def test_silencing_nothing_in_the_model_that_ships_is_its_own_answer(builtin) -> None:
    for text in REVIEWS:
        assert (
            probabilities_without(builtin, text, [()])[0]
            == whole(builtin, text)
            == builtin.predict([text])[0].p_positive
        )


def test_in_the_model_that_ships_too_and_in_its_last_layer_where_only_cls_asks(builtin) -> None:
    assert builtin.width // builtin.heads == 32
    for heads in ([(0, 0)], [(2, 7)], [(5, 0)], [(5, 11)], [(0, 3), (4, 4), (5, 8)]):
        assert probabilities_without(builtin, PUZZLE, [heads])[0] == pytest.approx(
            by_hand(builtin, PUZZLE, heads), abs=1e-5
        )


@pytest.mark.parametrize(
    ("precision", "apart"),
    [(torch.float64, 1e-9), pytest.param(torch.float32, 5e-6, marks=pytest.mark.slow)],
)
def test_the_grid_is_seventy_two_single_ablations(builtin, precision, apart) -> None:
    """In double precision to nine digits: the batches change nothing but how single precision
    rounds, which is some 2e-6 here.
    """
    text = "Great, another boring movie, and not even a short one."
    length = {"max_length": builtin.max_length, "fine_tuned": True}
    learner = LoadedModel(
        "copy", "copy", copy.deepcopy(builtin.model).to(precision), builtin.tokenizer, **length
    )
    board = ablate_every_head(learner, text)
    assert board.p_without.shape == (6, 13) and board.p_positive == whole(learner, text)
    every = [[(layer, head)] for layer in range(6) for head in range(12)]
    one_by_one = [probabilities_without(learner, text, [heads])[0] for heads in every]
    np.testing.assert_allclose(board.p_without[:, :-1].ravel(), one_by_one, rtol=0, atol=apart)
    np.testing.assert_allclose(
        probabilities_without(learner, text, every), one_by_one, rtol=0, atol=apart
    )
    layers = [
        probabilities_without(learner, text, [[(layer, head) for head in range(12)]])[0]
        for layer in range(6)
    ]
    np.testing.assert_allclose(board.p_without[:, -1], layers, rtol=0, atol=apart)


def test_parts_of_a_batch_make_no_difference(tiny, monkeypatch) -> None:
    from bertsent.probing.heads import head_ablation

    learner = tiny()
    board = ablate_every_head(learner, PUZZLE)
    monkeypatch.setattr(head_ablation, "TOKENS_AT_ONCE", {"cpu": 1})
    np.testing.assert_allclose(
        ablate_every_head(learner, PUZZLE).p_without, board.p_without, atol=1e-6
    )
    np.testing.assert_allclose(
        probabilities_without(learner, PUZZLE, [[(0, 1)], [(1, 0)]]),
        board.p_without[[0, 1], [1, 0]],
        atol=1e-6,
    )


def test_nobody_else_notices(builtin) -> None:
    """Eight threads predict while another silences heads: every answer is the very one that was
    given before.
    """
    texts = [f"{PUZZLE} number {number}" for number in range(8)]
    before = [builtin.predict([text])[0] for text in texts]
    weights = {name: value.clone() for name, value in builtin.model.state_dict().items()}
    board = ablate_every_head(builtin, PUZZLE)
    with ThreadPoolExecutor(9) as pool:
        silencing = pool.submit(lambda: [ablate_every_head(builtin, PUZZLE) for _ in range(2)])
        predicting = [
            pool.submit(lambda text=text: [builtin.predict([text])[0] for _ in range(6)])
            for text in texts
        ]
        for expected, found in zip(before, predicting, strict=True):
            assert all(answer == expected for answer in found.result())
        for again in silencing.result():
            np.testing.assert_allclose(again.p_without, board.p_without, rtol=0, atol=1e-5)
    assert [builtin.predict([text])[0] for text in texts] == before
    assert all(
        torch.equal(value, weights[name]) for name, value in builtin.model.state_dict().items()
    )
    assert not any(
        module._forward_pre_hooks or module._forward_hooks for module in builtin.model.modules()
    )


def test_a_cancelled_board_leaves_everything_as_it_was(tiny) -> None:
    learner = tiny()
    before, seen = whole(learner, PUZZLE), []

    def stop(fraction: float) -> None:
        seen.append(fraction)
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        ablate_every_head(learner, PUZZLE, progress=stop)
    assert seen == [pytest.approx(2 / 3)] and whole(learner, PUZZLE) == before
    told: list[float] = []
    ablate_every_head(learner, PUZZLE, progress=told.append)
    assert told[-1] == 1.0 and told == sorted(told)


def test_the_carriers_hold_up_the_answer_and_the_turning_set_turns_it(builtin) -> None:
    board = ablate_every_head(builtin, PUZZLE)
    carriers = board.supporting_heads()
    support = [board.support[head] for head in carriers]
    assert support == sorted(support, reverse=True) and all(value > 0 for value in support)
    found = flipping_set(builtin, PUZZLE, board)
    assert found == carriers[: len(found)]
    if found:
        assert (probabilities_without(builtin, PUZZLE, [found])[0] > 0.5) != (
            board.p_positive > 0.5
        )
        if len(found) > 1:
            assert (probabilities_without(builtin, PUZZLE, [found[:-1]])[0] > 0.5) == (
                board.p_positive > 0.5
            )


def test_support_is_seen_from_the_answer_that_was_given(tiny) -> None:
    board = ablate_every_head(tiny(), PUZZLE)
    sign = -1 if board.p_positive > 0.5 else 1
    np.testing.assert_array_equal(board.support, sign * board.logit_change[:, :-1])
    order = np.argsort(-sign * board.change[:, :-1], axis=None)
    np.testing.assert_array_equal(order, np.argsort(-board.support, axis=None))


def test_a_sure_answer_still_shows_which_heads_support_it() -> None:
    """With P(positive) at 99.995 % no head changed it by half a point, and the list was empty."""
    without = np.array([[[-4.0, 4.0], [-5.0, 5.0], [-3.0, 3.0]]])
    sure = AblationGrid(np.array([-5.0, 5.0]), without)
    assert np.abs(sure.change[:, :-1]).max() < 0.0005
    np.testing.assert_allclose(sure.logit_change, [[-2.0, 0.0, -4.0]])
    assert sure.supporting_heads(LEAST_SUPPORT) == ((0, 0),)
    table = sure.table()
    assert table["change of the logit difference"].tolist() == [-2.0, 0.0, -4.0]
    assert table["head (0: all)"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("heads", [[(2, 0)], [(0, 2)], [(-1, 0)], [(0, -1)]])
def test_a_head_that_is_not_there_is_refused(tiny, heads) -> None:
    with pytest.raises(BadInput, match="There is no head"):
        probabilities_without(tiny(), PUZZLE, [heads])


def test_a_model_without_a_trained_head_is_refused() -> None:
    for ask in (
        lambda m: ablate_every_head(m, PUZZLE),
        lambda m: probabilities_without(m, PUZZLE, [()]),
    ):
        with pytest.raises(NotAvailable, match="not fine-tuned"):
            ask(load("backbone"))
