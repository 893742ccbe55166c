"""Neighbours, arithmetic and ranks of word vectors, worked out again in NumPy from the published
weights.
"""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from bertsent.errors import BadInput
from bertsent.models.backbone import builtin_folder
from bertsent.probing.loaded_model import LoadedModel, load
from bertsent.space.projection import pca
from bertsent.space.word_map import directions, word_map
from bertsent.space.word_relations import (
    AMONG,
    ANALOGIES,
    ANTONYMS,
    SYNONYMS,
    OneHotComparison,
    analogy_sentence,
    analogy_table,
    one_hot_sentence,
    pair_table,
    pairs_sentence,
    random_pairs,
)
from bertsent.space.word_vectors import (
    WordVectors,
    arithmetic_sentence,
    input_vectors,
    nearest_words,
    neighbours_of,
    neighbours_sentence,
    rank_of,
    read_arithmetic,
    work_out,
)


@pytest.fixture(scope="module")
def model() -> LoadedModel:
    return load("backbone")


@pytest.fixture(scope="module")
def vectors(model: LoadedModel) -> WordVectors:
    return input_vectors(model)


@pytest.fixture(scope="module")
def weights() -> tuple[list[str], np.ndarray]:
    """The vocabulary and the directions of its vectors, read from the files themselves."""
    folder = builtin_folder()
    words = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    file = load_file(folder / "model.safetensors")
    (table,) = (file[name] for name in file if name.endswith("word_embeddings.weight"))
    long = table.astype(np.float64)
    return words, long / np.linalg.norm(long, axis=1, keepdims=True)


def whole(word: str) -> bool:
    return word.isalpha() and (len(word) > 1 or word in "ai")


def ranking(weights: tuple[list[str], np.ndarray], query: np.ndarray) -> list[str]:
    words, units = weights
    return [words[i] for i in np.argsort(-(units @ query), kind="stable") if whole(words[i])]


def toy(rows: dict[str, tuple[float, ...]]) -> WordVectors:
    return WordVectors(tuple(rows), np.array(list(rows.values()), dtype=np.float32))


SQUARE = {
    "man": (1.0, 0.0, 0.0),
    "woman": (1.0, 1.0, 0.0),
    "king": (1.0, 0.0, 1.0),
    "queen": (1.0, 1.0, 1.0),
    "bread": (-1.0, 0.2, 0.1),
}


def test_every_entry_has_the_vector_of_the_file(
    vectors: WordVectors, weights: tuple[list[str], np.ndarray]
) -> None:
    words, units = weights
    assert list(vectors.words) == words and vectors.vectors.shape == (30_522, 384)
    np.testing.assert_allclose(vectors.direction("movie"), units[words.index("movie")], atol=1e-6)
    assert vectors.whole.tolist() == [whole(word) for word in words]
    assert [vectors.words[i] for i in vectors.most_frequent(4)] == ["a", "i", "the", "of"]


@pytest.mark.parametrize("word", ["boring", "bank", "king"])
def test_neighbours_are_those_of_numpy(
    word: str, vectors: WordVectors, weights: tuple[list[str], np.ndarray]
) -> None:
    words, units = weights
    query = units[words.index(word)]
    expected = ranking(weights, query)[1:11]
    found = neighbours_of(vectors, word)
    assert found["word"].tolist() == expected
    np.testing.assert_allclose(
        found["cosine"], [units[words.index(each)] @ query for each in expected], atol=1e-5
    )
    assert neighbours_sentence(vectors, word, found).startswith(f"Nearest to “{word}”: ")


@pytest.mark.parametrize(
    "typed",
    [
        "king - man + woman = queen",
        "actor − man + woman = actress",
        "films - film + movie = movies",
        "paris - france + italy = rome",
    ],
)
def test_ranks_of_arithmetic_are_those_of_numpy(
    typed: str, vectors: WordVectors, weights: tuple[list[str], np.ndarray]
) -> None:
    words, units = weights
    first, minus, plus, expected = (w for w in typed.replace("−", "-").split() if w.isalpha())
    a, b, c = (units[words.index(word)] for word in (first, minus, plus))
    order = ranking(weights, a - b + c)
    without = [word for word in order if word not in (first, minus, plus)]
    alone = [word for word in ranking(weights, a) if word not in (first, minus, plus)]
    found = work_out(vectors, read_arithmetic(vectors, typed))
    assert found.nearest["word"].tolist() == order[:10]
    assert found.answer == without[0] and found.count == len(order)
    assert found.rank == order.index(expected) + 1
    assert found.rank_left_out == without.index(expected) + 1
    assert found.rank_alone == alone.index(expected) + 1
    said = arithmetic_sentence(found)
    assert "left out" in said and f"number {found.rank:,} of" in said


def test_the_warning_about_the_words_of_the_question_is_true(vectors: WordVectors) -> None:
    found = work_out(vectors, read_arithmetic(vectors, "king - man + woman = queen"))
    assert found.nearest.iloc[0]["word"] == "king" and found.nearest.iloc[0]["asked"]
    assert "a word of the question itself" in arithmetic_sentence(found)
    assert found.answer == "queen" and found.rank == 2 and found.rank_left_out == 1


def test_a_perfect_square_comes_out_by_hand() -> None:
    words = toy(SQUARE)
    found = work_out(words, read_arithmetic(words, "king - man + woman = queen"))
    units = {word: np.array(row) / np.linalg.norm(row) for word, row in SQUARE.items()}
    query = units["king"] - units["man"] + units["woman"]
    cosines = {word: unit @ query / np.linalg.norm(query) for word, unit in units.items()}
    assert found.nearest["word"].tolist() == sorted(cosines, key=lambda w: -cosines[w])
    assert found.answer == "queen" and found.rank == 1
    assert found.answer_cosine == pytest.approx(cosines["queen"], abs=1e-6)
    assert "of all 5 words" in arithmetic_sentence(found)


