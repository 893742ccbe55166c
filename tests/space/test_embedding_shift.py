"""Both models on one plane: places are those of a PCA of all vectors, ways are Euclidean, a review
of the set has its own arrow.
"""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from bertsent.figures.before_after_maps import shift_figure
from bertsent.space import embedding_shift as module
from bertsent.space.embedding_shift import embedding_shift
from tests.figures.test_maps import points


@pytest.fixture
def both():
    random = np.random.default_rng(0)
    before = random.normal(size=(40, 12)).astype(np.float32)
    return before, before + np.where(np.arange(40) % 2, 3, -3)[:, None].astype(np.float32)


def test_the_plane_is_the_pca_of_both_together(both):
    found = embedding_shift(*both)
    theirs = PCA(2).fit(np.concatenate(both).astype(np.float64))
    assert np.allclose(
        np.abs(np.concatenate([found.before, found.after])),
        np.abs(theirs.transform(np.concatenate(both))),
        atol=1e-5,
    )
    assert np.allclose(found.plane.explained, theirs.explained_variance_ratio_)
    assert np.allclose(found.moved, 3 * np.sqrt(12), atol=1e-5) and found.fitted_on == 40


def test_a_review_of_the_set_has_its_own_way(both):
    found = embedding_shift(*both)
    arrow = found.arrow(both[0][7], both[1][7])
    assert np.allclose(arrow.start, found.before[7], atol=1e-6) and np.allclose(
        arrow.end, found.after[7], atol=1e-6
    )
    assert arrow.length == pytest.approx(found.moved[7]) and 0.9 < arrow.seen <= 1 + 1e-9
    still = found.arrow(both[0][7], both[0][7])
    assert still.length == 0 and still.seen == 1 and still.further_than == 0


def test_models_of_other_widths_share_no_plane(both):
    assert embedding_shift(both[0], both[1][:, :5]) is None


def test_the_plane_of_very_many_is_fitted_on_some_and_says_so(both, monkeypatch):
    monkeypatch.setattr(module, "MOST", 15)
    found = embedding_shift(*both)
    assert found.fitted_on == 14 and found.before.shape == found.after.shape == (40, 2)


def test_the_figure_has_an_arrow_for_each_label_and_one_for_the_review(both):
    found, frame = embedding_shift(*both), points(40)
    frame["label"] = np.where(np.arange(40) % 2, "POSITIVE", "NEGATIVE")
    bare, full = (
        shift_figure(frame, found),
        shift_figure(frame, found, arrow=found.arrow(both[0][7], both[1][7])),
    )
    assert (
        len(bare.layout.annotations) == 4 and len(full.layout.annotations) == 6
    )  # each has a dark edge
    assert [trace.name for trace in full.data] == [
        "before",
        "after: POSITIVE",
        "after: NEGATIVE",
        "your review",
    ]
    last = full.layout.annotations[-1]
    assert np.allclose(
        (last.ax, last.ay, last.x, last.y), (*found.before[7], *found.after[7]), atol=1e-6
    )
