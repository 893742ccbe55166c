"""ROC and precision–recall curves against scikit-learn's, ties included."""

import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from bertsent.training.runs.thresholds import threshold_curves


@pytest.fixture(params=[(7, 0), (40, 1), (785, 2), (785, 3)])
def answers(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    rows, seed = request.param
    draw = np.random.default_rng(seed)
    labels = np.arange(rows) % 2
    scores = draw.beta(2, 2, rows) * 0.7 + 0.3 * labels * draw.random(rows)
    return labels, np.round(scores, 2 if seed % 2 else 6)  # two digits: many ties


def test_areas_and_points_are_those_of_scikit_learn(
    answers: tuple[np.ndarray, np.ndarray],
) -> None:
    labels, scores = answers
    found = threshold_curves(labels, scores)
    assert found is not None
    assert found.auc == pytest.approx(roc_auc_score(labels, scores))
    assert found.average_precision == pytest.approx(average_precision_score(labels, scores))
    fpr, tpr, _ = roc_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_allclose(found.points["false_positive_rate"], fpr)
    np.testing.assert_allclose(found.points["recall"], tpr)
    precision, _, _ = precision_recall_curve(labels, scores)
    np.testing.assert_allclose(found.points["precision"], precision[::-1])


@pytest.mark.parametrize("threshold", [0.01, 0.3, 0.5, 0.51, 0.99])
def test_the_point_of_a_threshold_is_that_of_its_confusion_matrix(
    answers: tuple[np.ndarray, np.ndarray], threshold: float
) -> None:
    labels, scores = answers
    found = threshold_curves(labels, scores)
    assert found is not None
    (tn, fp), (fn, tp) = confusion_matrix(labels, scores > threshold, labels=[0, 1])
    point = found.at(threshold)
    assert point["recall"] == pytest.approx(tp / (tp + fn))
    assert point["false_positive_rate"] == pytest.approx(fp / (fp + tn))
    if tp + fp:
        assert point["precision"] == pytest.approx(tp / (tp + fp))
    for sentence in (found.roc_sentence(threshold), found.precision_sentence(threshold)):
        assert f"{100 * tp / (tp + fn):.1f} % of the positive reviews" in sentence


def test_one_label_alone_has_no_curve() -> None:
    assert threshold_curves([1, 1, 1], np.array([0.1, 0.5, 0.9])) is None
