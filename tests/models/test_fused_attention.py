"""Attention in fp32 inside a bf16 training: the library's numbers, and closer to fp32's."""

import copy

import pytest
import torch
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from bertsent.models.backbone import load_backbone
from bertsent.models.fused_attention import FUSED, attend

IDS = torch.randint(5, 50, (3, 9), generator=torch.Generator().manual_seed(1))
MASK = (torch.arange(9) < torch.tensor([9, 4, 1])[:, None]).long()


@pytest.fixture(params=["bert", "distilbert"])
def encoders(request):
    """The same encoder with the library's attention and with ours."""
    torch.manual_seed(3)
    if request.param == "bert":
        shape = BertConfig(
            vocab_size=50,
            hidden_size=24,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=48,
        )
        theirs = BertModel(shape, add_pooling_layer=False).eval()
    else:
        theirs = DistilBertModel(
            DistilBertConfig(vocab_size=50, dim=24, n_layers=2, n_heads=4, hidden_dim=48)
        ).eval()
    ours = copy.deepcopy(theirs)
    theirs.set_attn_implementation("sdpa")
    ours.set_attn_implementation(FUSED)
    return theirs, ours


def hidden(model, *, bf16=False):
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        found = model(input_ids=IDS, attention_mask=MASK).last_hidden_state
    return found.float()[MASK.bool()]


def gradients(model, *, bf16):
    model.zero_grad()
    hidden(model, bf16=bf16).square().mean().backward()
    return torch.cat([each.grad.flatten() for each in model.parameters() if each.grad is not None])


def test_outside_autocast_it_is_the_librarys_bit_by_bit(encoders):
    theirs, ours = encoders
    assert torch.equal(hidden(ours), hidden(theirs))
    assert torch.equal(gradients(ours, bf16=False), gradients(theirs, bf16=False))


def test_inside_autocast_it_is_as_close_to_fp32_as_the_librarys(encoders):
    theirs, ours = encoders
    exact = gradients(theirs, bf16=False)
    errors = [(gradients(each, bf16=True) - exact).norm() / exact.norm() for each in encoders]
    assert errors[1] < 0.02 and errors[1] < 1.2 * errors[0]
    assert not torch.equal(gradients(ours, bf16=True), gradients(theirs, bf16=True))


@pytest.mark.parametrize("mask", [None, "bool", "additive"])
def test_its_arithmetic_inside_autocast_is_fp32(mask):
    """Equal to the formula worked out in double precision, to the rounding of fp32."""
    random = torch.Generator().manual_seed(2)
    query, key, value = (torch.randn(2, 3, 5, 8, generator=random).bfloat16() for _ in range(3))
    seen = torch.tensor([True, True, False, True, False]).expand(2, 1, 5, 5)
    given = {
        None: None,
        "bool": seen,
        "additive": torch.zeros(2, 1, 5, 5).masked_fill(~seen, -1e4).bfloat16(),
    }[mask]
    with torch.autocast("cpu", torch.bfloat16):
        found = attend(query, key, value, given, dropout=0.0, scale=None)
    scores = query.double() @ key.double().transpose(-1, -2) / 8**0.5
    if mask is not None:
        scores = scores.masked_fill(~seen, -torch.inf)
    assert found.dtype == torch.float32
    torch.testing.assert_close(
        found.double(), scores.softmax(-1) @ value.double(), rtol=1e-5, atol=1e-6
    )


def test_every_loaded_encoder_uses_it():
    assert load_backbone("builtin").model.config._attn_implementation == FUSED
