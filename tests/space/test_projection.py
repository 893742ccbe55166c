import warnings

import numpy as np
import pytest

from bertsent.errors import BadInput, Cancelled
from bertsent.space.projection import pca, recalled_tsne, tsne


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def cloud(n, width=8, seed=0):
    return (
        np.random.default_rng(seed).normal(size=(n, width)) * np.linspace(3, 0.3, width)
    ).astype(np.float32)


def test_pca_equals_the_eigenvectors_of_the_covariance():
    vectors = cloud(80)
    found = pca(vectors, 3)
    data = vectors.astype(float) - vectors.astype(float).mean(axis=0)
    values, directions = np.linalg.eigh(data.T @ data / (len(data) - 1))
    values, directions = values[::-1], directions[:, ::-1].T
    directions *= np.sign(directions[np.arange(8), np.abs(directions).argmax(axis=1)])[:, None]
    assert np.allclose(found.axes, directions[:3], atol=1e-9)
    assert np.allclose(found.explained, values[:3] / values.sum(), atol=1e-12)
    assert np.allclose(found.coordinates, data @ directions[:3].T, atol=1e-9)


def test_pca_by_hand():
    """Points on the line y = 2x: one axis (1, 2)/√5 explains everything, the other nothing."""
    found = pca(np.array([[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]]))
    assert np.allclose(found.axes, [[1 / 5**0.5, 2 / 5**0.5], [0, 0]])
    assert np.allclose(found.coordinates, [[-(5**0.5), 0], [0, 0], [5**0.5, 0]])
    assert np.allclose(found.explained, [1, 0])


def test_a_vector_of_the_map_lands_on_its_own_dot():
    vectors = cloud(50)
    found = pca(vectors, 3)
    assert np.abs(found.place(vectors) - found.coordinates).max() < 1e-6
    assert np.abs(found.place(vectors[7:8]) - found.coordinates[7]).max() < 1e-6


def test_signs_are_fixed():
    vectors = cloud(60)
    found, reversed_, negated = pca(vectors), pca(vectors[::-1]), pca(-vectors)
    assert np.allclose(found.coordinates, reversed_.coordinates[::-1], atol=1e-6)
    assert np.allclose(found.axes, negated.axes, atol=1e-6) and np.allclose(
        found.coordinates, -negated.coordinates, atol=1e-6
    )
    largest = np.abs(found.axes).argmax(axis=1)
    assert (found.axes[[0, 1], largest] > 0).all()


@pytest.mark.parametrize(
    "vectors",
    [
        cloud(1),
        cloud(2),
        cloud(3),
        np.repeat(cloud(1), 30, axis=0),
        np.zeros((5, 4)),
        cloud(4, width=1),
    ],
)
def test_few_or_equal_vectors_make_a_map_too(vectors):
    found = pca(vectors, 3)
    assert (
        found.coordinates.shape == (len(vectors), 3)
        and np.isfinite(found.coordinates).all()
        and np.isfinite(found.explained).all()
    )
    if len(np.unique(vectors, axis=0)) == 1:
        assert (
            not found.coordinates.any()
            and not found.explained.any()
            and not found.place(vectors).any()
        )


def test_two_vectors_lie_their_distance_apart():
    vectors = cloud(2)
    x = pca(vectors).coordinates
    assert (
        abs(x[0, 0] - x[1, 0])
        == pytest.approx(np.linalg.norm(vectors[0].astype(float) - vectors[1]))
        and not x[:, 1].any()
    )


@pytest.mark.parametrize("bad", [np.zeros((0, 4)), np.zeros(4), np.array([[1.0, np.nan]])])
def test_what_is_no_set_of_vectors_is_refused(bad):
    for make in (pca, tsne):
        with pytest.raises(BadInput):
            make(bad)


def test_what_does_not_fit_the_map_is_refused():
    for made in (pca(cloud(9)), tsne(cloud(9))):
        with pytest.raises(BadInput, match="width 5"):
            made.place(np.zeros((1, 5)))
    with pytest.raises(BadInput):
        pca(cloud(9), 0)


def test_the_same_seed_twice_gives_the_same_map():
    vectors = cloud(60, width=70)  # wider than 50: reduced first
    one, two = tsne(vectors, seed=7), tsne(vectors, seed=7)
    assert np.array_equal(one.coordinates, two.coordinates) and one.space.coordinates.shape == (
        60,
        50,
    )
    assert one.perplexity == pytest.approx(59 / 3)
    assert not np.array_equal(one.coordinates, tsne(vectors, seed=8).coordinates)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10])
def test_small_sets(n):
    vectors = cloud(n)
    found = tsne(vectors)
    assert found.coordinates.shape == (n, 2) and np.isfinite(found.coordinates).all()
    assert bool(found.note) == (n <= 3)
    assert np.isfinite(found.place(vectors[:1])).all()
    if n <= 3:
        assert np.allclose(found.coordinates, pca(vectors).coordinates) and np.allclose(
            found.place(vectors), found.coordinates
        )
        assert "too few" in found.note


def test_equal_vectors():
    same = tsne(np.repeat(cloud(1), 40, axis=0))
    assert "1 different vector," in same.note and not same.coordinates.any()
    repeated = tsne(np.repeat(cloud(5), 8, axis=0))
    assert not repeated.note and np.isfinite(repeated.coordinates).all()


def test_neighbours_stay_together():
    groups = np.repeat([0, 1], 30)
    found = tsne(cloud(60) + 40 * groups[:, None]).coordinates
    middle = [found[groups == group].mean(axis=0) for group in (0, 1)]
    nearer = np.linalg.norm(found - middle[0], axis=1) > np.linalg.norm(found - middle[1], axis=1)
    assert (nearer == groups).all()


def test_a_copy_is_placed_beside_its_original_and_the_map_stays():
    vectors = cloud(80)
    made = tsne(vectors)
    before = made.coordinates.copy()
    away = np.linalg.norm(made.place(vectors) - made.coordinates, axis=1)
    assert np.median(away) < 0.02 * np.ptp(made.coordinates) and np.array_equal(
        before, made.coordinates
    )
    assert np.array_equal(made.place(vectors[:3]), made.place(vectors[:3]))
    recalled = recalled_tsne(vectors, made.coordinates)
    assert (
        np.array_equal(recalled.place(vectors[:3]), made.place(vectors[:3]))
        and recalled.perplexity == made.perplexity
    )


def test_progress_rises_to_one_and_may_stop_the_work():
    told = []
    tsne(cloud(20), progress=told.append)
    assert told == sorted(told) and len(told) == 30 and told[-1] == 1

    def stop(_):
        raise Cancelled("You stopped the map.")

    with pytest.raises(Cancelled):
        tsne(cloud(20), progress=stop)


def test_a_perplexity_too_large_is_cut():
    assert tsne(cloud(10)).perplexity == 3
