import warnings

import numpy as np
import pytest

from bertsent.errors import BadInput
from bertsent.space.clustering import by_size, cluster_label_matrix, distinct, kmeans


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
