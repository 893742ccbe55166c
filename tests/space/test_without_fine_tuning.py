"""Frozen vectors as features and as clusters: accuracies are scikit-learn's on the same vectors."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bertsent.data.examples import Example, Reviews
from bertsent.space.without_fine_tuning import (
    clusters_compared,
    difference_sentence,
    labels_curve,
    labels_sentence,
    score_table,
    two_clusters,
)
from bertsent.statistics import wilson_interval

N, M = 120, 80


def reviews(name: str, labels: np.ndarray) -> Reviews:
    rows = (Example(f"{name}-{i}", f"{name} {i}", int(y)) for i, y in enumerate(labels))
    return Reviews(name, tuple(rows))


def made(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors (n, 6) of which two numbers tell something of the label."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, n)
    vectors = random.normal(size=(n, 6))
    vectors[:, :2] += 0.8 * (2 * labels[:, None] - 1)
    return vectors.astype(np.float32), labels


def test_the_curve_ends_at_scikit_learn_on_all_labels() -> None:
    learned, labels = made(1, N)
    judged, truth = made(2, M)
    done: list[float] = []
    curve = labels_curve(
        learned,
        reviews("train", labels),
        judged,
        reviews("validation", truth),
        SimpleNamespace(),  # only kept beside the head
        progress=done.append,
    )
    assert curve["labels"].tolist() == [16, 64, N] and done == [0, 1 / 3, 2 / 3]
    theirs = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2_000))
    right = theirs.fit(learned, labels).predict(judged) == truth
    assert curve.iloc[-1]["rate"] == pytest.approx(right.mean())
    assert tuple(curve.iloc[-1][["low", "high"]]) == pytest.approx(wilson_interval(right.sum(), M))
    said = labels_sentence(curve, 0.99, 0.52)
    assert f"{100 * right.mean():.1f} %" in said and "points below" in said and "52.0 %" in said
    assert "points above" in labels_sentence(curve, 0.0, 0.5)


def test_small_sets_have_both_labels() -> None:
    labels = np.array([0] * 100 + [1] * 20)
    learned = np.random.default_rng(3).normal(size=(N, 4)).astype(np.float32)
    set_ = reviews("train", labels)
    curve = labels_curve(learned, set_, learned, set_, SimpleNamespace())
    assert np.isfinite(curve["rate"]).all()


def test_two_clusters_are_compared_with_the_labels() -> None:
    random, labels = np.random.default_rng(4), [0, 1] * 30
    apart = random.normal(size=(60, 3)) + 20 * np.array(labels)[:, None]
    mixed = random.normal(size=(60, 3))
    after, before = two_clusters(apart, labels), two_clusters(mixed, labels)
    assert after.measures.ari == 1 and after.right.all() and after.matrix.to_numpy().max() == 30
    assert before.right.mean() == pytest.approx(before.measures.accuracy)
    from sklearn.cluster import KMeans

    ids = KMeans(2, n_init=10, random_state=42).fit(mixed).labels_
    assert before.measures.ari == pytest.approx(adjusted_rand_score(labels, ids))
    said = clusters_compared(before, after)
    assert "ARI 1.000." in said and f"purity {100 * before.measures.purity:.1f} %" in said


def test_accuracies_are_compared_on_the_same_reviews() -> None:
    first = np.array([True] * 30 + [False] * 30)
    second = np.array([True] * 55 + [False] * 5)
    groups = list(range(60))
    table = score_table({"first": first, "second": second}, groups)
    assert table["rate"].tolist() == pytest.approx([0.5, 55 / 60])
    assert tuple(table.iloc[1][["low", "high"]]) == pytest.approx(wilson_interval(55, 60))
    said = difference_sentence(first, second, groups, "It", "the tuned one")
    assert "50.0 % of 60 reviews" in said and "91.7 %: 41.7 points more" in said
    assert "p < 0.001" in said and "told apart" not in said
    assert "cannot be told apart" in difference_sentence(first, first, groups, "It", "it")
