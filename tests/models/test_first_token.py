"""The short way gives what the long way gives, forwards and backwards."""

import copy

import pytest
import torch
from transformers import BertConfig, BertModel

from bertsent.models.first_token import can_skip, first_token
from bertsent.models.task_model import BertForTask


@pytest.fixture
def bert():
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=50,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=48,
    )
    config._attn_implementation = "sdpa"
    return BertModel(config, add_pooling_layer=False).eval()


def batch(lengths):
    ids = torch.randint(
        5, 50, (len(lengths), max(lengths)), generator=torch.Generator().manual_seed(1)
    )
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    return ids * mask, mask


@pytest.mark.parametrize("lengths", [(7,), (9, 9), (12, 3, 7, 1)])
def test_the_first_hidden_state_is_the_librarys(bert, lengths):
    ids, mask = batch(lengths)
    whole = bert(input_ids=ids, attention_mask=mask).last_hidden_state[:, 0]
    torch.testing.assert_close(first_token(bert, ids, mask), whole, rtol=1e-5, atol=1e-6)


def test_its_gradient_is_the_librarys(bert):
    ids, mask = batch((12, 3, 7, 1))
    model = BertForTask(bert).eval()
    other = copy.deepcopy(model)
    torch.nn.functional.cross_entropy(model(ids, mask), torch.tensor([0, 1, 1, 0])).backward()
    hidden = other.bert(input_ids=ids, attention_mask=mask).last_hidden_state
    torch.nn.functional.cross_entropy(
        other.classify(hidden, mask), torch.tensor([0, 1, 1, 0])
    ).backward()
    for (name, short), long in zip(model.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(short.grad, long.grad, rtol=1e-4, atol=1e-6, msg=name)


def test_eager_attention_goes_the_long_way(bert):
    assert can_skip(bert)
    bert.set_attn_implementation("eager")
    assert not can_skip(bert)
