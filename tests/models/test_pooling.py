"""The three sentence embeddings equal what numpy makes by hand, and padding never counts (row
003-07).
"""

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.models.pooling import POOLINGS, pool

LENGTHS = (7, 1, 4, 2)


@pytest.fixture
def hidden():
    return torch.from_numpy(
        np.random.default_rng(0).normal(size=(4, 7, 5)).astype("float32") - 3
    )  # negative: a padded zero would win a max


@pytest.fixture
def mask():
    return torch.tensor([[1] * length + [0] * (7 - length) for length in LENGTHS])


def by_hand(hidden, how):
    rows = [text[:length] for text, length in zip(hidden.numpy(), LENGTHS, strict=True)]
    make = {
        "cls": lambda tokens: tokens[0],
        "mean": lambda tokens: tokens.mean(axis=0),
        "max": lambda tokens: tokens.max(axis=0),
    }[how]
    return np.stack([make(tokens) for tokens in rows])


@pytest.mark.parametrize("how", POOLINGS)
def test_pooling_equals_numpy(hidden, mask, how):
    found = pool(hidden, mask, how)
    assert found.shape == (4, 5) and found.dtype == hidden.dtype
    np.testing.assert_allclose(found.numpy(), by_hand(hidden, how), rtol=1e-6)


@pytest.mark.parametrize("how", POOLINGS)
@pytest.mark.parametrize("filling", [0.0, 1e6, -1e6])
def test_what_stands_in_the_padding_does_not_matter(hidden, mask, how, filling):
    expected = pool(hidden, mask, how)
    filled = hidden.masked_fill(mask.unsqueeze(-1) == 0, filling)
    assert torch.equal(pool(filled, mask, how), expected)
    wider = torch.cat([filled, torch.full((4, 25, 5), filling)], dim=1)
    np.testing.assert_allclose(
        pool(wider, torch.cat([mask, torch.zeros(4, 25, dtype=torch.long)], dim=1), how),
        expected,
        rtol=1e-6,
    )


@pytest.mark.parametrize("how", POOLINGS)
def test_a_mask_of_truth_values_or_floats_does_as_well(hidden, mask, how):
    for kind in (torch.bool, torch.float32):
        assert torch.equal(pool(hidden, mask.to(kind), how), pool(hidden, mask, how))


@pytest.mark.parametrize("how", POOLINGS)
def test_gradients_reach_the_real_tokens_only(hidden, mask, how):
    hidden.requires_grad_()
    pool(hidden, mask, how).sum().backward()
    assert (hidden.grad[mask == 0] == 0).all()
    assert (hidden.grad.flatten(1).abs().sum(1) > 0).all()


def test_the_worked_example():
    hidden = torch.tensor([[[1.0, 4.0], [3.0, 2.0], [9.0, 9.0]]])
    mask = torch.tensor([[1, 1, 0]])
    assert [pool(hidden, mask, how).tolist() for how in ("cls", "mean", "max")] == [
        [[1, 4]],
        [[2, 3]],
        [[3, 4]],
    ]


def test_other_poolings_are_refused():
    with pytest.raises(BadInput) as error:
        pool(torch.zeros(1, 2, 3), torch.ones(1, 2), "sum")
    assert str(error.value) == "There is no pooling “sum”. Choose one of cls, mean, max."
