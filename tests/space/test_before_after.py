import threading
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bertsent.data.splits import review_groups
from bertsent.errors import Cancelled
from bertsent.figures.before_after_maps import shift_figure
from bertsent.space import before_after as module
from bertsent.space.before_after import (
    BeforeAfter,
    before_after_sentence,
    compare_before_after,
    embedding_shift,
    separated,
)
from bertsent.space.projection import pca
from bertsent.space.projection_map import MapOptions
from bertsent.ui.shared.jobs import Jobs
from tests.conftest import wait_until
from tests.figures.test_maps import points as map_points
from tests.space.fake_learner import LetterLearner, letter_reviews
from tests.space.test_decision_boundary import labelled

TITLES = ["Before: PCA", "Before: t-SNE", "After: PCA", "After: t-SNE"]


class Trained(LetterLearner):
    """It knows the label: even reviews of the set are told from odd ones by where it puts them."""

    name = "trained"

    def embed_and_answer(self, texts, **options):
        vectors, chances = super().embed_and_answer(texts, **options)
        vectors[:, 0] += np.where(np.arange(len(texts)) % 2, 60, -60).astype(np.float32)
        return vectors, chances


def untouched(**options):
    return LetterLearner(key="untouched", sentiment=False, **options)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return compare_before_after(
        untouched(),
        Trained(),
        letter_reviews(60),
        MapOptions(clusters=3),
        cache=tmp_path_factory.mktemp("space"),
    )


def test_all_four_hold_the_same_reviews_in_the_same_order(made):
    ids = [example.id for example in letter_reviews(60)]
    assert list(made.panels) == TITLES
    assert (
        all(points["id"].tolist() == ids for points in made.panels.values())
        and made.table["id"].tolist() == ids
    )


def test_each_map_is_made_of_its_own_models_vectors(made):
    reviews = letter_reviews(60)
    for learner, when, maps in (
        (untouched(), "Before", made.before),
        (Trained(), "After", made.after),
    ):
        vectors = learner.embed_and_answer(reviews.texts)[0]
        assert np.array_equal(maps.vectors, vectors)
        assert np.array_equal(
            made.panels[f"{when}: PCA"][["x", "y"]].to_numpy(), pca(vectors, 2).coordinates
        )
        assert not np.array_equal(
            made.panels[f"{when}: PCA"][["x", "y"]], made.panels[f"{when}: t-SNE"][["x", "y"]]
        )


def test_answers_are_the_fine_tuned_models_and_clusters_each_ones_own(made):
    chances = Trained().embed_and_answer(letter_reviews(60).texts)[1]
    for points in made.panels.values():
        assert np.array_equal(points["p_positive"], chances[:, 1]) and set(
            points["prediction"]
        ) <= {"NEGATIVE", "POSITIVE"}
    assert np.array_equal(made.panels["Before: PCA"]["cluster"], made.before.pca.points["cluster"])
    assert not np.array_equal(
        made.panels["Before: PCA"]["cluster"], made.panels["After: PCA"]["cluster"]
    )


def test_the_table_has_every_place(made):
    for title, when in (("Before", "before"), ("After", "after")):
        for method in ("PCA", "t-SNE"):
            places = [f"{when}_{method.replace('-', '').lower()}_{axis}" for axis in "xy"]
            assert np.array_equal(made.table[places], made.panels[f"{title}: {method}"][["x", "y"]])
    assert {"before_cluster", "after_cluster", "prediction", "p_positive"} <= set(made.table)


def test_the_gain_is_what_scikit_learn_says(made):
    truth = np.array(letter_reviews(60).labels)
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=42)
    judge = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    names = review_groups(letter_reviews(60))
    vectors = [maps.vectors.astype(float) for maps in (made.before, made.after)]
    right = [
        cross_val_predict(judge, each, truth, cv=folds, groups=names) == truth for each in vectors
    ]
    gain = made.separation
    assert (gain.first, gain.second) == tuple(r.mean() for r in right)
    assert gain.second == 1 and gain.significant and gain.n == 60 and not made.unchanged


def test_reviews_without_a_label_are_left_out_of_the_measure():
    random = np.random.default_rng(0)
    vectors, labels = random.normal(size=(40, 6)), [i % 2 for i in range(30)] + [None] * 10
    whole, known = separated(vectors, labelled(labels)), labelled(labels[:30])
    assert np.array_equal(whole, separated(vectors[:30], known))
    assert separated(vectors, labelled([None] * 40)) is None
    assert separated(vectors, labelled([1] * 36 + [0] * 4)) is None


