"""A forward pass in, what it shows of one token out, in sentences with its numbers."""

from collections.abc import Sequence

import numpy as np

from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.layer_pass import LayerPass
from bertsent.probing.heads.attention_maps import head_name
from bertsent.written_numbers import written

PARTS = {"token": "word", "position": "position", "segment": "segment"}  # as they are called


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    """Of the angle between two vectors; 0 where one of them is 0."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / lengths if lengths else 0.0


def input_sentence(found: ForwardPass, place: int) -> str:
    """Of which vectors the input of the token at ``place``, from 0, is the sum."""
    token = found.inputs.pieces[place]
    lengths = {name: float(np.linalg.norm(rows[place])) for name, rows in found.parts.items()}
    added = " + ".join(f"{PARTS[name]} ({length:.2f})" for name, length in lengths.items())
    summed, normalised = found.summed[place], found.normalised[place]
    return (
        f"“{token}” enters as {added} = a vector of length {np.linalg.norm(summed):.2f}; in "
        f"brackets the lengths. LayerNorm makes one of length {np.linalg.norm(normalised):.2f} of "
        f"it. {_closest(found, place)}"
    )


def norm_sentence(found: ForwardPass, place: int) -> str:
    """What LayerNorm does with the sum of one token."""
    summed, norm = found.summed[place], found.weights.norm
    scale = float(norm.scale(summed)[0])
    number = int(np.abs(found.normalised[place]).argmax())
    standard, mean = float(norm.standardised(summed)[number]), float(summed.mean())
    return (
        f"LayerNorm takes away the mean of the {len(summed)} numbers, μ = {_plain(mean)}, "
        f"divides by √(σ² + ε) = {scale:.4f}, multiplies by a learned gain and adds a learned "
        f"shift. Number {number + 1} becomes the largest: ({_plain(summed[number])} − "
        f"{_operand(mean)}) / {scale:.4f} = {_plain(standard)}, and {_plain(standard)} × "
        f"{_operand(norm.gain[number])} + {_operand(norm.shift[number])} = "
        f"{_plain(found.normalised[place, number])}."
    )


def stream_sentence(found: ForwardPass, place: int) -> str:
    """Where the vector of the token at ``place`` turns most on its way through the layers."""
    states, token = found.hidden[:, place], found.inputs.pieces[place]
    turns = [cosine(before, after) for before, after in zip(states, states[1:], strict=False)]
    most = int(np.argmin(turns))
    return (
        f"Layer {most + 1} changes “{token}” most: the cosine of what it reads and what it gives "
        f"is {turns[most]:.2f}. After {len(turns)} layers the cosine with the input vector is "
        f"{cosine(states[0], states[-1]):.2f}."
    )


def gathered_sentence(
    layer: LayerPass, head: tuple[int, int], pair: tuple[int, int], tokens: Sequence[str]
) -> str:
    """What the first token of the ``pair`` gathers with a head, (layer, head), and how much of it
    comes from the second; all from 0.
    """
    source, target = pair
    weights, values = layer.attention_weights[head[1], source], layer.values[head[1]]
    lengths = weights * np.linalg.norm(values, axis=-1)
    most = int(lengths.argmax())
    rest = f"; most comes from “{tokens[most]}”, {lengths[most]:.2f}"
    rest = ", more than any other" if most == target else rest
    return (
        f"Head {head_name(head)} sums {len(weights)} values, each times its weight. “"
        f"{tokens[target]}” adds {weights[target]:.4f} × a value of length "
        f"{np.linalg.norm(values[target]):.2f} = {lengths[target]:.2f}"
        f"{rest}. The sum for “{tokens[source]}” has length "
        f"{np.linalg.norm(layer.gathered[head[1], source]):.2f}."
    )


def rest_sentence(layer: LayerPass, number: int, place: int, tokens: Sequence[str]) -> str:
    """What both halves of layer ``number``, from 0, add to the token at ``place``."""
    shares = layer.shares[:, place]
    most = head_name((number, int(shares.argmax())))
    inner, between = layer.inner[place], activation_label(layer.weights.activation)
    lengths = [
        float(np.linalg.norm(rows[place]))
        for rows in (layer.inputs, layer.attention, layer.fed_forward)
    ]
    return (
        f"Wᴼ mixes the {len(shares)} heads of “{tokens[place]}”; head {most} adds most. Attention "
        f"adds a vector of length {lengths[1]:.2f} to the {lengths[0]:.2f} that came in, the "
        f"feed-forward part one of {lengths[2]:.2f}. Of its {len(inner):,} inner numbers "
        f"{int((inner > 0).sum()):,} are above 0 and pass the {between}; the others become "
        "almost 0."
    )


def activation_label(name: str) -> str:
    """The name of an activation as papers write it: "GELU" of "gelu_new"."""
    return name.split("_")[0].upper()


def _plain(number: float) -> str:
    return written(number, ".4f")


def _operand(number: float) -> str:
    """As it stands behind a sign."""
    return f"({_plain(number)})" if number < 0 else _plain(number)


def _closest(found: ForwardPass, place: int) -> str:
    """Which other token has the most similar input vector."""
    rows = found.normalised
    others = [n for n in range(len(rows)) if n != place]
    if not others:
        return ""
    near = max(others, key=lambda n: cosine(rows[place], rows[n]))
    return (
        f"The most similar input vector here is that of “{found.inputs.pieces[near]}” at position "
        f"{near + 1}: cosine {cosine(rows[place], rows[near]):.2f}."
    )
