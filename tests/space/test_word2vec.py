"""word2vec: gradients against autograd and finite differences, sampling against the paper's
formulas, pairs by hand, and what it learns from texts that are made to have clusters.
"""

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.space.word2vec import (
    Corpus,
    Word2Vec,
    Word2VecConfig,
    kept_probability,
    noise_distribution,
    pair_gradients,
    read_corpus,
    window_pairs,
    words_of,
)

CLUSTERS = (("cat", "dog", "cow", "hen"), ("red", "blue", "green", "pink"))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Sentences that keep to animals or to colours, with words that are in all of them."""
    random = np.random.default_rng(3)
    rows = []
    for number in range(600):
        own = random.choice(CLUSTERS[number % 2], 5)
        rows.append(" ".join(word for each in own for word in ("the", str(each))))
    return rows


def config(**own: object) -> Word2VecConfig:
    small = {"dimensions": 8, "epochs": 4, "batch_size": 256, "thinning": 1e-2}
    return Word2VecConfig(**{**small, **own})


def equation_4(word: torch.Tensor, around: torch.Tensor, random: torch.Tensor) -> torch.Tensor:
    """As it is printed, its sign turned."""
    near = torch.log(torch.sigmoid((word * around).sum(-1)))
    far = torch.log(torch.sigmoid(-(word[:, None] * random).sum(-1))).sum(-1)
    return -(near + far)


def test_gradients_are_those_of_autograd() -> None:
    torch.manual_seed(0)
    word, around = torch.randn(6, 5, dtype=torch.double), torch.randn(6, 5, dtype=torch.double)
    random = torch.randn(6, 3, 5, dtype=torch.double)
    leaves = [each.requires_grad_() for each in (word, around, random)]
    expected = equation_4(*leaves)
    of_word, of_around, of_random = torch.autograd.grad(expected.sum(), leaves)
    losses, own_word, own_output = pair_gradients(*(each.detach() for each in leaves))
    torch.testing.assert_close(losses, expected.detach())
    torch.testing.assert_close(own_word, of_word)
    torch.testing.assert_close(own_output[:, 0], of_around)
    torch.testing.assert_close(own_output[:, 1:], of_random)


def test_gradients_are_finite_differences_and_large_scores_stay_finite() -> None:
    torch.manual_seed(1)
    word, around = torch.randn(1, 4, dtype=torch.double), torch.randn(1, 4, dtype=torch.double)
    random, step = torch.randn(1, 2, 4, dtype=torch.double), 1e-6
    _, own, _ = pair_gradients(word, around, random)
    for place in range(4):
        moved = word.clone()
        moved[0, place] += step
        slope = (equation_4(moved, around, random) - equation_4(word, around, random)) / step
        assert float(own[0, place]) == pytest.approx(float(slope), abs=1e-4)
    losses, *_ = pair_gradients(word * 1e4, around * 1e4, random * 1e4)
    assert torch.isfinite(losses).all()


def test_a_step_adds_up_the_gradients_of_a_word_that_comes_twice(texts: list[str]) -> None:
    model = Word2Vec(read_corpus(texts), config(negatives=1))
    model.outputs.normal_(generator=torch.Generator().manual_seed(0))
    words, around = torch.tensor([1, 1, 2]), torch.tensor([3, 4, 3])
    before, outputs = model.vectors.clone(), model.outputs.clone()
    state = model._random.get_state()
    model.step(words, around, 1e-3)
    twin = torch.Generator()
    twin.set_state(state)
    noise = torch.from_numpy(noise_distribution(model.corpus.counts).cumsum()).float()
    random = torch.searchsorted(noise, torch.rand(3, 1, generator=twin))
    leaves = [before.requires_grad_(), outputs.requires_grad_()]
    loss = equation_4(before[words], outputs[around], outputs[random]).sum()
    for own, expected in zip(
        (model.vectors.grad, model.outputs.grad), torch.autograd.grad(loss, leaves), strict=True
    ):
        torch.testing.assert_close(own, expected, atol=1e-5, rtol=1e-4)
    moved = (model.vectors != before).any(dim=1).nonzero().ravel().tolist()
    assert set(moved) <= {1, 2}


def test_pairs_by_hand_do_not_cross_texts() -> None:
    ids, of = np.array([10, 11, 12, 20, 21]), np.array([0, 0, 0, 1, 1])
    words, around = window_pairs(ids, of, 2)
    assert sorted(zip(words.tolist(), around.tolist(), strict=True)) == [
        (10, 11), (10, 12), (11, 10), (11, 12), (12, 10), (12, 11), (20, 21), (21, 20),
    ]  # fmt: off
    words, around = window_pairs(ids, of, np.array([1, 2, 1, 1, 1]))
    assert (10, 12) not in set(zip(words.tolist(), around.tolist(), strict=True))
    assert all(len(each) == 0 for each in window_pairs(ids[:0], of[:0], 5))


def test_words_are_counted_and_rare_ones_taken_out() -> None:
    corpus = read_corpus(["A b, a! don't", "A b c d e f g a b c d e f g", "x1 42"], min_count=2)
    assert corpus.words == ("a", "b", "c", "d", "e", "f", "g")
    assert corpus.counts.tolist() == [4, 3, 2, 2, 2, 2, 2]
    assert corpus.ids[:4].tolist() == [0, 1, 0, 0] and corpus.texts[:4].tolist() == [0, 0, 0, 1]
    assert words_of("Don’t <b>42 don't_x") == ["don't", "b", "don't", "x"]
    with pytest.raises(BadInput, match="Only 0 words occur 5 times"):
        read_corpus(["nothing here"])


def test_sampling_is_the_paper_s() -> None:
    shares = np.array([0.5, 0.001, 0.0001])
    expected = 1 - np.array([1 - np.sqrt(0.001 / 0.5), 0, 0])  # equation 5 is what is left out
    np.testing.assert_allclose(kept_probability(shares, 0.001), expected)
    counts = np.array([16, 1, 81])
    np.testing.assert_allclose(noise_distribution(counts), np.array([8, 1, 27]) / 36)


def test_frequent_words_are_left_out_as_often_as_equation_5_says() -> None:
    ids = np.tile(np.array([0, 0, 0, 1]), 5_000)
    corpus = Corpus(("the", "cat"), np.array([15_000, 5_000]), ids, np.arange(len(ids)) // 4)
    model = Word2Vec(corpus, config(thinning=0.05, window=1))
    kept = model._kept.numpy()
    np.testing.assert_allclose(kept, np.sqrt(0.05 / np.array([0.75, 0.25])))
    pairs = np.mean([len(model.epoch_pairs()[0]) for _ in range(3)])
    full = Word2Vec(corpus, config(thinning=1.0, window=1)).epoch_pairs()[0]
    assert pairs < 0.3 * len(full) and len(full) == 2 * 3 * 5_000


def test_equal_seeds_learn_equal_vectors_and_frames_are_copies(texts: list[str]) -> None:
    corpus = read_corpus(texts)
    first, again, other = (
        list(Word2Vec(corpus, config(epochs=2, seed=seed)).train(5)) for seed in (1, 1, 2)
    )
    assert (first[-1].vectors == again[-1].vectors).all()
    assert (first[-1].vectors != other[-1].vectors).any()
    assert first[0].step == 0 and first[-1].step == first[-1].steps
    steps = [frame.step for frame in first]
    assert steps == sorted(set(steps)) and 4 <= len(steps) <= 9
    assert (first[0].vectors != first[-1].vectors).any() and first[-1].loss < first[1].loss


def test_words_of_one_cluster_end_nearer(texts: list[str]) -> None:
    model = Word2Vec(read_corpus(texts), config(epochs=20, batch_size=64, learning_rate=1e-2))
    for _ in model.train(1):
        pass
    vectors = model.word_vectors()
    within = [vectors.cosine(a, b) for words in CLUSTERS for a in words for b in words if a < b]
    between = [vectors.cosine(a, b) for a in CLUSTERS[0] for b in CLUSTERS[1]]
    assert min(within) > max(between)
