"""The way back through one attention head: the gradient at the weights of one token, and what its
query would have to do.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from bertsent.figures.gradients import token_strips
from bertsent.figures.layer_head_heatmap import measure_heatmap
from bertsent.figures.vector_strips import vector_strips
from bertsent.probing.forward_pass.attention_gradient import (
    AttentionGradient,
    attention_gradient,
    heads_table,
    most_moved,
)
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.comparison import Comparison
from bertsent.probing.forward_pass.gradient_sentences import (
    attention_sentence,
    heads_sentence,
    query_sentence,
)
from bertsent.probing.forward_pass.own_gradients import compare_gradient
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.figure import ROW, show_checked
from bertsent.ui.probe.take_apart.gradients import autograd, layer_gradients
from bertsent.ui.probe.take_apart.stretch import choose_stretch
from bertsent.ui.shared import escape_markdown, result, select

ATTENTION = (
    "∂L/∂α says what the loss would do if this weight alone could grow. The weights of a token sum "
    "to 1, so at the score before the softmax only α (∂L/∂α − their mean) is left."
)
QUERY = "∂α/∂q = α (k − Σ α k) / √d: how far the key stands out from what is looked at already."
MOST = "most"  # the name of the choice that is made by the gradient


class Place(NamedTuple):
    """A layer, a head, the token that looks and the one it looks at, all from 0."""

    layer: int
    head: int
    looks: int
    other: int


def show_attention(model: LoadedModel, text: str, passed: BackwardPass) -> None:
    """The gradient at the attention weights of a chosen head and token, and at its query."""
    inputs = passed.forward.inputs
    st.markdown("**Back through a head**", help=ATTENTION)
    where = _choose(model, text, passed)
    use_in_code(layer=where.layer + 1)
    layer = layer_gradients(model, text, passed.label, where.layer)
    found = attention_gradient(layer, where.head, where.looks)
    own = autograd(model, text, passed.label, where.layer)
    error = float(passed.logits[1])
    with result("back_heads"):
        _show_heads(passed, where)
    with result("back_attention"):
        drawn = choose_stretch(len(inputs), "back_attention_drawn", where.other)
        theirs = own.attention_weights[where.head, where.looks]
        check = compare_gradient("∂L/∂α", found.at_weights, theirs, error)
        _show_weights(found, inputs.pieces, where, drawn, check)
    with result("back_query"):
        theirs = own.queries[where.head, where.looks]
        check = compare_gradient("∂L/∂q", found.at_query, theirs, error)
        _show_query(found, inputs.pieces, where, check)


def _show_heads(passed: BackwardPass, where: Place) -> None:
    figure = measure_heatmap(
        heads_table(passed),
        "share",
        (where.layer, where.head),
        unit="largest ∂L/∂score, as a share of that of all heads",
    )
    show_checked(
        figure,
        "back_heads_map",
        heads_sentence(passed),
        "take_apart_back_attention",
        None,
        tables={"Heads": lambda: heads_table(passed)},
    )


def _show_weights(
    found: AttentionGradient,
    tokens: tuple[str, ...],
    where: Place,
    drawn: slice,
    check: Comparison,
) -> None:
    rows = {
        "α": found.weights[drawn],
        "∂L/∂α": found.at_weights[drawn],
        "∂L/∂score": found.at_scores[drawn],
    }
    inside = drawn.start <= where.other < drawn.stop
    chosen = where.other - drawn.start if inside else None
    figure = token_strips(tokens[drawn], rows, first=drawn.start + 1, chosen=chosen)
    show_checked(
        figure,
        "back_weights",
        attention_sentence(found, tokens, where),
        "take_apart_back_attention",
        check,
        tables={"All tokens": lambda: found.table(tokens)},
    )


def _show_query(
    found: AttentionGradient, tokens: tuple[str, ...], where: Place, check: Comparison
) -> None:
    other = escape_markdown(tokens[where.other])
    st.markdown(f"**∂α/∂q of the weight on “{other}”**", help=QUERY)
    vectors = {
        "q": found.query,
        "k − Σ α k": found.keys[where.other] - found.weights @ found.keys,
        "∂α/∂q": found.of_query(where.other),
        "∂L/∂q": found.at_query,
    }
    sentence = query_sentence(found, tokens, where.other)
    show_checked(
        vector_strips(vectors, row=ROW),
        "back_query_strips",
        sentence,
        "take_apart_back_attention",
        check,
    )


def _choose(model: LoadedModel, text: str, passed: BackwardPass) -> Place:
    """Draw the pickers; what is left to the gradient is where it is largest."""
    tokens = passed.forward.inputs.pieces
    with st.container(horizontal=True, gap="small"):
        usual, _ = most_moved(passed)
        layer = _pick("Layer", range(1, model.layers + 1), usual, "back_layer")
        sizes = np.abs(layer_gradients(model, text, passed.label, layer).scores)
        heads = sizes.max(axis=(1, 2))
        head = _pick("Head", range(1, model.heads + 1), int(heads.argmax()), "back_head")
        names = [f"{n} {token}" for n, token in enumerate(tokens, start=1)]
        rows = sizes[head].max(axis=1)
        looks = _pick("From", names, int(rows.argmax()), "back_from")
        other = _pick("to", names, int(sizes[head, looks].argmax()), "back_to")
    return Place(layer, head, looks, other)


def _pick(label: str, names: Sequence[object], usual: int, key: str) -> int:
    """A picker whose option 0 is the ``usual`` one; what is chosen, from 0."""
    options = {0: f"{MOST}: {names[usual]}"}
    options |= {place: str(name) for place, name in enumerate(names, start=1)}
    chosen = select(label, options, key, width=150)
    return chosen - 1 if chosen else usual
