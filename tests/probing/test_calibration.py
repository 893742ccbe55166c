"""Calibration error and temperature against worked examples and a second way of reckoning."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.calibration import (
    at_temperature,
    expected_calibration_error,
    least_error_temperature,
    reliability,
)

CHANCE = np.random.default_rng(0)


def test_the_error_of_a_worked_example():
    # confidences .9 .9 .8 .6, right yes no yes yes: bins of a tenth hold {.9 .9}, {.8}, {.6}
    p, labels = np.array([0.9, 0.9, 0.2, 0.6]), np.array([1, 0, 0, 1])
    assert expected_calibration_error(p, labels, bins=10) == pytest.approx(
        (2 * abs(0.5 - 0.9) + abs(1 - 0.8) + abs(1 - 0.6)) / 4
    )


def test_the_error_equals_bin_by_bin_reckoning():
    p, labels = CHANCE.uniform(size=4_000), CHANCE.integers(0, 2, 4_000)
    confidence, right, total = np.maximum(p, 1 - p), (p > 0.5) == labels, 0.0
    for low, high in zip(np.arange(15) / 15, np.arange(1, 16) / 15, strict=True):
        held = (confidence > low) & (confidence <= high)
        if held.any():
            total += held.mean() * abs(right[held].mean() - confidence[held].mean())
    assert expected_calibration_error(p, labels) == pytest.approx(total)


def test_answers_drawn_from_their_own_probabilities_are_calibrated():
    p = CHANCE.uniform(size=100_000)
    assert expected_calibration_error(p, CHANCE.uniform(size=len(p)) < p) < 0.01


@pytest.mark.parametrize("true", [0.6, 1.0, 1.7])
def test_the_temperature_that_sharpened_the_logits_is_found_again(true):
    margin = CHANCE.normal(0, 2, 50_000)
    labels = (CHANCE.uniform(size=len(margin)) < 1 / (1 + np.exp(-margin))).astype(int)
    logits = np.stack([-margin / 2, margin / 2], axis=1) * true
    found = least_error_temperature(logits, labels)
    assert found == pytest.approx(true, rel=0.12)
    cooled = 1 / (1 + np.exp(-(logits[:, 1] - logits[:, 0]) / found))
    assert expected_calibration_error(cooled, labels) < 0.015


def test_answers_without_labels_are_refused():
    with pytest.raises(BadInput):
        expected_calibration_error(np.array([]), np.array([]))
    with pytest.raises(BadInput):
        least_error_temperature(np.zeros((3, 2)), np.array([1]))


def test_the_reliability_table_holds_every_answer_once_and_gives_the_error():
    random = np.random.default_rng(3)
    p, labels = random.uniform(size=500), random.integers(0, 2, 500)
    table = reliability(p, labels, 10)
    confidence = np.maximum(p, 1 - p)
    for row in table.itertuples():
        inside = (confidence > row.low) & (confidence <= row.high)
        assert inside.sum() == row.n and row.confidence == pytest.approx(confidence[inside].mean())
        assert row.accuracy == pytest.approx(((p > 0.5) == labels)[inside].mean())
    assert table["n"].sum() == 500
    assert expected_calibration_error(p, labels, 10) == pytest.approx(
        (table["n"] * (table["accuracy"] - table["confidence"]).abs()).sum() / 500
    )


def test_temperature_one_changes_nothing_and_none_changes_a_side():
    p = np.array([0.0, 0.1, 0.5, 0.7, 0.999, 1.0])
    assert at_temperature(p, 1) is not None and np.array_equal(at_temperature(p, 1), p)
    assert (
        at_temperature(p, 3)[[0, 2, 5]].tolist() == [0, 0.5, 1]
        and ((at_temperature(p, 3) > 0.5) == (p > 0.5)).all()
    )
    assert at_temperature(np.array([0.7]), 2)[0] == pytest.approx(1 / (1 + (3 / 7) ** 0.5))
    with pytest.raises(BadInput):
        at_temperature(p, 0)