def test_the_sides_of_a_pair_are_judged_together():
    """Two nearly equal vectors with opposite labels would each be judged wrongly by a regression
    that saw the other.
    """
    random = np.random.default_rng(0)
    pairs = np.repeat(random.normal(size=(50, 30)), 2, axis=0)
    vectors, labels = pairs + random.normal(0, 1e-3, pairs.shape), [0, 1] * 50
    together = separated(vectors, labelled(labels, [f"pair {i // 2}" for i in range(100)]))
    assert abs(together.mean() - 0.5) < 0.1 and separated(vectors, labelled(labels)).mean() < 0.3


def test_a_change_of_paired_reviews_is_tested_by_pair():
    """The difference before and after took the reviews as independent: ten pairs that all changed
    alike counted as twenty changes.
    """
    names = [f"pair {i // 2}" for i in range(20)]
    reviews = labelled([0, 1] * 10, names)
    before = np.array([False] * 10 + [True] * 10)
    one, other = (SimpleNamespace(correct=each) for each in (before, np.ones(20, dtype=bool)))
    found = BeforeAfter(one, other, reviews).separation
    assert (found.corrected, found.broken) == (10, 0)
    assert found.p_value == pytest.approx(2 * 0.5**5)  # five pairs, not ten reviews
    assert "may be chance" in before_after_sentence(
        SimpleNamespace(separation=found, unchanged=False, reviews=reviews), 0
    )


@pytest.mark.parametrize(
    "reviews", [letter_reviews(1), letter_reviews(12, labelled=False), letter_reviews(8)]
)
def test_without_enough_labels_there_are_maps_and_no_gain(tmp_path, reviews):
    made = compare_before_after(untouched(), Trained(), reviews, MapOptions(), cache=tmp_path)
    assert made.separation is None and all(
        len(points) == len(reviews) for points in made.panels.values()
    )


def test_a_model_that_moved_nothing_is_found_out(tmp_path):
    assert compare_before_after(
        untouched(), LetterLearner(), letter_reviews(20), MapOptions(), cache=tmp_path
    ).unchanged


def test_both_read_as_many_tokens(tmp_path):
    read = []

    class Watching(LetterLearner):
        def embed_and_answer(self, texts, **options):
            read.append(self.max_length)
            return super().embed_and_answer(texts, **options)

    before = Watching(key="untouched", sentiment=False)
    before.max_length = 256
    after = Watching(key="trained")
    compare_before_after(before, after, letter_reviews(12), MapOptions(), cache=tmp_path)
    assert read == [64, 64] and before.max_length == 256


def test_what_is_kept_is_not_made_again(tmp_path):
    before, after = untouched(), Trained()
    first = compare_before_after(before, after, letter_reviews(30), MapOptions(), cache=tmp_path)
    again = compare_before_after(before, after, letter_reviews(30), MapOptions(), cache=tmp_path)
    assert (before.asked, after.asked) == (1, 1)
    assert (
        all(first.panels[title].equals(again.panels[title]) for title in TITLES)
        and first.separation == again.separation
    )


def test_progress_rises_to_one(tmp_path):
    told = []
    compare_before_after(
        untouched(),
        Trained(),
        letter_reviews(30),
        MapOptions(),
        cache=tmp_path,
        progress=told.append,
    )
    assert told == sorted(told) and told[-1] == 1


@pytest.mark.parametrize("stop_at", [0.05, 0.3, 0.47, 0.6, 0.98])
def test_a_cancelled_job_leaves_nothing_half_made(tmp_path, stop_at):
    reached, cancelled = threading.Event(), threading.Event()

    def work(progress):
        def told(fraction):
            if fraction >= stop_at:
                reached.set()
                cancelled.wait(30)
            progress(fraction)

        return compare_before_after(
            untouched(), Trained(), letter_reviews(30), MapOptions(), cache=tmp_path, progress=told
        )

    job = Jobs().start("both", work)
    assert reached.wait(60)
    job.cancel()
    cancelled.set()
    wait_until(lambda: job.over)
    assert job.state == "cancelled" and job.result is None and not list(tmp_path.rglob("*.part"))
    assert stop_at > 0.1 or not list(tmp_path.rglob("*.*"))
    assert (
        compare_before_after(
            untouched(), Trained(), letter_reviews(30), MapOptions(), cache=tmp_path
        ).separation.n
        == 30
    )


def test_cancelling_is_passed_on(tmp_path):
    def stop(_fraction):
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        compare_before_after(
            untouched(), Trained(), letter_reviews(30), MapOptions(), cache=tmp_path, progress=stop
        )


# Both models on one plane


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
    monkeypatch.setattr(module, "MOST_FITTED", 15)
    found = embedding_shift(*both)
    assert found.fitted_on == 14 and found.before.shape == found.after.shape == (40, 2)


def test_the_figure_has_an_arrow_for_each_label_and_one_for_the_review(both):
    found, frame = embedding_shift(*both), map_points(40)
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
