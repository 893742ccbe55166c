"""The time machine's numbers: the same checkpoint lands on the same spot, signs are fixed, the map
moves rather than jumps.
"""

import shutil

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.decomposition import PCA

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadCheckpoint, BadInput, Cancelled, NotAvailable
from bertsent.probing.loaded_model import LoadedModel, load_folder
from bertsent.space.animation import (
    accuracy_frame,
    animate_checkpoints,
    animation_key,
    animation_table,
    answers_by_checkpoint,
    changes_between,
    coin_interval,
    evaluate_frame,
    moving_layouts,
    spread_checkpoints,
)
from bertsent.space.projection import tsne
from bertsent.training.checkpoints import list_checkpoints
from tests.space.fake_learner import letter_reviews
from tests.training.loop_harness import LoopHarness, fresh, recipe


def movement(layouts):
    """(m - 1,): how far the dots go on average from each layout to the next."""
    pairs = zip(layouts, layouts[1:], strict=False)
    return np.array([np.linalg.norm(after - before, axis=1).mean() for before, after in pairs])


ARRAYS = ("steps", "epochs", "p_positive", "pca", "tsne", "explained", "moved")


@pytest.fixture(scope="module")
def folders(tiny_backbone, toy_reviews, tmp_path_factory):
    """Seven checkpoints of one short training."""
    place = tmp_path_factory.mktemp("run")
    LoopHarness(tiny_backbone, toy_reviews, recipe(epochs=2, kept_checkpoints=6), place).go()
    return list_checkpoints(place)


@pytest.fixture(scope="module")
def reviews():
    return letter_reviews(40)


@pytest.fixture(scope="module")
def journey(folders, reviews, tmp_path_factory):
    return animate_checkpoints(folders, reviews, cache=tmp_path_factory.mktemp("cache"))


def same(one, other) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


# Bit for bit


def test_the_same_journey_made_twice_is_bit_identical(journey, folders, reviews, tmp_path):
    again = animate_checkpoints(folders, reviews, cache=tmp_path)
    assert same(again, journey)
    assert same(animate_checkpoints(folders, reviews, cache=tmp_path), journey)  # recalled


def test_the_same_checkpoint_twice_lands_on_the_same_spots(folders, reviews, tmp_path):
    """As in training that moves nothing but the head: no dot may stir."""
    twin = tmp_path / "step-5"
    shutil.copytree(folders[2], twin)
    found = animate_checkpoints([folders[0], folders[2], twin], reviews, cache=tmp_path / "cache")
    for places in (found.pca, found.tsne, found.p_positive):
        assert np.array_equal(places[1], places[2])
    assert not found.moved[2].any() and found.moved[1].all()


def test_numbers_are_those_of_the_checkpoints_themselves(journey, folders, reviews):
    for at, folder in enumerate(folders):
        learner = load_folder(folder)
        vectors, chances = learner.embed_and_answer(reviews.texts)
        assert np.array_equal(journey.p_positive[at], chances[:, 1])
        assert journey.steps[at] == int(folder.name[5:])
        last = load_folder(folders[-1]).embed(reviews.texts)
        axes = PCA(2, svd_solver="full").fit(last).components_
        ours = np.abs((vectors - last.mean(axis=0)) @ axes.T)
        assert np.allclose(np.abs(journey.pca[at]), ours, atol=1e-4)
    before, after = (load_folder(folder).embed(reviews.texts) for folder in folders[1:3])
    assert (
        np.allclose(journey.moved[2], np.linalg.norm(after - before, axis=1), rtol=1e-5)
        and not journey.moved[0].any()
    )


# The map moves rather than jumps


def clouds(count=120, width=24):
    """Two classes that come apart, as in training."""
    random = np.random.default_rng(0)
    base, side = random.normal(size=(count, width)), np.zeros(width)
    side[0] = 6
    labels = np.arange(count) % 2 * 2 - 1
    return [base + share * np.outer(labels, side) for share in (0, 0.3, 0.6, 1)]


def test_dots_go_less_far_than_with_a_fresh_start():
    vectors = clouds()
    moving, _ = moving_layouts(vectors)
    apart = movement([tsne(each).coordinates for each in vectors])
    assert np.array_equal(moving[0], tsne(vectors[0]).coordinates)
    assert (movement(moving) < apart).all() and movement(moving).mean() < 0.7 * apart.mean()


