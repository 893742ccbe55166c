import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from sklearn.model_selection import StratifiedKFold, cross_val_score

from bertsent.errors import BadInput
from bertsent.space.decision_boundary import classifier, decision_boundary, neighbourhood_fidelity


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
    found = decision_boundary(places, vectors, labels, kind)
    folds = StratifiedKFold(5, shuffle=True, random_state=42)
    for data, mean, sd in (
        (places, found.accuracy, found.sd),
        (vectors, found.full_accuracy, found.full_sd),
    ):
        scores = cross_val_score(classifier(kind), data, labels, cv=folds)
        assert (mean, sd) == pytest.approx((scores.mean(), scores.std(ddof=1)))
    assert (found.folds, found.chance, found.reviews) == (5, 0.5, 160) and found.accuracy > 0.85


def test_permuted_labels_give_about_a_half(clouds):
    places, vectors, labels = clouds
    random = np.random.default_rng(1)
    found = [
        decision_boundary(places, vectors, random.permutation(labels).tolist(), "svm").accuracy
        for _ in range(10)
    ]
    assert np.mean(found) == pytest.approx(0.5, abs=0.07)


def test_the_regions_are_the_sides_of_the_classifier_and_hold_every_dot(clouds):
    places, vectors, labels = clouds
    found = decision_boundary(places, vectors, labels, "logistic")
    fitted = classifier("logistic").fit(places, labels)
    grid = np.array([[found.xs[3], found.ys[7]], [found.xs[-1], found.ys[0]]])
    assert ((found.p_positive[[7, 0], [3, -1]] > 0.5).astype(int) == fitted.predict(grid)).all()
    assert np.allclose(found.p_positive[[7, 0], [3, -1]], fitted.predict_proba(grid)[:, 1])
    assert found.xs[0] < places[:, 0].min() and found.ys[-1] > places[:, 1].max()


def test_of_very_many_reviews_a_seeded_sample_is_judged(monkeypatch, clouds):
    monkeypatch.setattr("bertsent.space.decision_boundary.FITTED", 100)
    places, vectors, labels = clouds
    found, again = (decision_boundary(places, vectors, labels, "logistic") for _ in range(2))
    assert (
        found.reviews == 100
        and found.full_accuracy == again.full_accuracy
        and (found.p_positive == again.p_positive).all()
    )


def test_reviews_without_a_label_are_left_out_and_too_few_are_refused(clouds):
    places, vectors, labels = clouds
    assert decision_boundary(places, vectors, [None] * 10 + labels[10:], "logistic").reviews == 150
    for spoiled in ([None] * 160, [0] * 160, [0] * 159 + [1]):
        with pytest.raises(BadInput, match="not enough labelled"):
            decision_boundary(places, vectors, spoiled)
    with pytest.raises(BadInput, match="two dimensions"):
        decision_boundary(vectors[:, :3], vectors, labels)
    with pytest.raises(BadInput, match="no classifier"):
        decision_boundary(places, vectors, labels, "forest")
    assert decision_boundary(places[77:83], vectors[77:83], labels[77:83], "logistic").folds == 3


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
