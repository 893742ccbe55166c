import os

import numpy as np
import pytest

from bertsent.data.cache import evict_oldest
from bertsent.data.examples import Example, Reviews
from bertsent.errors import BadInput, BertsentError, Cancelled, NotAvailable
from bertsent.space import embedding
from bertsent.space.embedding import embed_reviews, embeddings_key, is_embedded
from tests.space.fake_learner import LetterLearner, letter_reviews


def test_the_second_time_the_learner_is_not_asked(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(20)
    first = embed_reviews(learner, reviews, cache=tmp_path)
    again = embed_reviews(LetterLearner(), reviews, cache=tmp_path)
    assert learner.asked == 1
    assert (
        first.key == again.key
        and first.vectors.dtype == np.float32
        and first.probabilities.dtype == np.float64
    )
    assert np.array_equal(first.vectors, again.vectors) and np.array_equal(
        first.probabilities, again.probabilities
    )
    embed_reviews(learner, reviews, cache=tmp_path)
    assert learner.asked == 1


@pytest.mark.parametrize(
    "change",
    [
        {"pooling": "mean"},
        {"layer": 1},
        {"reviews": letter_reviews(20, seed=1)},
        {"learner": LetterLearner(key="other")},
    ],
)
def test_whatever_the_vectors_depend_on_is_in_the_key(tmp_path, change):
    learner = change.pop("learner", LetterLearner())
    first = embed_reviews(LetterLearner(), letter_reviews(20), cache=tmp_path)
    other = embed_reviews(
        learner, change.pop("reviews", letter_reviews(20)), cache=tmp_path, **change
    )
    assert (
        learner.asked == 1 and other.key != first.key and other.vectors.shape == first.vectors.shape
    )


def test_a_longer_cut_is_another_key(tmp_path):
    long = LetterLearner()
    long.max_length = 128
    assert (
        embed_reviews(long, letter_reviews(3), cache=tmp_path).key
        != embed_reviews(LetterLearner(), letter_reviews(3), cache=tmp_path).key
    )


@pytest.mark.parametrize("damage", [b"", b"\x80\x04K\x01.", b"\xff" * 64, None])
def test_a_damaged_file_is_computed_again(tmp_path, damage):
    learner, reviews = LetterLearner(), letter_reviews(6)
    first = embed_reviews(learner, reviews, cache=tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-5] if damage is None else damage)
    again = embed_reviews(learner, reviews, cache=tmp_path)
    assert learner.asked == 2 and np.array_equal(first.vectors, again.vectors)
    assert embed_reviews(learner, reviews, cache=tmp_path) and learner.asked == 2


