"""Quick dropout is dropout: shares, scale and gradient by hand, masks that follow from the seed;
kept memory costs no page faults.
"""

import copy
import math
import subprocess
import sys

import pytest
import torch
from torch import nn

from bertsent.models.backbone import load_backbone
from bertsent.models.task_model import BertForTask
from bertsent.settings import PROJECT
from bertsent.training.fast_dropout import FastDropout
from bertsent.training.trainable_parameters import set_dropout


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_right_share_is_dropped_and_the_rest_is_scaled(p):
    torch.manual_seed(1)
    found = FastDropout(p)(torch.ones(1_000, 1_001))  # an odd number of elements
    kept = found != 0
    deviation = math.sqrt(p * (1 - p) / kept.numel())
    assert kept.double().mean().item() == pytest.approx(1 - p, abs=5 * deviation + 1 / 65_536)
    assert found[kept].unique().tolist() == [pytest.approx(1 / (1 - p), rel=1e-4)]
    by_row = kept.double().mean(dim=1)
    assert by_row.std().item() == pytest.approx(math.sqrt(p * (1 - p) / 1_001), rel=0.15), (
        "rows vary as coins do"
    )


def test_gradients_are_those_of_the_mask():
    values = torch.randn(50, 7, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    found = FastDropout(0.3)(values)
    mask = (found != 0).double() / (1 - round(0.3 * 65_536) / 65_536)
    assert torch.equal(found, values * mask)
    weights = torch.randn_like(found)
    (gradient,) = torch.autograd.grad(found, values, weights)
    assert torch.equal(gradient, weights * mask)

    def seeded(x):
        torch.manual_seed(3)
        return FastDropout(0.3)(x)

    assert torch.autograd.gradcheck(seeded, values)


def test_masks_follow_from_the_seed_and_differ_from_call_to_call():
    layer, ones = FastDropout(0.5), torch.ones(64, 64)
    torch.manual_seed(7)
    first, second = layer(ones), layer(ones)
    torch.manual_seed(7)
    assert torch.equal(layer(ones), first) and torch.equal(copy.deepcopy(layer)(ones), second)
    together = ((first > 0) == (second > 0)).double().mean().item()
    assert together == pytest.approx(0.5, abs=0.05), "two masks agree by chance only"


def test_nothing_happens_without_training_or_without_a_share():
    values = torch.randn(3, 5)
    assert FastDropout(0.4).eval()(values) is values
    for p in (0.0, 1e-7):
        torch.testing.assert_close(FastDropout(p)(values), values)
    assert torch.equal(FastDropout(1.0)(values), torch.zeros_like(values))
    assert FastDropout(0.1)(torch.zeros(0, 4)).shape == (0, 4)
    assert FastDropout(0.1)(values.bfloat16()).dtype == torch.bfloat16


def test_every_share_of_an_encoder_is_set_and_weights_keep_their_names(tiny_backbone):
    backbone = load_backbone(str(tiny_backbone))
    model = BertForTask(backbone.model)
    names = list(model.state_dict())
    set_dropout(model.bert, 0.2, 0.05)
    inside = {
        name: module
        for name, module in model.bert.named_modules()
        if isinstance(module, nn.Dropout)
    }
    assert all(isinstance(module, FastDropout) for module in inside.values()) and len(inside) > 3
    assert {
        module.p for name, module in inside.items() if name.endswith("attention.self.dropout")
    } == {0.05}
    assert {
        module.p for name, module in inside.items() if not name.endswith("attention.self.dropout")
    } == {0.2}
    assert list(model.state_dict()) == names


_FAULTS = """
import resource, sys, torch
from bertsent.training.process import keep_freed_memory
if sys.argv[1] == "kept" and not keep_freed_memory():
    raise SystemExit(3)
def turn():
    torch.ones(16 << 20)  # 64 MiB, beyond what glibc keeps by itself
for _ in range(10):  # until the freed pieces lie so that the next one fits
    turn()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    turn()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.slow
def test_freed_memory_is_kept_for_the_next_step():
    def faults(how: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-c", _FAULTS, how], cwd=PROJECT, capture_output=True, text=True
        )

    kept = faults("kept")
    if kept.returncode == 3:
        pytest.skip("this system's allocator cannot be told")
    assert int(kept.stdout) < int(faults("usual").stdout) / 4
