"""Answers against NumPy and plain torch, and what each order lets a word know."""

import numpy as np
import pytest
import torch

from bertsent.data.examples import Example, Reviews
from bertsent.probing.baselines.lstm import LstmConfig, split_words
from bertsent.probing.before_bert.networks import BOTH, CNN, FILTERS, JOINED, LEFT, WIDTHS
from bertsent.probing.before_bert.reading_order import (
    FROM_LEFT,
    FROM_RIGHT,
    ITSELF,
    TOGETHER,
    UNSEEN,
    order_of,
    orders_sentence,
)
from bertsent.probing.before_bert.shipped import read_readers, write_readers
from bertsent.probing.before_bert.word_reader import READERS, WordReader, fit_reader
from tests.probing.before_bert.conftest import drawn

TYPED = ["great", "The film was not great, and long", "not a word known here", "long " * 30]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def one_way(weights: dict[str, np.ndarray], vectors: np.ndarray, layer: int, end: str = ""):
    """(T, hidden): an LSTM layer written out, gates in torch's order i, f, g, o."""
    states, hidden = [], weights[f"weight_hh_l{layer}{end}"].shape[1]
    h = c = np.zeros(hidden)
    for x in vectors:
        gates = weights[f"weight_ih_l{layer}{end}"] @ x + weights[f"weight_hh_l{layer}{end}"] @ h
        gates = gates + weights[f"bias_ih_l{layer}{end}"] + weights[f"bias_hh_l{layer}{end}"]
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def by_hand(reader: WordReader, text: str) -> float:
    weights = {n: t.double().numpy() for n, t in reader.network.state_dict().items()}
    vectors = weights["embedding.weight"][reader.ids(split_words(text))]

    def part(name: str) -> dict[str, np.ndarray]:
        start = f"body.{name}."
        return {n.removeprefix(start): w for n, w in weights.items() if n.startswith(start)}

    if reader.kind == CNN:
        features = [f.max() for f in filters_by_hand(weights, vectors)]
    elif reader.kind == BOTH:
        both, onward, back = part("onward"), vectors, vectors
        for layer in range(2):
            onward, back = (
                one_way(both, onward, layer),
                one_way(both, back[::-1], layer, "_reverse")[::-1],
            )
            last = onward, back
            onward = back = np.concatenate([onward, back], axis=1)
        features = [*last[0][-1], *last[1][0]]
    else:
        states = vectors
        for layer in range(2):
            states = one_way(part("onward"), states, layer)
        features = list(states[-1])
        if reader.kind == JOINED:
            states = vectors[::-1]
            for layer in range(2):
                states = one_way(part("backward_only"), states, layer)
            features += list(states[-1])
    return float(weights["head.weight"][0] @ features + weights["head.bias"][0])


def filters_by_hand(weights: dict[str, np.ndarray], vectors: np.ndarray) -> list[np.ndarray]:
    """For each filter its matches, relu(Σ filter · window + bias), at every place."""
    room = np.zeros((max(0, max(WIDTHS) - len(vectors)), vectors.shape[1]))
    padded, found = np.concatenate([vectors, room]), []
    for group, width in enumerate(WIDTHS):
        kernel = weights[f"body.filters.{group}.weight"]  # filters, vectors, width
        bias = weights[f"body.filters.{group}.bias"]
        for number in range(FILTERS):
            places = range(max(1, len(vectors) - width + 1))
            found.append(
                np.array(
                    [
                        max(0.0, (kernel[number].T * padded[p : p + width]).sum() + bias[number])
                        for p in places
                    ]
                )
            )
    return found


def test_the_answer_is_that_of_numpy_alone_and_in_a_batch(reader: WordReader) -> None:
    together = reader.logits(TYPED)
    for text, logit in zip(TYPED, together, strict=True):
        assert logit == pytest.approx(by_hand(reader, text), abs=1e-5)
        assert logit == pytest.approx(reader.logits([text])[0], abs=1e-6)


def known(kind: str, words: int) -> np.ndarray:
    """(T, T, width): how much each number of each word's vector moves with each word, by
    autograd.
    """
    reader = drawn(kind)
    vectors = torch.randn(words, 6, generator=torch.Generator().manual_seed(1))
    found = torch.autograd.functional.jacobian(reader.network.body.states, vectors)
    return found.abs().sum(dim=-1).permute(0, 2, 1).numpy()  # T, width, T, vectors → T, T, width


def test_the_orders_are_what_the_gradients_say() -> None:
    """Where the picture says that a word is not read, the gradient is exactly 0, and elsewhere it
    is not; ELMo's halves know one side each, a stacked two-way LSTM's both.
    """
    left, both, joined = (known(kind, 6) for kind in (LEFT, BOTH, JOINED))
    ulmfit, elmo = order_of("ULMFiT").sees(6), order_of("ELMo").sees(6)
    two_way = order_of("biLSTM").sees(6)
    assert ((left.sum(axis=-1) > 0) == (ulmfit != UNSEEN)).all()
    assert ((joined[..., :5].sum(axis=-1) > 0) == np.isin(elmo, (ITSELF, FROM_LEFT))).all()
    assert ((joined[..., 5:].sum(axis=-1) > 0) == np.isin(elmo, (ITSELF, FROM_RIGHT))).all()
    assert ((both > 0).all(axis=-1) == np.isin(two_way, (ITSELF, TOGETHER))).all()


def test_pairs_are_counted_in_words() -> None:
    said = orders_sentence(5)
    assert "Of the 20 ordered pairs" in said and "use 10, BERT all 20" in said
    assert "10 in its left half, 10 in its right one" in said


def test_they_learn_and_come_back_in_half_precision(tmp_path) -> None:
    texts = [
        f"{start} {word} {end}"
        for start in ("a", "the", "one", "this")
        for word in ("great", "boring")
        for end in ("film", "story", "scene", "song", "plot", "end")
    ]
    reviews = Reviews(
        "toy", tuple(Example(f"r{n}", t, int("great" in t)) for n, t in enumerate(texts))
    )
    config = LstmConfig(
        embedding_size=8,
        hidden_size=8,
        dropout=0.0,
        word_dropout=0.0,
        epochs=30,
        batch_size=8,
        learning_rate=1e-2,
        min_count=1,
    )
    readers = {kind: fit_reader(kind, reviews, config) for kind in READERS}
    for reader in readers.values():
        assert ((reader.p_positive(texts) > 0.5) == np.array(reviews.labels)).all()
    again = fit_reader(LEFT, reviews, config)
    assert np.array_equal(again.logits(texts), readers[LEFT].logits(texts))
    write_readers(tmp_path / "r.safetensors", readers)
    read = read_readers(tmp_path / "r.safetensors")
    for kind, reader in readers.items():
        assert np.allclose(read[kind].logits(texts), reader.logits(texts), atol=0.02)