def test_a_rank_counts_only_whole_words_that_are_nearer() -> None:
    words = toy(
        {"aa": (1, 0), "##aa": (1, 0.01), "bb": (1, 0.1), "cc": (0, 1), "[MASK]": (1, 0.02)}
    )
    query = words.direction("aa")
    assert rank_of(words, query, "bb") == 2
    assert rank_of(words, query, "bb", ("aa",)) == 1
    assert rank_of(words, query, "bb", ("aa", "bb", "##aa")) == 1
    assert nearest_words(words, query)["word"].tolist() == ["aa", "bb", "cc"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "nothing to work out"),
        (" = queen", "nothing to work out"),
        ("king -", "no word behind it"),
        ("king - - man", "no word behind it"),
        ("king man", "stands where one word belongs"),
        ("king - kingg", "none of the 5 entries"),
        ("king = <b>", "none of the 5 entries"),
        ("king + " * 8 + "king", "at most 8"),
        ("king - king", "cancel out"),
    ],
)
def test_what_cannot_be_worked_out_is_told(typed: str, said: str) -> None:
    words = toy(SQUARE)
    with pytest.raises(BadInput, match=said):
        work_out(words, read_arithmetic(words, typed))


def test_a_word_outside_the_vocabulary_is_told_with_its_pieces(vectors: WordVectors) -> None:
    with pytest.raises(BadInput, match="It is read in pieces: .* ##"):
        vectors.find("Unbelievableness")
    assert vectors.find(" Boring ") == "boring" and vectors.find("Naïve") == "naive"
    with pytest.raises(BadInput, match="“🎬” is none of the 30,522 entries"):
        vectors.find("🎬")
    with pytest.raises(BadInput, match="no word"):
        vectors.find("  ")


def test_opposites_stand_near_and_the_sentence_says_what_the_numbers_say(
    vectors: WordVectors,
) -> None:
    assert "“exciting”, its opposite, is number 4 of" in neighbours_sentence(
        vectors, "boring", neighbours_of(vectors, "boring"), "exciting"
    )
    table = pair_table(vectors)
    assert table["kind"].value_counts().to_dict() == {
        "random pairs": 1_000,
        "opposites": len(ANTONYMS),
        "same meaning": len(SYNONYMS),
    }
    one = table[(table["first"] == "boring") & (table["second"] == "exciting")].iloc[0]
    assert one["cosine"] == pytest.approx(vectors.cosine("boring", "exciting")) and one["rank"] == 4
    assert "hardly which side it takes" in pairs_sentence(table)
    apart = table.assign(cosine=table["cosine"].where(table["kind"] != "opposites", 0.0))
    assert "hardly nearer than random words" in pairs_sentence(apart)
    near = table.assign(cosine=table["cosine"] + 0.5 * (table["kind"] == "same meaning"))
    assert "clearly nearer than opposites" in pairs_sentence(near)


def test_random_pairs_are_two_frequent_words_each(vectors: WordVectors) -> None:
    pairs = random_pairs(vectors, 500, 1)
    assert pairs.shape == (500, 2) and (pairs[:, 0] != pairs[:, 1]).all()
    assert np.isin(pairs, vectors.most_frequent(AMONG)).all()
    assert (pairs == random_pairs(vectors, 500, 1)).all()


def test_analogies_are_all_known_and_counted_three_ways(vectors: WordVectors) -> None:
    table = analogy_table(vectors)
    assert len(table) == sum(map(len, ANALOGIES.values()))
    assert (table["left out"] <= table["rank"]).all()
    counts = [int((table[name] == 1).sum()) for name in ("left out", "rank", "alone")]
    said = analogy_sentence(table)
    assert all(f" {count} " in said for count in counts)
    assert analogy_sentence(analogy_table(toy(SQUARE))).startswith("Of 1 analogies")


def test_one_hot_vectors_are_as_large_as_the_vocabulary(vectors: WordVectors) -> None:
    sizes = OneHotComparison(*vectors.vectors.shape)
    table = sizes.table()
    assert table["numbers of all words"].tolist() == [30_522 * 30_522, 30_522 * 384]
    assert table["megabytes of all words"].tolist()[1] == pytest.approx(
        vectors.vectors.nbytes / 1e6
    )
    assert "79 times fewer" in one_hot_sentence(sizes, vectors, "film", "movie")


def test_a_map_shows_the_most_frequent_words_and_is_kept(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    words = tuple(f"{'ab'[i % 2]}{chr(97 + i // 2)}" for i in range(40)) + ("##x", "[CLS]")
    table = random.normal(size=(42, 5)).astype(np.float32)
    table[:40:2] += 9  # two groups
    words = WordVectors(words, table)
    flat = word_map(words, 30, "pca", cache=tmp_path)
    assert flat["word"].tolist() == list(words.words[:30]) and not list(tmp_path.iterdir())
    expected = pca(directions(words, np.arange(30))).coordinates
    np.testing.assert_allclose(flat[["x", "y"]], expected)
    first = word_map(words, 40, "tsne", cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    calls: list[float] = []
    again = word_map(words, 40, "tsne", cache=tmp_path, progress=calls.append)
    assert not calls and (again[["x", "y"]] == first[["x", "y"]]).all(axis=None)
    places = first[["x", "y"]].to_numpy()
    one, other = places[::2], places[1::2]
    apart = np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))
    assert apart > np.linalg.norm(one - one.mean(axis=0), axis=1).mean()
