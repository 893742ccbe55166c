import warnings

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from bertsent.errors import BadInput
from bertsent.space.clustering import (
    agreement,
    by_size,
    cluster_label_matrix,
    distinct,
    kmeans,
    silhouette,
    stability,
)


def groups(sizes=(30, 20, 10), width=6):
    random = np.random.default_rng(0)
    centres = np.eye(len(sizes), width) * 20
    ids = np.repeat(np.arange(len(sizes)), sizes)
    return (centres[ids] + random.normal(size=(len(ids), width))).astype(np.float32), ids


def test_clear_groups_are_found_and_numbered_by_size():
    vectors, truth = groups()
    order = np.random.default_rng(1).permutation(len(truth))
    found = kmeans(vectors[order], 3)
    assert np.array_equal(found.ids, truth[order]) and found.ids.dtype == np.int64
    assert np.allclose(
        found.centres, [vectors[truth == group].mean(axis=0) for group in range(3)], atol=1e-4
    )
    assert np.array_equal(kmeans(vectors, 3, seed=5).ids, truth)


@pytest.mark.parametrize("names", [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
def test_numbers_do_not_depend_on_what_kmeans_called_the_clusters(names):
    raw = np.array([0, 1, 1, 2, 2, 0, 1])  # 0 and 2 are equally large, 0 is met first
    called = np.array(names)[raw]
    assert np.array_equal(np.argsort(by_size(called, 3))[called], [1, 0, 0, 2, 2, 1, 0])


@pytest.mark.parametrize("k", [0, -1, 3])
def test_more_clusters_than_different_vectors_are_refused(k):
    vectors = np.repeat(np.eye(2, 4), 5, axis=0)
    with pytest.raises(BadInput, match="2 different vectors"):
        kmeans(vectors, k)


def test_equal_vectors_make_one_cluster_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not kmeans(np.ones((9, 3), dtype=np.float32), 1).ids.any()
        assert set(kmeans(np.repeat(np.eye(3), 4, axis=0), 3).ids) == {0, 1, 2}
    assert distinct(np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0]])) == 2


def test_vectors_that_are_no_numbers_are_refused():
    with pytest.raises(BadInput):
        kmeans(np.array([[np.nan, 1.0], [1.0, 2.0]]), 1)


def test_the_matrix_counts_every_labelled_review_once():
    ids, labels = np.array([0, 0, 0, 1, 1, 2]), [0, 0, 1, 1, None, None]
    matrix = cluster_label_matrix(ids, labels)
    assert matrix.columns.tolist() == ["NEGATIVE", "POSITIVE"] and matrix.index.name == "cluster"
    assert matrix.to_numpy().tolist() == [[2, 1], [0, 1], [0, 0]] and matrix.to_numpy().sum() == 4
    with pytest.raises(BadInput):
        cluster_label_matrix(ids, labels[:-1])


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_labels_agree_with_themselves_and_with_themselves_renamed():
    labels = [0, 1, 1, 0, 1, 0, 0, 1]
    for ids in (np.array(labels), 1 - np.array(labels)):
        found = agreement(ids, labels)
        assert (found.ari, found.nmi, found.purity, found.accuracy) == (1, 1, 1, 1)


def test_swapping_cluster_ids_changes_nothing(random):
    ids, labels = random.integers(0, 4, 300), random.integers(0, 2, 300).tolist()
    one = agreement(ids, labels)
    for names in ([3, 1, 0, 2], [1, 2, 3, 0]):
        other = agreement(np.array(names)[ids], labels)
        assert (other.ari, other.nmi, other.purity, other.accuracy) == pytest.approx(
            (one.ari, one.nmi, one.purity, one.accuracy)
        )
    clear = agreement(np.array([0, 0, 0, 1, 1, 2]), [1, 1, 1, 0, 0, 0])
    assert clear.matched == {0: 1, 1: 0} and agreement(
        np.array([2, 2, 2, 0, 0, 1]), [1, 1, 1, 0, 0, 0]
    ).matched == {2: 1, 0: 0}


def test_a_table_worked_out_by_hand():
    """Clusters × labels 5 1 / 2 4 / 0 3: matched 0→0 and 1→1 (9 of 15), pure 5 + 4 + 3."""
    ids = np.repeat([0, 0, 1, 1, 2], [5, 1, 2, 4, 3])
    labels = np.repeat([0, 1, 0, 1, 1], [5, 1, 2, 4, 3]).tolist()
    found = agreement(ids, labels)
    assert found.matched == {0: 0, 1: 1} and found.accuracy == 9 / 15 and found.purity == 12 / 15
    pairs = 10 + 0 + 1 + 6 + 3  # pairs together in both
    clusters, truths, all_pairs = 15 + 15 + 3, 21 + 28, 105
    chance = clusters * truths / all_pairs
    assert found.ari == pytest.approx((pairs - chance) / ((clusters + truths) / 2 - chance))


def test_reviews_without_a_label_do_not_count(random):
    ids = random.integers(0, 2, 50)
    labels = [int(i) if n % 3 else None for n, i in enumerate(ids)]
    assert agreement(ids, labels).reviews == sum(label is not None for label in labels)
    assert agreement(ids, labels).ari == 1 and agreement(ids, [None] * 50) is None
    with pytest.raises(BadInput):
        agreement(ids, [0])


def test_random_clusters_agree_by_chance_only(random):
    found = agreement(random.integers(0, 2, 4_000), random.integers(0, 2, 4_000).tolist())
    assert (
        abs(found.ari) < 0.01
        and found.nmi < 0.01
        and found.accuracy == pytest.approx(0.5, abs=0.03)
    )


def test_the_silhouette_is_scikit_learn_s_and_is_none_where_there_is_none(random):
    vectors, ids = random.normal(size=(60, 5)), random.integers(0, 3, 60)
    assert silhouette(vectors, ids) == pytest.approx(silhouette_score(vectors, ids))
    assert (
        silhouette(vectors, np.zeros(60, int)) is None
        and silhouette(vectors[:3], np.arange(3)) is None
    )


def test_clear_groups_do_not_depend_on_the_start_and_noise_does(random):
    clear = np.repeat(np.eye(3) * 30, 20, axis=0) + random.normal(size=(60, 3))
    assert stability(clear, 3, seeds=4).mean == 1
    noise = stability(random.normal(size=(150, 20)), 8, seeds=4)
    assert noise.low <= noise.mean < 0.9
    with pytest.raises(BadInput):
        stability(clear, 3, seeds=1)
