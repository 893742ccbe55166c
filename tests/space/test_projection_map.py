import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, Cancelled
from bertsent.settings import PROJECT
from bertsent.space import projection_map
from bertsent.space.projection_map import MapOptions, build_map, is_kept
from tests.space.fake_learner import LetterLearner, letter_reviews

PCA, TSNE = MapOptions(), MapOptions(method="tsne")


@pytest.mark.parametrize(
    "options", [PCA, TSNE, MapOptions(dimensions=3, clusters=4, pooling="max", layer=1)]
)
def test_a_map_says_everything_about_every_review(tmp_path, options):
    reviews = letter_reviews(30)
    made = build_map(LetterLearner(), reviews, options, cache=tmp_path)
    axes = list("xyz"[: options.dimensions])
    assert made.points.columns.tolist() == [
        "id",
        "text",
        "label",
        "prediction",
        "p_positive",
        "confidence",
        "cluster",
        *axes,
    ]
    assert made.points["id"].tolist() == [e.id for e in reviews] and np.isfinite(
        made.points[axes]
    ).all(axis=None)
    assert made.points["label"].tolist() == ["NEGATIVE", "POSITIVE"] * 15
    assert ((made.points["p_positive"] > 0.5) == (made.points["prediction"] == "POSITIVE")).all()
    assert (
        made.points["confidence"]
        == np.maximum(made.points["p_positive"], 1 - made.points["p_positive"])
    ).all()
    assert made.matrix.to_numpy().sum() == 30 and len(made.matrix) == options.clusters
    assert (made.explained is None) == (options.method == "tsne") and "30 reviews" in made.note


@pytest.mark.parametrize("options", [PCA, TSNE])
def test_reopening_asks_nobody_and_changes_nothing(tmp_path, options, monkeypatch):
    learner, reviews = LetterLearner(), letter_reviews(30)
    first = build_map(learner, reviews, options, cache=tmp_path)
    monkeypatch.setattr(projection_map, "_drawn", lambda *_: pytest.fail("the map was drawn again"))
    again = build_map(learner, reviews, options, cache=tmp_path)
    assert (
        learner.asked == 1
        and again.note == first.note
        and np.array_equal(again.explained, first.explained)
    )
    pd.testing.assert_frame_equal(first.points, again.points, check_exact=True)
    pd.testing.assert_frame_equal(first.matrix, again.matrix)
    typed = first.embeddings.vectors[3:5]
    assert np.array_equal(first.place(typed), again.place(typed))


def test_other_options_reuse_the_vectors(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(30)
    maps = [
        build_map(learner, reviews, options, cache=tmp_path)
        for options in (PCA, TSNE, MapOptions(clusters=3), MapOptions(dimensions=3))
    ]
    assert learner.asked == 1 and len({made.note for made in maps}) == 4
    build_map(learner, reviews, MapOptions(pooling="mean"), cache=tmp_path)
    assert learner.asked == 2


def test_another_number_of_clusters_arranges_nothing_anew(tmp_path, monkeypatch):
    learner, reviews = LetterLearner(), letter_reviews(30)
    two = build_map(learner, reviews, TSNE, cache=tmp_path)
    monkeypatch.setattr(projection_map, "tsne", lambda *_, **__: pytest.fail("t-SNE ran again"))
    three = build_map(learner, reviews, MapOptions(method="tsne", clusters=3), cache=tmp_path)
    assert (
        np.array_equal(two.points[["x", "y"]], three.points[["x", "y"]])
        and three.points["cluster"].nunique() == 3
    )
    assert two.note.split(";")[0] == three.note.split(";")[0]


def test_other_reviews_of_the_same_shape_make_another_map(tmp_path):
    one, two = (
        build_map(LetterLearner(), letter_reviews(30, seed=seed), PCA, cache=tmp_path)
        for seed in (0, 1)
    )
    assert one.points["id"].equals(two.points["id"]) and not np.allclose(
        one.points[["x", "y"]], two.points[["x", "y"]]
    )


def test_a_review_of_the_map_lands_on_its_dot_and_is_its_own_neighbour(tmp_path):
    made = build_map(LetterLearner(), letter_reviews(40), PCA, cache=tmp_path)
    typed = LetterLearner().embed_and_answer([made.points["text"][11]])[0]
    assert np.abs(made.place(typed) - made.points[["x", "y"]].to_numpy()[11]).max() < 1e-6
    near = made.nearest(typed[0])
    assert (
        near["id"][0] == "r11"
        and near["distance"][0] == pytest.approx(0, abs=1e-6)
        and len(near) == 5
    )
    assert near["distance"].is_monotonic_increasing


@pytest.mark.parametrize("damage", [b"", b"PAR1 nothing of that kind", None])
def test_a_damaged_map_is_drawn_again(tmp_path, damage):
    first = build_map(LetterLearner(), letter_reviews(30), PCA, cache=tmp_path)
    (kept,) = tmp_path.glob("*.parquet")
    kept.write_bytes(kept.read_bytes()[:-20] if damage is None else damage)
    again = build_map(LetterLearner(), letter_reviews(30), PCA, cache=tmp_path)
    pd.testing.assert_frame_equal(first.points, again.points)
    assert pd.read_parquet(kept).shape == first.points.shape


@pytest.mark.parametrize("stop_at", [0.3, 0.61, 0.95])
def test_cancelling_leaves_no_half_written_file(tmp_path, stop_at):
    def stop(fraction):
        if fraction >= stop_at:
            raise Cancelled("You stopped the map.")

    with pytest.raises(Cancelled):
        build_map(LetterLearner(), letter_reviews(30), TSNE, cache=tmp_path, progress=stop)
    assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.rglob("*.parquet"))
    assert len(list(tmp_path.rglob("*.safetensors"))) == (stop_at > 0.6)
    build_map(LetterLearner(), letter_reviews(30), TSNE, cache=tmp_path)