def test_a_layout_that_went_on_still_keeps_neighbours_together():
    """Not bought with a worse map: the share of the ten nearest that stay among the ten nearest is
    that of a fresh start.
    """
    from sklearn.manifold import trustworthiness

    vectors = clouds()
    moving, _ = moving_layouts(vectors)
    for each, layout in zip(vectors, moving, strict=True):
        fresh_start = trustworthiness(each, tsne(each).coordinates, n_neighbors=10)
        assert trustworthiness(each, layout, n_neighbors=10) > fresh_start - 0.03


def test_known_layouts_are_gone_on_from():
    vectors = clouds(60)
    whole, _ = moving_layouts(vectors)
    rest, _ = moving_layouts(vectors, known=whole[:2])
    assert all(np.array_equal(a, b) for a, b in zip(whole, rest, strict=True))


def test_too_few_different_vectors_stand_still_and_say_so():
    start = np.random.default_rng(1).normal(size=(6, 2))
    found = tsne(np.ones((6, 4)), start=start)
    assert np.array_equal(found.coordinates, start) and "too few for t-SNE" in found.note
    layouts, note = moving_layouts([np.ones((6, 4)), np.ones((6, 4)) * 2])
    assert np.array_equal(layouts[0], layouts[1]) and note


@pytest.mark.parametrize("start", [np.zeros((5, 2)), np.zeros((6, 3)), np.full((6, 2), np.nan)])
def test_a_start_that_does_not_fit_is_refused(start):
    with pytest.raises(BadInput, match="does not fit"):
        tsne(np.random.default_rng(0).normal(size=(6, 4)), start=start)


# Step 0 knows nothing


def test_before_training_accuracy_is_that_of_a_coin(tiny_backbone):
    """Within the binomial 99 % of one half on a balanced set, for the usual seed; over many heads,
    one half on average.
    """
    reviews = letter_reviews(200)
    truth = np.array(reviews.labels)
    low, high = coin_interval(len(reviews))
    scores = []
    for seed in range(42, 72):
        model, encoder = fresh(tiny_backbone, recipe(seed=seed))
        learner = LoadedModel(
            "random head", str(seed), model, encoder, max_length=64, fine_tuned=True
        )
        scores.append(((learner.probabilities(reviews.texts)[:, 1] > 0.5) == truth).mean())
    assert low <= scores[0] <= high
    assert abs(np.mean(scores) - 0.5) < 0.03


def test_chance_is_the_middle_of_the_binomial():
    low, high = coin_interval(785)
    assert low == pytest.approx(356 / 785) and high == pytest.approx(429 / 785)
    assert binomtest(355, 785).pvalue < 0.01 < binomtest(357, 785).pvalue


# Kept work


def test_nothing_is_computed_twice_and_a_new_stop_costs_one_reading(
    folders, reviews, tmp_path, monkeypatch
):
    read = []
    monkeypatch.setattr(
        "bertsent.space.animation.load_folder",
        lambda folder, **options: read.append(folder.name) or load_folder(folder, **options),
    )
    animate_checkpoints(folders[:-1], reviews, cache=tmp_path)
    assert read == [folder.name for folder in folders[:-1]]
    first = animate_checkpoints(folders, reviews, cache=tmp_path)
    assert read[len(folders) - 1 :] == [folders[-1].name]
    assert same(animate_checkpoints(folders, reviews, cache=tmp_path), first) and len(read) == len(
        folders
    )


def test_a_journey_cut_short_goes_on_where_it_was(folders, reviews, journey, tmp_path):
    told = []

    def stop(fraction):
        told.append(fraction)
        if fraction > 0.5:
            raise Cancelled("Enough.")

    with pytest.raises(Cancelled):
        animate_checkpoints(folders, reviews, cache=tmp_path, progress=stop)
    assert (
        told == sorted(told)
        and list(tmp_path.glob("*.safetensors"))
        and not list(tmp_path.glob("*.part"))
    )
    assert same(animate_checkpoints(folders, reviews, cache=tmp_path), journey)


def test_damaged_kept_work_is_made_again(folders, reviews, journey, tmp_path):
    animate_checkpoints(folders[:3], reviews, cache=tmp_path)
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(path.read_bytes()[:40])
    assert same(animate_checkpoints(folders, reviews, cache=tmp_path), journey)


def test_keys_tell_journeys_apart(folders, reviews):
    keys = [
        animation_key(folders, reviews),
        animation_key(folders[:-1], reviews),
        animation_key(folders, reviews.take(range(10))),
    ]
    assert len({*keys, animation_key(folders, reviews, "mean")}) == 4 and keys[0] == animation_key(
        folders, reviews
    )


# Stops


