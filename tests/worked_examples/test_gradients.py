import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.worked_examples.adamw_step import ADAMW_STEP
from bertsent.worked_examples.gradients import LOSS_GRADIENT, WEIGHT_GRADIENT


@pytest.mark.parametrize(
    ("logits", "truth"),
    [("2.1, -0.5", "1, 0"), ("0.3, -2, 1.4", "0, 0.25, 0.75"), ("9, 9", "0, 1")],
)
def test_loss_gradient_and_softmax_jacobian_are_autograd_s(logits: str, truth: str) -> None:
    found = LOSS_GRADIENT.results({"logits": logits, "truth": truth})
    z = torch.tensor(found["logits"], requires_grad=True)
    torch.nn.functional.cross_entropy(z, torch.tensor(found["truth"])).backward()
    assert z.grad is not None and np.allclose(found["gradient"], z.grad, atol=1e-12)
    jacobian = torch.autograd.functional.jacobian(lambda v: v.softmax(0), z.detach())
    assert np.allclose(found["jacobian"], jacobian, atol=1e-12)
    assert np.allclose(found["measured"], found["gradient"], atol=1e-8)
    assert np.allclose(found["jacobian_measured"], found["jacobian"], atol=1e-8)


def test_the_lecture_s_logits_leave_007_to_learn() -> None:
    found = LOSS_GRADIENT.results(LOSS_GRADIENT.typed())
    assert np.round(found["gradient"], 4).tolist() == [-0.0691, 0.0691]


def test_the_gradient_of_attention_weights_is_autograd_s() -> None:
    found = WEIGHT_GRADIENT.results(WEIGHT_GRADIENT.typed())
    keys = torch.tensor(found["keys"])
    jacobian = torch.autograd.functional.jacobian(
        lambda q: (keys @ q / len(q) ** 0.5).softmax(0), torch.tensor(found["query"])
    )
    assert np.allclose(found["gradient"], jacobian, atol=1e-12)
    assert np.allclose(found["measured"], found["gradient"], atol=1e-8)


@pytest.mark.parametrize("typed", [{"truth": "1"}, {"truth": "1, 1"}, {"logits": "1, 2, 3"}])
def test_labels_that_do_not_fit_are_told(typed: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        LOSS_GRADIENT.results({**LOSS_GRADIENT.typed(), **typed})


@pytest.mark.parametrize("steps", [1, 3, 50])
def test_adamw_is_pytorch_s(steps: int) -> None:
    found = ADAMW_STEP.results({**ADAMW_STEP.typed(), "steps": str(steps)})
    weight = torch.nn.Parameter(torch.tensor(found["weight"], dtype=torch.float64))
    optimizer = torch.optim.AdamW([weight], lr=found["learning_rate"], weight_decay=found["decay"])
    for _ in range(steps):
        weight.grad = torch.tensor(found["gradient"], dtype=torch.float64)
        optimizer.step()
    assert found["after"] == pytest.approx(weight.item(), abs=1e-12)
