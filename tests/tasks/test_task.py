"""Losses and metrics of each kind of task against torch, scikit-learn, scipy and arithmetic."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, f1_score, log_loss

from bertsent.errors import BadInput
from bertsent.tasks.catalogue import ASPECTS, FEELINGS, FIVE_STEPS, SIMILARITY, TASKS, find_task
from bertsent.tasks.task import OneLabel, SeveralLabels, task_of_dict

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_it_survives_its_description(task) -> None:
    assert task_of_dict(task.to_dict()) == task
    assert find_task(task.name) is task


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_perfect_answer_costs_less_than_any_other_and_gets_full_marks(task) -> None:
    logits, truth = _perfect(task, 24)
    targets = task.targets(truth.tolist())
    best = task.loss(torch.tensor(logits), targets)
    worse = task.loss(torch.tensor(np.roll(logits, 1, axis=0)), targets)
    assert best < 0.01 and worse > 1
    assert task.metrics(targets.numpy(), task.answers(logits))[task.main_metric] == pytest.approx(1)


def _perfect(task, rows: int) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(task, OneLabel):
        truth = np.arange(rows) % task.outputs
        return 20 * np.eye(task.outputs, dtype=np.float32)[truth], truth
    if isinstance(task, SeveralLabels):
        truth = (np.arange(rows)[:, None] + np.arange(task.outputs)) % 3 == 0
        return np.where(truth, 20.0, -20.0).astype(np.float32), truth.astype(int)
    truth = np.linspace(task.low, task.high, rows)
    return truth[:, None].astype(np.float32), truth


def test_one_label_is_cross_entropy() -> None:
    logits, truth = RANDOM.normal(size=(30, 5)), RANDOM.integers(0, 5, 30)
    loss = FIVE_STEPS.loss(torch.tensor(logits), FIVE_STEPS.targets(truth.tolist())).item()
    answers = FIVE_STEPS.answers(logits)
    assert loss / 30 == pytest.approx(log_loss(truth, answers, labels=range(5)))
    found = FIVE_STEPS.metrics(truth, answers)
    given = logits.argmax(1)
    assert found["accuracy"] == accuracy_score(truth, given)
    assert found["macro_f1"] == pytest.approx(f1_score(truth, given, average="macro"))
    assert found["mean_distance"] == pytest.approx(sum(abs(truth - given)) / 30)


def test_the_expected_step_by_hand() -> None:
    answers = np.array([[0.1, 0.2, 0.3, 0.4, 0.0]])
    assert FIVE_STEPS.expected_step(answers) == pytest.approx([0.2 + 0.6 + 1.2])


def test_several_labels_by_hand() -> None:
    task = SeveralLabels("two", "Two", labels=("a", "b"))
    logits, rows = torch.tensor([[0.0, math.log(3)], [-math.log(3), 0.0]]), [[1, 0], [0, 3]]
    # −log ½, −log(1 − ¾); −log(1 − ¼), −log ½: the mean over two labels, added up
    expected = (math.log(2) + math.log(4) + math.log(4 / 3) + math.log(2)) / 2
    targets = task.targets(rows)
    assert task.loss(logits, targets).item() == pytest.approx(expected)
    answers = np.array([[0.9, 0.9], [0.1, 0.9], [0.2, 0.3]])
    truth = np.array([[1, 0], [0, 1], [0, 0]])
    found = task.metrics(truth, answers)  # ½, 1 and, with nothing in either, 1
    assert found["jaccard"] == pytest.approx(2.5 / 3)
    assert found["micro_f1"] == pytest.approx(4 / 5)  # 2 · 2 / (3 given + 2 true)


def test_a_rating_is_squared_error_by_the_range() -> None:
    logits, truth = torch.tensor([[2.5], [5.0]]), [0.0, 5.0]
    targets = SIMILARITY.targets(truth)
    assert SIMILARITY.loss(logits, targets).item() == pytest.approx(0.25)
    assert SIMILARITY.answers(np.array([[-1.0], [9.0], [3.2]])).tolist() == [0, 5, 3.2]
    truth, answers = RANDOM.normal(size=40), RANDOM.normal(size=40)
    squashed = replace(SIMILARITY, squashed=True)
    assert squashed.answers(np.array([[0.0], [np.log(3)]])).tolist() == pytest.approx([2.5, 3.75])
    assert squashed.loss(torch.tensor([[0.0]]), torch.tensor([5.0])).item() == pytest.approx(0.25)
    assert squashed.right(torch.tensor([[0.0]]), torch.tensor([2.9])).item() == 1
    assert task_of_dict(squashed.to_dict()) == squashed
    found = SIMILARITY.metrics(truth, answers)
    assert found["pearson"] == pytest.approx(pearsonr(truth, answers).statistic)
    assert SIMILARITY.metrics(truth, np.ones(40))["pearson"] == 0


@pytest.mark.parametrize("labels", [(), ("only",), ("twice", "twice"), ("a", " "), tuple("a" * 65)])
def test_impossible_labels_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        OneLabel("x", "X", labels=labels)


@pytest.mark.parametrize("damage", [{"kind": "guess"}, {"labels": 3}, {"more": 1}, {"name": None}])
def test_a_damaged_description_is_refused(damage: dict) -> None:
    values = {**ASPECTS.to_dict(), **damage}
    if values["name"] is None:
        del values["name"]
    with pytest.raises(BadInput):
        task_of_dict(values)


def test_all_of_plutchik_is_there() -> None:
    assert len(FEELINGS.labels) == 11 and FEELINGS.labels[:2] == ("joy", "trust")
