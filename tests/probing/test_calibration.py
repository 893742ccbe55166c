"""Calibration error and temperature against worked examples and a second way of reckoning."""

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.probing.calibration import expected_calibration_error, least_error_temperature

CHANCE = np.random.default_rng(0)


def test_the_error_of_a_worked_example():
    # confidences .9 .9 .8 .6, right yes no yes yes: bins of a tenth hold {.9 .9}, {.8}, {.6}
    p, labels = np.array([0.9, 0.9, 0.2, 0.6]), np.array([1, 0, 0, 1])
    assert expected_calibration_error(p, labels, bins=10) == pytest.approx((2 * abs(0.5 - 0.9) + abs(1 - 0.8) + abs(1 - 0.6)) / 4)


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