def test_stops_are_few_and_evenly_spread(folders):
    names = [f"step-{number}" for number in range(101)]
    found = spread_checkpoints(names)
    assert len(found) == 16 and found[0] == "step-0" and found[-1] == "step-100"
    assert spread_checkpoints(folders) == folders and spread_checkpoints([]) == []


def test_a_step_between_stops_shows_the_one_before(journey):
    assert journey.frame(int(journey.steps[-1]) + 99) == len(journey.steps) - 1
    for at, step in enumerate(journey.steps.tolist()):
        assert journey.frame(step) == at
    assert journey.frame(-5) == 0


def test_what_cannot_be_travelled_is_said(folders, reviews, tmp_path):
    with pytest.raises(NotAvailable, match="two checkpoints"):
        animate_checkpoints(folders[:1], reviews, cache=tmp_path)
    with pytest.raises(BadInput):
        animate_checkpoints(folders, Reviews("none", ()), cache=tmp_path)
    broken = tmp_path / "step-1"
    shutil.copytree(folders[1], broken)
    (broken / "bertsent.json").write_text("{")
    with pytest.raises(BadCheckpoint):
        animate_checkpoints([folders[0], broken], reviews, cache=tmp_path / "cache")


def test_odd_reviews_are_followed_as_well(folders, tmp_path):
    odd = Reviews(
        "odd",
        tuple(
            Example(f"o{i}", text, None)
            for i, text in enumerate(("a", "", "😀", "x" * 5_000, "fine"))
        ),
    )
    found = animate_checkpoints(folders[:2], odd, cache=tmp_path)
    assert np.isfinite(found.pca).all() and np.isfinite(found.tsne).all()
    assert evaluate_frame(found, odd, 1) is None and accuracy_frame(found, odd).empty


def test_one_text_is_answered_by_each_checkpoint(folders):
    told = []
    found = answers_by_checkpoint(folders, "great fun", progress=told.append)
    assert found.tolist() == [
        load_folder(folder).predict(["great fun"])[0].p_positive for folder in folders
    ]
    assert told[-1] == 1.0


# What is read from a stop


def test_a_stop_is_judged_as_scikit_learn_does(journey, reviews):
    truth = np.array(reviews.labels)
    for at in range(len(journey.steps)):
        guess = journey.p_positive[at] > 0.5
        found = evaluate_frame(journey, reviews, at)
        assert found.accuracy == (guess == truth).mean()
        right, before = guess == truth, (journey.p_positive[max(at - 1, 0)] > 0.5) == truth
        assert (found.corrected, found.broken) == (
            (right > before).sum(),
            (right < before).sum(),
        )
    frame = accuracy_frame(journey, reviews)
    assert (
        frame["step"].tolist() == journey.steps.tolist()
        and (frame["low"] < frame["accuracy"]).all()
    )
    low, high = binomtest(round(frame["accuracy"].iloc[-1] * 40), 40).proportion_ci(method="wilson")
    assert (frame["low"].iloc[-1], frame["high"].iloc[-1]) == pytest.approx((low, high))


def test_the_review_that_changed_most_comes_first(journey, reviews):
    found = changes_between(journey, reviews, 6, 2)
    change = journey.p_positive[6] - journey.p_positive[2]
    assert found["id"].iloc[0] == reviews.examples[int(np.abs(change).argmax())].id
    assert (
        np.abs(found["change"]).is_monotonic_decreasing
        and found["course"].iloc[0][-1] == found["after"].iloc[0]
    )
    row = [example.id for example in reviews].index(found["id"].iloc[0])
    assert found["moved"].iloc[0] == pytest.approx(journey.moved[3:7, row].sum())


def test_the_table_has_a_row_for_each_stop_and_review(journey, reviews):
    found = animation_table(journey, reviews)
    assert len(found) == len(journey.steps) * len(reviews)
    last = found[found["step"] == journey.steps[-1]]
    assert (
        np.array_equal(last[["tsne_x", "tsne_y"]].to_numpy(), journey.tsne[-1])
        and last["id"].is_unique
    )


def test_pooling_is_passed_on(folders, reviews, tmp_path):
    mean = animate_checkpoints(folders[:2], reviews, pooling="mean", cache=tmp_path)
    assert mean.p_positive == pytest.approx(
        animate_checkpoints(folders[:2], reviews, cache=tmp_path).p_positive, abs=1e-6
    )
    assert not np.array_equal(
        mean.pca, animate_checkpoints(folders[:2], reviews, cache=tmp_path).pca
    )
