import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.worked_examples.classifier_head import HEAD_ANSWER, HEAD_SIZE


def test_the_head_of_the_slide_has_1538_parameters() -> None:
    found = HEAD_SIZE.results(HEAD_SIZE.typed())
    head = torch.nn.Linear(768, 2)
    assert found["parameters"] == 1538 == sum(part.numel() for part in head.parameters())
    assert round(found["bound"], 4) == 0.0883 and round(found["share"], 4) == 0.0014
    torch.nn.init.xavier_uniform_(head.weight)
    assert 0.99 * found["bound"] < float(head.weight.detach().abs().max()) <= found["bound"]


def test_the_slide_s_code_begins_elsewhere() -> None:
    """What slip E-14 says of nn.Linear as it comes."""
    head = torch.nn.Linear(768, 2)
    assert float(head.weight.detach().abs().max()) <= 0.0361 + 1e-4
    assert float(head.bias.detach().abs().min()) > 0


def test_three_numbers_become_two_logits() -> None:
    """On paper: 0.5·0.9 + 0.2·(−0.3) + 0.8·0.6 = 0.87 and 0.5·(−0.4) + 0.2·0.7 − 0.64 = −0.7."""
    found = HEAD_ANSWER.results(HEAD_ANSWER.typed())
    assert np.allclose(found["logits"], [0.87, -0.7])
    with pytest.raises(BadInput):
        HEAD_ANSWER.results({**HEAD_ANSWER.typed(), "hidden": "1, 2"})