def test_progress_rises_from_embedding_to_done(tmp_path):
    told = []
    build_map(LetterLearner(), letter_reviews(30), TSNE, cache=tmp_path, progress=told.append)
    assert (
        told == sorted(told) and told[-1] == 1 and any(0.59 < fraction < 0.61 for fraction in told)
    )


def test_an_untouched_backbone_has_places_but_no_answers(tmp_path):
    for _ in range(2):
        made = build_map(
            LetterLearner(sentiment=False), letter_reviews(12, labelled=False), PCA, cache=tmp_path
        )
        assert (made.points["prediction"] == "").all() and made.points[
            ["p_positive", "confidence"]
        ].isna().all(axis=None)
        assert made.matrix is None and (made.points["label"] == "").all()


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("options", [PCA, TSNE])
def test_tiny_sets_are_clamped_and_explained(tmp_path, count, options):
    made = build_map(LetterLearner(), letter_reviews(count), options, cache=tmp_path)
    assert len(made.points) == count and np.isfinite(made.points[["x", "y"]]).all(axis=None)
    assert made.place(made.embeddings.vectors).shape == (count, 2)
    if count == 1:
        assert "no more different vectors" in made.note


def test_equal_reviews_share_one_dot(tmp_path):
    reviews = Reviews("same", tuple(Example(f"r{i}", "the same review", i % 2) for i in range(20)))
    for options in (PCA, TSNE):
        made = build_map(LetterLearner(), reviews, options, cache=tmp_path)
        assert not made.points[["x", "y", "cluster"]].any(
            axis=None
        ) and made.matrix.to_numpy().tolist() == [[10, 10]]
    assert "in place of t-SNE" in made.note


def test_the_text_is_clean(tmp_path):
    reviews = Reviews(
        "markup", (Example("a", "Grr <br /><br />Grr\x00"), Example("b", "fine &amp; good"))
    )
    assert build_map(LetterLearner(), reviews, PCA, cache=tmp_path).points["text"].tolist() == [
        "Grr Grr",
        "fine & good",
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"method": "umap"},
        {"pooling": "sum"},
        {"dimensions": 4},
        {"dimensions": 3, "method": "tsne"},
        {"clusters": 0},
        {"clusters": 10**6},
        {"seed": -1},
        {"layer": 999},
        {"layer": True},
        {"clusters": 2.0},
    ],
)
def test_impossible_options_are_refused_when_made(bad):
    with pytest.raises(BadInput):
        MapOptions(**bad)


def test_no_reviews_no_map(tmp_path):
    with pytest.raises(BadInput, match="no reviews"):
        build_map(LetterLearner(), letter_reviews(0), PCA, cache=tmp_path)
    assert not os.listdir(tmp_path)


@pytest.mark.slow
def test_seeded_maps_are_identical_in_two_processes(tmp_path):
    code = (
        "import sys, pathlib; from bertsent.space.projection_map import MapOptions, build_map; "
        "from tests.space.fake_learner import LetterLearner, letter_reviews; "
        "[sys.stdout.write(build_map(LetterLearner(), letter_reviews(40), MapOptions(method=m), "
        "cache=pathlib.Path(sys.argv[1]))"
        ".points.to_csv(float_format='%r')) for m in ('pca', 'tsne')]"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / name)],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in ("one", "two")
    ]
    assert found[0] == found[1] and len(found[0].splitlines()) == 2 * 41


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_a_typed_copy_is_its_own_nearest_neighbour(tmp_path, method):
    learner, reviews = LetterLearner(), letter_reviews(40)
    made = build_map(learner, reviews, MapOptions(method=method), cache=tmp_path)
    near = made.nearest(learner.embed_and_answer([reviews.texts[11]])[0][0])
    assert (
        near["id"][0] == "r11"
        and near["distance"][0] < 1e-4
        and len(near) == 5
        and near["distance"].is_monotonic_increasing
    )


def test_it_is_known_which_map_is_kept(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(12)
    assert not is_kept(learner, reviews, MapOptions(), cache=tmp_path)
    build_map(learner, reviews, MapOptions(), cache=tmp_path)
    assert is_kept(learner, reviews, MapOptions(), cache=tmp_path)
    assert not is_kept(learner, reviews, MapOptions(method="tsne"), cache=tmp_path)
