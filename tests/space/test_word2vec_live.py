"""A training that is watched: what moves is the words and not the picture, what is drawn is in the
texts, and the sentences follow the numbers.
"""

from dataclasses import replace

import numpy as np
import pytest

from bertsent.errors import BadInput, Cancelled
from bertsent.space.word2vec import Word2Vec, Word2VecConfig, read_corpus
from bertsent.space.word2vec_live import (
    FREQUENT,
    MOST_WORDS,
    OWN,
    LiveTraining,
    beside_sentence,
    drawn_groups,
    group_cosines,
    laid_flat,
    live_sentence,
    own_corpus,
    train_live,
)
from bertsent.space.word_vectors import WordVectors, neighbours_of

SMALL = Word2VecConfig(dimensions=8, min_count=2, epochs=6, batch_size=64, thinning=1.0)
PRAISE, BLAME = ("great", "wonderful", "brilliant"), ("boring", "dull", "awful")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    random = np.random.default_rng(5)
    return [" ".join(random.choice((PRAISE, BLAME)[n % 2], 6)) for n in range(200)]


@pytest.fixture(scope="module")
def live(texts: list[str]) -> LiveTraining:
    return train_live(read_corpus(texts, 2), SMALL, LiveTraining())


def test_it_learns_what_plain_training_learns_and_keeps_every_frame(
    live: LiveTraining, texts: list[str]
) -> None:
    plain = Word2Vec(read_corpus(texts, 2), SMALL)
    frames = list(plain.train(60))
    assert live.vectors is not None
    np.testing.assert_array_equal(live.vectors.vectors, plain.vectors.numpy())
    assert [each.step for each in live.moments] == [frame.step for frame in frames]
    assert live.losses()["loss"].tolist() == [frame.loss for frame in frames[1:]]
    assert live.losses()["loss"].iloc[0] == pytest.approx(6 * np.log(2), abs=0.05)
    points = live.points(live.moments[-1])
    assert points["word"].tolist() == [*PRAISE, *BLAME]
    assert points[["x", "y"]].abs().max(axis=None) <= 2


def test_places_keep_all_distances_of_the_plane_and_do_not_turn() -> None:
    """Turned or mirrored vectors have the same picture as before."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(9, 5)) * np.array([5, 3, 1, 1, 1])
    first = laid_flat(vectors)
    turn, _ = np.linalg.qr(random.normal(size=(5, 5)))
    again = laid_flat(vectors @ turn, first)
    np.testing.assert_allclose(again, first, atol=1e-6)
    mirrored = laid_flat(vectors, first * np.array([-1, 1]))
    np.testing.assert_allclose(mirrored, first * np.array([-1, 1]), atol=1e-6)


def test_a_training_can_be_cancelled_and_begun_again(texts: list[str]) -> None:
    half, corpus = LiveTraining(), read_corpus(texts, 2)

    def stop(fraction: float) -> None:
        if fraction > 0.3:
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        train_live(corpus, SMALL, half, progress=stop)
    assert half.moments and half.vectors is None and live_sentence(half) == ""
    again = train_live(corpus, SMALL, half)
    assert again.moments[0].step == 0 and again.vectors is not None


def test_drawn_words_are_those_of_the_texts() -> None:
    groups = drawn_groups(("the", "boring", "great", "dull", "awful", "wonderful", "brilliant"))
    assert groups == {"praise": PRAISE, "blame": ("boring", "dull", "awful")}
    few = drawn_groups(("a", "whale", "ship", "captain", "harpoon", "sea"))
    assert few == {FREQUENT: ("whale", "ship", "captain", "harpoon")}
    assert drawn_groups(("a", "b", "c", "of", "it")) == {FREQUENT: ("a", "b", "c", "of", "it")}


def test_group_cosines_are_the_means_over_all_pairs(live: LiveTraining) -> None:
    vectors = live.vectors
    assert vectors is not None
    words = [(word, group) for group in (PRAISE, BLAME) for word in group]
    within, between = [], []
    for i, (a, of) in enumerate(words):
        for b, other in words[:i]:
            (within if of == other else between).append(vectors.cosine(a, b))
    found = group_cosines(vectors, {"praise": PRAISE, "blame": BLAME})
    assert found == pytest.approx((np.mean(within), np.mean(between)))
    assert found[0] > found[1] and "brought groups together" in live_sentence(live)
    apart = replace(live, vectors=live.first)
    assert "did not bring the groups together" in live_sentence(apart)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "no word in this text"),
        ("42 !! 7", "no word in this text"),
        ("dog dog dog dog", "Only 1 word occurs 2 times"),
        ("\n".join("one two three four five six".split() * 3), "no pair to learn from"),
        ("word " * (MOST_WORDS + 1), f"has {MOST_WORDS + 1:,} words; here at most {MOST_WORDS:,}"),
    ],
)
def test_what_cannot_be_learned_from_is_told(typed: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        own_corpus(typed)


def test_ten_thousand_words_can_be_learned_from() -> None:
    names = [f"w{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
    words = np.random.default_rng(0).choice(names, (1_000, 10))
    corpus = own_corpus("\n".join(" ".join(row) for row in words))
    assert len(corpus.words) == 100 and len(corpus.ids) == 10_000
    live = train_live(corpus, replace(OWN, epochs=1), LiveTraining())
    assert live.vectors is not None and np.isfinite(live.vectors.vectors).all()
    assert len(live.groups[FREQUENT]) <= 20


def test_shared_neighbours_are_counted() -> None:
    words = tuple("abcdefgh")
    named = tuple(f"{word}{word}" for word in words)
    one = WordVectors(named, np.eye(8, 4, dtype=np.float32) + 0.1)
    near = neighbours_of(one, "aa", 3)
    assert "share 3: " in beside_sentence("aa", near, near)
    other = near.assign(word=["x", "y", near["word"].iloc[0]])
    assert f"share 1: {near['word'].iloc[0]}." in beside_sentence("aa", near, other)
    assert "no vector in word2vec:" in beside_sentence("aa", None, near)
    assert "no vector in word2vec and the encoder" in beside_sentence("aa", None, None)
