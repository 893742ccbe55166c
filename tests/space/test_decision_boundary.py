import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

from bertsent.data.examples import Example, Reviews
from bertsent.data.splits import review_groups
from bertsent.errors import BadInput
from bertsent.space.decision_boundary import (
    boundary_sentence,
    boundary_table,
    classifier,
    decision_boundary,
    neighbourhood_fidelity,
)


def labelled(labels, pairs=None) -> Reviews:
    names = pairs or [None] * len(labels)
    return Reviews(
        "numbered",
        tuple(
            Example(f"r{i}", f"review {i}", label, pair=pair)
            for i, (label, pair) in enumerate(zip(labels, names, strict=True))
        ),
    )


@pytest.fixture
def clouds():
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1], 80)
    vectors = random.normal(size=(160, 12))
    vectors[:, 0] += 3 * labels
    return vectors[:, :2].copy(), vectors, labels.tolist()


@pytest.mark.parametrize("kind", ["svm", "logistic"])
def test_the_accuracy_is_scikit_learn_s_over_the_stated_folds(clouds, kind):
    places, vectors, labels = clouds
    found = decision_boundary(places, vectors, labelled(labels), kind)
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=42)
    groups = review_groups(labelled(labels))
    for data, accuracy in (
        (places, found.accuracies.first),
        (vectors, found.accuracies.second),
    ):
        answers = cross_val_predict(classifier(kind), data, labels, groups=groups, cv=folds)
        assert accuracy == (answers == labels).mean() > 0.85
    assert (found.folds, found.accuracies.n) == (5, 160)
    assert found.interval[0] < found.accuracies.first < found.interval[1]
    assert boundary_table(found, None)["majority class"] == "50.0 %"
    assert "an accuracy of 50.0 %" in boundary_sentence(found, "PCA")


def test_the_sides_of_a_minimal_pair_lie_in_one_fold():
    """Folds that separated the sides of a pair judged each side by a classifier that had seen a
    nearly equal vector with the other label: far worse than chance on pure noise.
    """
    random = np.random.default_rng(0)
    pairs = np.repeat(random.normal(size=(60, 2)), 2, axis=0)
    places = pairs + random.normal(0, 1e-3, pairs.shape)
    labels, names = [0, 1] * 60, [f"pair {i // 2}" for i in range(120)]
    together = decision_boundary(places, places, labelled(labels, names), "svm").accuracies
    apart = decision_boundary(places, places, labelled(labels), "svm").accuracies
    assert abs(together.first - 0.5) < 0.1 and apart.first < 0.35
    assert together.first == together.second


def test_permuted_labels_give_about_a_half(clouds):
    places, vectors, labels = clouds
    random = np.random.default_rng(1)
    found = [
        decision_boundary(places, vectors, labelled(random.permutation(labels).tolist()), "svm")
        for _ in range(10)
    ]
    assert np.mean([each.accuracies.first for each in found]) == pytest.approx(0.5, abs=0.07)


def test_the_regions_are_the_sides_of_the_classifier_and_hold_every_dot(clouds):
    places, vectors, labels = clouds
    found = decision_boundary(places, vectors, labelled(labels), "logistic")
    fitted = classifier("logistic").fit(places, labels)
    grid = np.array([[found.xs[3], found.ys[7]], [found.xs[-1], found.ys[0]]])
    assert ((found.p_positive[[7, 0], [3, -1]] > 0.5).astype(int) == fitted.predict(grid)).all()
    assert np.allclose(found.p_positive[[7, 0], [3, -1]], fitted.predict_proba(grid)[:, 1])
    assert found.xs[0] < places[:, 0].min() and found.ys[-1] > places[:, 1].max()


def test_of_very_many_reviews_a_seeded_sample_is_judged(monkeypatch, clouds):
    monkeypatch.setattr("bertsent.space.decision_boundary.FITTED", 100)
    places, vectors, labels = clouds
    found, again = (
        decision_boundary(places, vectors, labelled(labels), "logistic") for _ in range(2)
    )
    assert (
        found.accuracies.n == 100
        and found.accuracies == again.accuracies
        and (found.p_positive == again.p_positive).all()
    )


def test_reviews_without_a_label_are_left_out_and_too_few_are_refused(clouds):
    places, vectors, labels = clouds
    fewer = labelled([None] * 10 + labels[10:])
    assert decision_boundary(places, vectors, fewer, "logistic").accuracies.n == 150
    for refused in ([None] * 160, [0] * 160, [0] * 159 + [1]):
        with pytest.raises(BadInput, match="not enough labelled"):
            decision_boundary(places, vectors, labelled(refused))
    with pytest.raises(BadInput, match="two dimensions"):
        decision_boundary(vectors[:, :3], vectors, labelled(labels))
    with pytest.raises(BadInput, match="no classifier"):
        decision_boundary(places, vectors, labelled(labels), "forest")
    few = labelled(labels[77:83])
    assert decision_boundary(places[77:83], vectors[77:83], few, "logistic").folds == 3


def test_fidelity_is_scikit_learn_s_trustworthiness_and_is_whole_for_the_vectors_themselves(clouds):
    places, vectors, _ = clouds
    found = neighbourhood_fidelity(places, vectors)
    assert (
        found.trustworthiness == pytest.approx(trustworthiness(vectors, places, n_neighbors=10))
        and 0 < found.preservation < 1
    )
    same = neighbourhood_fidelity(vectors, vectors)
    assert (same.trustworthiness, same.preservation) == (1, 1)
    assert (
        neighbourhood_fidelity(places[:2], vectors[:2]) is None
        and neighbourhood_fidelity(places[:3], vectors[:3]).neighbours == 1
    )
