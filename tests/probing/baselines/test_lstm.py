"""The same seed gives the same weights; packing changes nothing; order is seen."""

import numpy as np
import pytest
import torch

from bertsent.data.examples import Example, Reviews
from bertsent.errors import Cancelled
from bertsent.probing.baselines import lstm

SMALL = lstm.LstmConfig(
    embedding_size=8, hidden_size=8, epochs=3, batch_size=16, learning_rate=1e-2
)
TYPED = ["great", "a boring film with people", "😀", "", "never seen words here", "great " * 2_000]


@pytest.fixture(scope="module")
def model(paired_reviews):
    return lstm.fit_lstm(paired_reviews, SMALL)


def test_the_same_seed_gives_the_same_weights_whatever_else_draws_numbers(model, paired_reviews):
    torch.manual_seed(7)
    again = lstm.fit_lstm(paired_reviews, SMALL, progress=lambda _: torch.rand(3))
    for name, weights in model.network.state_dict().items():
        assert torch.equal(weights, again.network.state_dict()[name])
    other = lstm.fit_lstm(paired_reviews, lstm.LstmConfig(**{**SMALL.__dict__, "seed": 1}))
    assert not torch.equal(other.network.head.weight, model.network.head.weight)


def test_the_answer_is_that_of_plain_torch_without_packing(model):
    batched = model.logits(TYPED)
    for text, logit in zip(TYPED, batched, strict=True):
        with torch.no_grad():
            vectors = model.network.embedding.weight[torch.tensor(model.ids(text))]  # T, vectors
            plain = torch.nn.LSTM(8, 8, bidirectional=True)
            plain.load_state_dict(model.network.lstm.state_dict())
            states, _ = plain(vectors)  # no batch, no padding
            expected = (
                states.max(dim=0).values @ model.network.head.weight[0] + model.network.head.bias[0]
            )
        assert logit == pytest.approx(float(expected), abs=1e-5)
        assert logit == pytest.approx(model.logits([text])[0], abs=1e-5)


def test_one_direction_by_hand(model):
    """The cell of Hochreiter and Schmidhuber written out, gates in torch's order i, f, g, o."""
    states = model.network.lstm
    vectors = model.network.embedding.weight[torch.tensor(model.ids("a great film"))]
    h = c = torch.zeros(8)
    for x in vectors:
        gates = (
            states.weight_ih_l0 @ x
            + states.bias_ih_l0
            + states.weight_hh_l0 @ h
            + states.bias_hh_l0
        )
        i, f, g, o = gates.chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    assert torch.allclose(states(vectors)[0][-1, :8], h, atol=1e-6)


def test_it_learns_words_and_sees_order(paired_reviews):
    whole = lstm.fit_lstm(
        paired_reviews,
        lstm.LstmConfig(
            embedding_size=16, hidden_size=16, epochs=20, batch_size=8, learning_rate=1e-2
        ),
    )
    right = (whole.p_positive(paired_reviews.texts) > 0.5) == np.array(paired_reviews.labels)
    assert right.mean() > 0.9
    first, second = whole.logits(["great film boring people", "boring film great people"])
    assert abs(first - second) > 1e-4


def test_it_comes_back_from_its_arrays(model):
    again = lstm.LstmClassifier.from_arrays(model.to_arrays())
    assert np.array_equal(again.logits(TYPED), model.logits(TYPED))


def test_edges_and_cancelling(paired_reviews):
    few = Reviews("few", tuple(Example(str(i), "😀" if i % 2 else "x", i % 2) for i in range(10)))
    p = lstm.fit_lstm(few, SMALL).p_positive(["", "😀", "word"])
    assert np.isfinite(p).all()

    def stop(fraction):
        if fraction > 0.3:
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        lstm.fit_lstm(paired_reviews, SMALL, progress=stop)
