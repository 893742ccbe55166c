"""Gradients against finite differences, shares by hand, and sentences that follow the numbers."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from bertsent.errors import BadInput
from bertsent.probing.baselines.lstm import LstmClassifier, LstmConfig, LstmNetwork
from bertsent.probing.before_bert.networks import LEFT
from bertsent.probing.before_bert.reach import (
    Reach,
    bert_log_odds,
    by_place,
    input_vectors,
    mean_reach,
    reach_of_bert,
    reach_of_reader,
    reach_sentence,
    reach_table,
)
from bertsent.probing.before_bert.word_reader import WordReader
from bertsent.probing.loaded_model import LoadedModel
from tests.probing.before_bert.conftest import WORDS, drawn
from tests.probing.heads.conftest import tiny, tiny_distilbert  # noqa: F401 - fixtures

TEXT = "The film was not great, and unbelievably long"


def slopes(answer: Callable[[np.ndarray], float], vectors: np.ndarray) -> np.ndarray:
    """(T, V): the slope of ``answer`` along every number, from both sides."""
    found, step = np.zeros_like(vectors), 1e-5
    for place in np.ndindex(*vectors.shape):
        moved = []
        for way in (step, -step):
            changed = vectors.copy()
            changed[place] += way
            moved.append(answer(changed))
        found[place] = (moved[0] - moved[1]) / (2 * step)
    return found


def test_gradients_of_the_networks_are_finite_differences(reader: WordReader) -> None:
    found = reach_of_reader(reader, TEXT)
    network = reader.network.double()

    def answer(vectors: np.ndarray) -> float:
        with torch.no_grad():
            return float(network.answer(torch.tensor(vectors)[None], torch.tensor([len(vectors)])))

    expected = slopes(answer, reader.vectors(found.words).double().numpy())
    assert np.allclose(found.norms, np.linalg.norm(expected, axis=1), rtol=1e-3, atol=1e-5)
    assert found.words[3:6] == ("not", "great", ",")
    assert found.unknown.index(True) == found.words.index("unbelievably")


def test_the_baseline_that_ships_is_asked_the_same_way() -> None:
    config = LstmConfig(embedding_size=6, hidden_size=5)
    network = LstmNetwork(len(WORDS) + 2, config)
    network.initialise(torch.Generator().manual_seed(0))
    model = LstmClassifier(WORDS, 64, network, config)
    found = reach_of_reader(model, TEXT)
    assert found.p_positive == pytest.approx(model.p_positive([TEXT])[0], abs=1e-6)
    vectors = network.embedding.weight[torch.tensor(model.ids(TEXT))].detach().double().numpy()
    network.double()

    def answer(moved: np.ndarray) -> float:
        with torch.no_grad():
            return float(network.answer(torch.tensor(moved)[None], torch.tensor([len(moved)])))

    assert np.allclose(
        found.norms, np.linalg.norm(slopes(answer, vectors), axis=1), rtol=1e-3, atol=1e-5
    )


def test_gradients_of_bert_are_finite_differences_and_pieces_of_a_word_count_together(
    tiny: Callable[..., LoadedModel],  # noqa: F811 - the fixture
) -> None:
    model = tiny()
    found = reach_of_bert(model, TEXT)
    assert found.p_positive == pytest.approx(model.probabilities([TEXT])[0, 1], abs=1e-5)
    tokens, spans = model.tokens(TEXT), model.tokenizer.spans(TEXT, model.max_length)
    vectors = input_vectors(model, tokens.ids).double().numpy()
    model.model.double()
    with torch.no_grad():
        expected = slopes(lambda moved: float(bert_log_odds(model, torch.tensor(moved))), vectors)
    model.model.float()
    for word, norm in zip(found.words, found.norms, strict=True):
        start = TEXT.index(word)
        own = [n for n, (a, b) in enumerate(spans) if start <= a < b <= start + len(word)]
        assert own
        assert norm == pytest.approx(np.linalg.norm(expected[own]), rel=1e-2)


def test_a_word_that_lies_across_two_parts_gives_to_both() -> None:
    assert by_place(np.array([0.5, 0.25, 0.25, 0.0]), 2).tolist() == [0.75, 0.25]
    assert np.allclose(by_place(np.array([0.6, 0.4]), 3), [0.4, 1 / 3, 4 / 15])
    shares = np.random.default_rng(0).dirichlet(np.ones(17))
    assert by_place(shares, 10).sum() == pytest.approx(1)


def made(*shares: float) -> Reach:
    return Reach(tuple("abcdef"[: len(shares)]), np.array(shares), 0.5)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (
            (1, 0, 0, 0, 1, 2),
            (2, 1, 0, 0, 0, 1),
            (
                "leans most to late words is that of “one”",
                "leans most to early words is that of “other”",
            ),
        ),
        (
            (1, 0, 0, 0, 1, 2),
            (1, 1, 1, 1, 1, 2),
            ("leans most to late words is that of “one”", "No answer leans clearly to early words"),
        ),
        (
            (2, 1, 0, 0, 1, 0),
            (3, 1, 0, 0, 0, 0),
            (
                "no answer leans clearly to late words",
                "leans most to early words is that of “other”",
            ),
        ),
    ],
)
def test_the_sentence_follows_the_numbers(one: tuple, other: tuple, words: tuple) -> None:
    said = reach_sentence({"one": made(*one), "other": made(*other)})
    assert all(part in said for part in words), said


def test_the_middle_is_named_where_it_counts_least() -> None:
    found = {"one": made(3, 2, 0, 0, 1, 3), "other": made(1, 1, 1, 1, 1, 1)}
    assert "middle third counts least for “one”: 0 %" in reach_sentence(found)
    assert "middle" not in reach_sentence({"other": found["other"]})


def test_a_short_review_has_no_early_and_late() -> None:
    assert "too few" in reach_sentence({"one": made(1, 2)})
    with pytest.raises(BadInput):
        reach_of_reader(drawn(LEFT), " … ")


def test_the_mean_over_reviews_and_the_table() -> None:
    reader = drawn(LEFT)
    texts = [TEXT, "great , and long film"]
    found = mean_reach({"left": lambda text: reach_of_reader(reader, text)}, texts, parts=4)["left"]
    each = [by_place(reach_of_reader(reader, text).shares, 4) for text in texts]
    assert np.allclose(found, np.mean(each, axis=0)) and found.sum() == pytest.approx(1)
    table = reach_table({"left": reach_of_reader(reader, TEXT)})
    assert table["share"].sum() == pytest.approx(1) and table["word"][4] == "great"
    assert table["known"].tolist().count(False) == 1
