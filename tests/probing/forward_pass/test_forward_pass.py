"""The whole way in NumPy against the model's own numbers, read by hooks from its modules."""

import random
from dataclasses import fields

import numpy as np
import pytest
import torch
from transformers.activations import ACT2FN

from bertsent.errors import BadInput, NotAvailable
from bertsent.probing.forward_pass.activations import ACTIVATIONS
from bertsent.probing.forward_pass.comparison import Comparison, compare, worst
from bertsent.probing.forward_pass.encoder_weights import encoder_weights
from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.forward_pass.model_inputs import model_inputs
from bertsent.probing.forward_pass.own_numbers import own_layer, own_numbers
from bertsent.ui.shared.review_bar import PRESETS

PUZZLE = "Great, another boring movie"
LONGER = "This one goes on and on about a film that nobody remembers"
READINGS = [{}, {"second": "He likes playing"}, {"beside": LONGER}]
WORDS = (
    "a the film movie not never very good bad great boring unfathomableness touché , . ? 🎬 1994 "
    "but because however somewhat delightful dreadful plot acting waste of time"
).split()


def differences(model, text, **reading) -> list[Comparison]:
    """Every number of the whole way beside the model's own."""
    found = forward_pass(model, text, **reading)
    own = own_numbers(model, found.inputs)
    compared = [
        compare(each.name, getattr(found, each.name), getattr(own, each.name))
        for each in fields(own)
    ]
    for number, layer in enumerate(found.layers):
        inside = own_layer(model, found.inputs, number)
        compared += [
            compare(f"{number} {each.name}", getattr(layer, each.name), getattr(inside, each.name))
            for each in fields(inside)
        ]
    return compared


@pytest.mark.parametrize("reading", READINGS, ids=["alone", "pair", "padded"])
@pytest.mark.parametrize("family", ["bert", "distilbert"])
def test_every_number_is_the_models_own(tiny, family, reading) -> None:
    compared = differences(tiny("cls", family), PUZZLE, **reading)
    assert len(compared) == 5 + 2 * 14
    assert not [each for each in compared if not each.same]
    assert max(each.difference for each in compared) < 2e-5


@pytest.mark.parametrize("family", ["bert", "distilbert"])
@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_the_answer_is_that_of_the_model(tiny, family, pooling) -> None:
    """Against the answers themselves, which come from another implementation of attention."""
    model = tiny(pooling, family)
    for text in (PUZZLE, "", "🎬🍿", "fine", LONGER * 9):
        found, answer = forward_pass(model, text), model.predict([text])[0]
        np.testing.assert_allclose(found.logits, answer.logits, atol=1e-5)
        np.testing.assert_allclose(found.probabilities[1], answer.p_positive, atol=1e-5)
        padded = forward_pass(model, text, beside=LONGER * 9)
        assert len(padded.inputs) == 64
        np.testing.assert_allclose(padded.logits, found.logits, atol=1e-10)


def test_a_pooler_is_passed_through(with_pooler) -> None:
    found = forward_pass(with_pooler, PUZZLE)
    assert np.abs(found.after_pooler).max() < 1 and not np.allclose(
        found.after_pooler, found.pooled
    )
    np.testing.assert_allclose(found.logits, with_pooler.logits([PUZZLE])[0], atol=1e-5)
    assert all(each.same for each in differences(with_pooler, PUZZLE))


def test_nothing_looks_at_padding(tiny) -> None:
    found = forward_pass(tiny(), PUZZLE, beside=LONGER)
    real = len(forward_pass(tiny(), PUZZLE).inputs)
    assert len(found.inputs) > real and found.inputs.pieces[real] == "[PAD]"
    for layer in found.layers:
        assert not layer.attention_weights[:, :, real:].any()
        np.testing.assert_allclose(layer.attention_weights.sum(-1), 1)