def test_a_file_of_another_shape_is_computed_again(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(6)
    embed_reviews(learner, reviews, cache=tmp_path / "six")
    embed_reviews(learner, letter_reviews(5), cache=tmp_path / "five")
    (six,), (five,) = (tmp_path / "six").iterdir(), (tmp_path / "five").iterdir()
    os.replace(five, six)
    assert len(embed_reviews(learner, reviews, cache=tmp_path / "six").vectors) == 6


def test_an_untouched_backbone_gives_no_probabilities(tmp_path):
    for _ in range(2):
        assert (
            embed_reviews(
                LetterLearner(sentiment=False), letter_reviews(4), cache=tmp_path
            ).probabilities
            is None
        )


def test_cancelling_keeps_nothing(tmp_path):
    def stop(fraction):
        if fraction > 0.5:
            raise Cancelled("You stopped the map.")

    with pytest.raises(Cancelled):
        embed_reviews(LetterLearner(), letter_reviews(9), cache=tmp_path, progress=stop)
    assert not list(tmp_path.rglob("*.*"))


class Interrupted(LetterLearner):
    """It stops in the middle of the third part that it is asked for."""

    def embed_and_answer(self, texts, *, progress=None, **options):
        if self.asked == 2:
            raise Cancelled("You stopped the map.")
        return super().embed_and_answer(texts, progress=progress, **options)


def test_what_was_cancelled_goes_on_and_equals_one_go(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "PART", 8)
    reviews, told = letter_reviews(37), []
    whole = embed_reviews(LetterLearner(), reviews, cache=tmp_path / "whole")
    with pytest.raises(Cancelled):
        embed_reviews(Interrupted(), reviews, cache=tmp_path / "halved")
    assert len(list((tmp_path / "halved").iterdir())) == 2
    rest = LetterLearner()
    resumed = embed_reviews(rest, reviews, cache=tmp_path / "halved", progress=told.append)
    assert rest.asked == 3 and told == sorted(told) and told[0] > 0.2 and told[-1] == 1
    assert np.array_equal(whole.vectors, resumed.vectors) and np.array_equal(
        whole.probabilities, resumed.probabilities
    )
    assert np.allclose(
        resumed.vectors, LetterLearner().embed_and_answer(reviews.texts)[0], atol=1e-6
    )
    for folder in ("whole", "halved"):  # parts do not stay beside the whole
        assert [path.stem for path in (tmp_path / folder).iterdir()] == [whole.key]


def test_a_damaged_part_is_embedded_again(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "PART", 8)
    reviews = letter_reviews(37)
    with pytest.raises(Cancelled):
        embed_reviews(Interrupted(), reviews, cache=tmp_path)
    next(tmp_path.iterdir()).write_bytes(b"half a fi")
    rest = LetterLearner()
    resumed = embed_reviews(rest, reviews, cache=tmp_path)
    assert rest.asked == 4 and np.array_equal(
        resumed.vectors, embed_reviews(LetterLearner(), reviews, cache=tmp_path / "new").vectors
    )


def test_a_real_model_that_was_cancelled_goes_on_bit_by_bit(tmp_path, monkeypatch):
    from bertsent.data.sources import load_reviews
    from bertsent.probing.loaded_model import load

    monkeypatch.setattr(embedding, "PART", 16)
    backbone, reviews = load("backbone"), load_reviews("builtin").take(range(0, 4_000, 100))

    def stop(fraction):
        if fraction > 0.7:
            raise Cancelled("You stopped the map.")

    with pytest.raises(Cancelled):
        embed_reviews(backbone, reviews, cache=tmp_path / "halved", progress=stop)
    assert list((tmp_path / "halved").iterdir())
    resumed = embed_reviews(backbone, reviews, cache=tmp_path / "halved")
    assert np.array_equal(
        resumed.vectors, embed_reviews(backbone, reviews, cache=tmp_path / "whole").vectors
    )
    assert np.allclose(resumed.vectors, backbone.embed(reviews.texts), atol=1e-5)


def test_it_is_known_what_is_kept(tmp_path):
    learner, reviews = LetterLearner(), letter_reviews(9)
    assert not is_embedded(learner, reviews, cache=tmp_path)
    embed_reviews(learner, reviews, cache=tmp_path)
    assert is_embedded(learner, reviews, cache=tmp_path) and not is_embedded(
        learner, reviews, layer=1, cache=tmp_path
    )


def test_vectors_that_are_no_numbers_are_an_error(tmp_path):
    class Astray(LetterLearner):
        def embed_and_answer(self, texts, **_):
            return np.full((len(texts), self.width), np.nan, dtype=np.float32), None

    with pytest.raises(BertsentError, match="not finite"):
        embed_reviews(Astray(), letter_reviews(4), cache=tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_embedded_is_said(tmp_path):
    silent = LetterLearner()
    silent.gives = frozenset({"sentiment"})
    with pytest.raises(NotAvailable):
        embed_reviews(silent, letter_reviews(4), cache=tmp_path)
    for bad in ({"layer": 999}, {"layer": -2}, {"pooling": "median"}):
        with pytest.raises(BadInput):
            embed_reviews(LetterLearner(), letter_reviews(4), cache=tmp_path, **bad)
    with pytest.raises(BadInput, match="no reviews"):
        embed_reviews(LetterLearner(), letter_reviews(0), cache=tmp_path)


def test_a_full_disk_only_costs_time(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert len(embed_reviews(LetterLearner(), letter_reviews(4), cache=tmp_path).vectors) == 4
    assert not list(tmp_path.iterdir())


def test_the_folder_is_bounded_and_foreign_files_stay(tmp_path):
    for age, name in enumerate(
        [
            "new.parquet",
            "middle.safetensors",
            "old.parquet",
            "notes.txt",
            "dead.part",
            "older.safetensors",
        ]
    ):
        path = tmp_path / name
        path.write_bytes(b"x" * 100)
        os.utime(path, (1e9 - 1e4 * age, 1e9 - 1e4 * age))
    (tmp_path / "alive.part").write_bytes(b"x")
    evict_oldest(tmp_path, 250)
    assert {path.name for path in tmp_path.iterdir()} == {
        "new.parquet",
        "middle.safetensors",
        "notes.txt",
        "alive.part",
    }
    evict_oldest(tmp_path, 1)
    assert (tmp_path / "new.parquet").exists() and not (tmp_path / "middle.safetensors").exists()


def test_two_models_of_equal_weights_with_other_heads_do_not_share_answers(tmp_path):
    """The pooling of a model's own head stands beside its weights: step 0 of two runs that differ
    in nothing else got each other's answers.
    """
    one, other = LetterLearner(), LetterLearner()
    other.pooling = "mean"
    keys = {embeddings_key(model, letter_reviews(5)) for model in (one, other)}
    assert len(keys) == 2


def test_a_map_embeds_the_text_that_people_see(tmp_path):
    """Models read <br /> and entities that no screen showed."""
    read = []

    class Listening(LetterLearner):
        def embed_and_answer(self, texts, **options):
            read.extend(texts)
            return super().embed_and_answer(texts, **options)

    marked = Reviews("marked", (Example("r0", "good<br /><br />fun &amp; games", 1),))
    embed_reviews(Listening(), marked, cache=tmp_path)
    assert read == ["good fun & games"]
