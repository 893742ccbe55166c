from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from bertsent.data.examples import Reviews, Splits
from bertsent.errors import BadInput, Cancelled, NotAvailable
from bertsent.probing.layer_probes import (
    STRENGTH,
    cached_probes,
    layer_vectors,
    logit_lens,
    train_probes,
    turning_layer,
    turning_sentence,
)

TEXTS = ("Great, another boring movie", "Great", "🎬 fine", "one two three four " * 60)


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_last_layer_is_the_model(tiny, pooling: str, text: str) -> None:
    model = tiny(pooling)
    found = logit_lens(model, text)
    assert found.early.shape == (model.layers + 1,) and found.vectors.shape == (
        model.layers + 1,
        model.width,
    )
    assert found.early[-1] == pytest.approx(model.predict([text])[0].p_positive, abs=1e-6)
    logits = model.model.classifier(torch.tensor(found.vectors)).detach()
    assert np.allclose(found.early, logits.softmax(-1)[:, 1].numpy(), atol=1e-6)


@pytest.mark.parametrize("text", TEXTS[:3])
def test_the_last_layer_is_the_shipped_model(builtin, text: str) -> None:
    found = logit_lens(builtin, text)
    assert len(found.early) == builtin.layers + 1
    assert found.early[-1] == pytest.approx(builtin.predict([text])[0].p_positive, abs=1e-6)


def test_all_layers_in_one_pass_are_those_of_embed(tiny) -> None:
    model = tiny("mean")
    found = layer_vectors(model, TEXTS)
    for layer in range(model.layers + 1):
        assert np.allclose(
            found[:, layer], model.embed(TEXTS, pooling="mean", layer=layer), atol=1e-5
        )


def test_probes_are_scikit_learns_and_judged_on_others(tiny, toy_reviews: Reviews) -> None:
    model = tiny("mean")
    train, others = toy_reviews.take(range(28)), toy_reviews.take(range(28, 40))
    found = train_probes(model, train, others)
    vectors, held_out = layer_vectors(model, train.texts), layer_vectors(model, others.texts)
    for layer in range(model.layers + 1):
        scaler = StandardScaler().fit(vectors[:, layer])
        theirs = LogisticRegression(C=STRENGTH, max_iter=500).fit(
            scaler.transform(vectors[:, layer]), train.labels
        )
        share = theirs.predict_proba(scaler.transform(held_out[:, layer]))[:, 1]
        assert np.allclose(found.read(held_out)[:, layer], share, atol=1e-3)
        right = (found.read(held_out)[:, layer] > 0.5) == np.array(others.labels)
        assert np.array_equal(found.correct[layer], right)
    assert (found.learned, found.held_out) == (28, 12)
    asked = model.probabilities(others.texts)[:, 1] > 0.5
    assert np.array_equal(found.head_correct[-1], asked == np.array(others.labels))
    early = [(logit_lens(model, e.text).early[0] > 0.5) == e.label for e in others]
    assert found.head_correct[0].tolist() == early
    assert found.majority == np.bincount(others.labels).max() / 12
    (low, high), share = found.intervals(found.correct)[0], found.correct[0].mean()
    assert low < share < high


def test_before_the_first_layer_cls_is_the_same_everywhere(tiny, toy_reviews: Reviews) -> None:
    found = train_probes(tiny("cls"), toy_reviews.take(range(28)), toy_reviews.take(range(28, 40)))
    assert np.allclose(found.weights[0], 0)


def test_probes_are_kept_and_a_damaged_file_is_made_again(
    tiny, toy_reviews: Reviews, tmp_path: Path
) -> None:
    train, others = toy_reviews.take(range(28)), toy_reviews.take(range(28, 40))
    first = cached_probes(tiny(), Splits(train, others), cache=tmp_path)

    def never(fraction: float) -> None:
        raise AssertionError("it was computed again")

    again = cached_probes(tiny(), Splits(train, others), cache=tmp_path, progress=never)
    assert (
        np.array_equal(first.weights, again.weights)
        and np.array_equal(first.correct, again.correct)
        and again.held_out == 12
    )
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-50])
    assert np.allclose(
        cached_probes(tiny(), Splits(train, others), cache=tmp_path).weights, first.weights
    )


def test_what_cannot_be_is_told(tiny, toy_reviews: Reviews) -> None:
    with pytest.raises(NotAvailable):
        logit_lens(tiny(fine_tuned=False), "fine")
    with pytest.raises(BadInput):
        train_probes(
            tiny(), toy_reviews.where([label == 1 for label in toy_reviews.labels]), toy_reviews
        )

    def stop(fraction: float) -> None:
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        train_probes(tiny(), toy_reviews, toy_reviews, progress=stop)


@pytest.mark.parametrize(
    ("shares", "layer"),
    [
        ((0.6, 0.4, 0.6, 0.7), 2),
        ((0.6, 0.7), 0),
        ((0.6, 0.6, 0.1), 2),
        ((0.1, 0.9), 1),
        ((0.9, 0.2, 0.501, 0.503, 0.502, 0.9), 5),
        ((0.9, 0.52, 0.48), 1),
    ],
)
def test_where_it_turns(shares: tuple[float, ...], layer: int) -> None:
    """Layers that lay at 50.3 % counted as positive: "from layer 2 on" where layers 2 to 4 said
    nothing.
    """
    assert turning_layer(np.array(shares)) == layer


def test_undecided_layers_are_named() -> None:
    said = turning_sentence("The head", np.array([0.9, 0.2, 0.501, 0.503, 0.502, 0.9, 0.9]))
    assert "POSITIVE from layer 5 on" in said and "undecided after layer 2, 3, 4" in said
    assert "undecided" in turning_sentence("The head", np.array([0.9, 0.52, 0.48]))
