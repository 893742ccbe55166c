"""The numbers that the sentences name are those of the pass."""

import re

import numpy as np

from bertsent.probing.forward_pass.forward_pass import forward_pass
from bertsent.probing.forward_pass.sentences import (
    cosine,
    gathered_sentence,
    input_sentence,
    norm_sentence,
    rest_sentence,
    stream_sentence,
)

PUZZLE = "Great, another boring movie"


def numbers(sentence: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+\.\d+", sentence.replace("−", "-"))]


def test_the_input_is_named_by_its_lengths(tiny) -> None:
    found = forward_pass(tiny(), PUZZLE)
    lengths = [np.linalg.norm(rows[4]) for rows in found.parts.values()]
    lengths += [np.linalg.norm(found.summed[4]), np.linalg.norm(found.normalised[4])]
    np.testing.assert_allclose(numbers(input_sentence(found, 4))[:5], lengths, atol=0.006)
    lone = forward_pass(tiny(), "")
    assert "[SEP]" in input_sentence(lone, 0), "two tokens are there even without a word"


def test_a_number_is_normalised_as_it_is_written(tiny) -> None:
    found = forward_pass(tiny(), PUZZLE)
    mean, scale, value, again, divisor, standard, same, gain, shift, result = numbers(
        norm_sentence(found, 4)
    )
    assert mean == again and scale == divisor and standard == same
    np.testing.assert_allclose((value - mean) / scale, standard, atol=0.02)
    np.testing.assert_allclose(standard * gain + shift, result, atol=0.001)
    assert abs(result) == round(float(np.abs(found.normalised[4]).max()), 4)


def test_the_layer_that_turns_a_vector_most_is_named(tiny) -> None:
    found = forward_pass(tiny(), PUZZLE)
    turns = [cosine(found.hidden[n, 4], found.hidden[n + 1, 4]) for n in range(2)]
    sentence = stream_sentence(found, 4)
    assert sentence.startswith(f"Layer {int(np.argmin(turns)) + 1} ")
    last = cosine(found.hidden[0, 4], found.hidden[-1, 4])
    np.testing.assert_allclose(numbers(sentence), [min(turns), last], atol=0.006)


def test_what_is_gathered_and_added_is_measured(tiny) -> None:
    found = forward_pass(tiny(), PUZZLE)
    layer, tokens = found.layers[1], found.inputs.pieces
    weight, value = layer.attention_weights[0, 4, 2], np.linalg.norm(layer.values[0, 2])
    said = numbers(gathered_sentence(layer, (1, 0), (4, 2), tokens))
    np.testing.assert_allclose(said[:3], [weight, value, weight * value], atol=0.006)
    lengths = [np.linalg.norm(rows[4]) for rows in (layer.attention, layer.inputs)]
    sentence = rest_sentence(layer, 1, 4, tokens)
    np.testing.assert_allclose(numbers(sentence)[:2], lengths, atol=0.006)
    assert f"{int((layer.inner[4] > 0).sum())} are above 0" in sentence and "GELU" in sentence