@pytest.mark.parametrize("length", [9, 12, 16, 64])
def test_two_texts_are_joined_as_the_library_does(tiny, length) -> None:
    model = tiny(max_length=length)
    inputs = model_inputs(model, PUZZLE, second=LONGER)
    theirs = model.tokenizer.fast(
        PUZZLE,
        LONGER,
        truncation="longest_first",
        max_length=length,
        return_token_type_ids=True,
    )
    assert list(inputs.segments) == theirs["token_type_ids"]
    assert list(inputs.ids) == theirs["input_ids"] and set(inputs.mask) == {1}
    assert list(inputs.pieces) == model.tokenizer.fast.convert_ids_to_tokens(theirs["input_ids"])


@pytest.mark.parametrize("name", [name for name in ACTIVATIONS if name in ACT2FN])
def test_activations_are_those_of_the_library(name) -> None:
    x = np.linspace(-8, 8, 321)
    theirs = ACT2FN[name](torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(ACTIVATIONS[name](x), theirs, atol=1e-7)


def test_weights_are_not_copied(tiny) -> None:
    model = tiny()
    weights = encoder_weights(model)
    tables = model.model.bert.embeddings.word_embeddings.weight.detach().numpy()
    assert np.shares_memory(weights.tables["token"], tables)


def test_a_model_that_computes_something_else_is_found_out(tiny) -> None:
    """The check is worth something only if it can fail."""
    model = tiny()
    found = forward_pass(model, PUZZLE)
    inner = model.model.bert.encoder.layer[1].intermediate.dense
    handle = inner.register_forward_hook(lambda _module, _given, back: back + 0.01)
    try:
        own = own_numbers(model, found.inputs)
    finally:
        handle.remove()
    assert compare("first", found.hidden[1], own.hidden[1]).same
    broken = compare("second", found.hidden[2], own.hidden[2])
    assert not broken.same and broken.difference > broken.tolerance
    assert not compare("not finite", [np.nan], [1.0]).same
    assert worst("all", [compare("same", [1.0], [1.0]), broken]).difference == broken.difference


def test_rounding_is_allowed_in_proportion() -> None:
    assert compare("large", [1000.005], [1000.0]).same
    assert not compare("small", [0.05], [0.0]).same
    with pytest.raises(ValueError, match="recomputed"):
        compare("shapes", [1.0], [1.0, 2.0])


def test_what_is_not_worked_out_is_said(tiny) -> None:
    model = tiny()
    model.model.pooler = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Softplus())
    with pytest.raises(NotAvailable, match="before its classifier"):
        forward_pass(model, PUZZLE)
    model = tiny()
    model.model.bert.config.hidden_act = "mish"
    with pytest.raises(NotAvailable, match="mish"):
        forward_pass(model, PUZZLE)
    model = tiny()
    model.model.bert.config.model_type = "roberta"
    with pytest.raises(NotAvailable, match="roberta"):
        forward_pass(model, PUZZLE)
    model = tiny()
    segments = model.model.bert.embeddings.token_type_embeddings
    segments.weight = torch.nn.Parameter(segments.weight[:1])
    with pytest.raises(BadInput, match="one segment"):
        forward_pass(model, PUZZLE, second="Another")


@pytest.mark.slow
def test_the_model_that_ships_on_presets_and_random_sentences(builtin) -> None:
    chance = random.Random(17)
    sentences = [" ".join(chance.choices(WORDS, k=chance.randint(1, 40))) for _ in range(20)]
    for text in [*PRESETS.values(), *sentences]:
        assert not [each for each in differences(builtin, text) if not each.same], text
        answer = builtin.predict([text])[0]
        np.testing.assert_allclose(forward_pass(builtin, text).logits, answer.logits, atol=1e-5)


@pytest.mark.slow
def test_as_many_tokens_as_the_model_reads(builtin) -> None:
    found = forward_pass(builtin, "a good film " * 300)
    assert len(found.inputs) == builtin.max_length
    np.testing.assert_allclose(found.logits, builtin.logits(["a good film " * 300])[0], atol=1e-5)
