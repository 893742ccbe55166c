"""What the benchmark of a device's peak takes for the work of a step, counted by torch."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertModel

from tests.benchmarks.peak import operations_of_token


@pytest.mark.parametrize(("layers", "tokens"), [(1, 32), (3, 128)])
def test_operations_of_a_token_are_those_that_torch_counts(layers: int, tokens: int) -> None:
    shape = BertConfig(
        vocab_size=50,
        hidden_size=64,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=256,
        attn_implementation="eager",  # whose matrix products are counted
    )
    encoder = BertModel(shape, add_pooling_layer=False)
    ids = torch.randint(0, 50, (2, tokens))
    with FlopCounterMode(display=False) as counter:
        encoder(input_ids=ids).last_hidden_state.square().mean().backward()
    expected = 2 * tokens * operations_of_token(shape, tokens)
    assert counter.get_total_flops() == pytest.approx(expected, rel=1e-6)
