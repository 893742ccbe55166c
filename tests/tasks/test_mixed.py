"""Several tasks at once: the loss worked out by hand, the metrics as each part has them."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from bertsent.errors import BadInput
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, PARAPHRASE, SIMILARITY
from bertsent.tasks.mixed import THREE_TASKS, WEIGHTED, MixedTask
from bertsent.tasks.task import task_of_dict

ROWS = [(0, 4), (1, 1), (2, 5.0), (0, 0), (2, 2.5), (0, 2)]  # part, what is true
SHARES = {THREE_TASKS: (1 / 3, 1 / 3, 1 / 3), WEIGHTED: (0.5, 0.25, 0.25)}


@pytest.fixture
def logits() -> torch.Tensor:
    return torch.randn(len(ROWS), 8, generator=torch.Generator().manual_seed(3))


def _by_hand(logits: torch.Tensor, shares) -> float:
    steps = cross_entropy(logits[[0, 3, 5], :5], torch.tensor([4, 0, 2]))
    same = cross_entropy(logits[[1], 5:7], torch.tensor([1]))
    alike = (((logits[[2, 4], 7] - torch.tensor([5.0, 2.5])) / 5) ** 2).mean()
    return float(shares[0] * steps + shares[1] * same + shares[2] * alike)


@pytest.mark.parametrize("task", SHARES, ids=["equal", "weighted"])
def test_the_loss_is_the_weighted_sum_of_the_means_of_the_parts(task, logits) -> None:
    targets = task.targets(ROWS)
    weights, divisor = task.step_weights(targets, None)
    expected = _by_hand(logits, SHARES[task])
    assert task.loss(logits, targets, weights).item() / divisor == pytest.approx(expected, rel=1e-6)
    assert task.loss(logits, targets).item() / len(ROWS) == pytest.approx(expected, rel=1e-6)


def test_two_halves_of_a_step_add_up_to_the_whole(logits) -> None:
    targets = WEIGHTED.targets(ROWS)
    weights, _ = WEIGHTED.step_weights(targets, None)
    halves = [
        WEIGHTED.loss(logits[part], targets[part], weights) for part in ([0, 1, 4], [2, 3, 5])
    ]
    assert sum(halves).item() == pytest.approx(_by_hand(logits, (0.5, 0.25, 0.25)), rel=1e-6)


def test_answers_and_metrics_are_those_of_the_parts(logits) -> None:
    targets, answers = THREE_TASKS.targets(ROWS).numpy(), THREE_TASKS.answers(logits.numpy())
    found = THREE_TASKS.metrics(targets, answers)
    one = FIVE_STEPS.metrics(np.array([4, 0, 2]), FIVE_STEPS.answers(logits[[0, 3, 5], :5].numpy()))
    two = PARAPHRASE.metrics(np.array([1]), PARAPHRASE.answers(logits[[1], 5:7].numpy()))
    three = SIMILARITY.metrics(np.array([5.0, 2.5]), SIMILARITY.answers(logits[[2, 4], 7:].numpy()))
    assert found["five-steps accuracy"] == one["accuracy"]
    assert found["similarity pearson"] == three["pearson"]
    assert found["mean"] == pytest.approx(
        (one["accuracy"] + two["accuracy"] + three["pearson"]) / 3
    )


def test_several_labels_can_be_a_part() -> None:
    task = MixedTask("two", "Two", parts=(FEELINGS, SIMILARITY))
    truth = [0.0] * 11
    truth[3] = 2.0
    targets = task.targets([(0, truth), (1, 4.0)])
    assert targets.shape == (2, 12) and task.targets_of_part(targets, 0)[0].tolist() == [
        *(0, 0, 0, 1),
        *[0] * 7,
    ]
    logits = torch.zeros(2, 12)
    logits[1, 11] = 4.0  # a perfect similarity; ln 2 for every feeling that is left open
    assert task.loss(logits, targets).item() / 2 == pytest.approx(np.log(2) / 2)


def test_it_survives_its_description() -> None:
    assert task_of_dict(WEIGHTED.to_dict()) == WEIGHTED
    nested = {**WEIGHTED.to_dict(), "parts": [WEIGHTED.to_dict()]}
    with pytest.raises(BadInput):
        task_of_dict(nested)


@pytest.mark.parametrize(
    "changes",
    [
        {"parts": ()},
        {"parts": (FIVE_STEPS, FIVE_STEPS)},
        {"parts": (ASPECTS, SIMILARITY)},
        {"parts": (FIVE_STEPS, SIMILARITY), "weights": (1.0,)},
        {"parts": (FIVE_STEPS, SIMILARITY), "weights": (1.0, 0.0)},
        {"parts": (FIVE_STEPS, SIMILARITY), "weights": (1.0, float("nan"))},
    ],
)
def test_impossible_mixtures_are_refused(changes) -> None:
    with pytest.raises(BadInput):
        MixedTask("odd", "Odd", **changes)
