"""Each layer: the vector of one token from layer to layer, and inside a chosen layer what a head
does between two tokens, what becomes of all heads, and every matrix.
"""

from dataclasses import asdict

import streamlit as st

from bertsent.figures.vector_strips import Strip
from bertsent.probing.forward_pass.comparison import compare
from bertsent.probing.forward_pass.sentences import stream_sentence
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.layers_box import show_box, show_corner
from bertsent.ui.probe.take_apart.layers_chosen import ChosenLayer
from bertsent.ui.probe.take_apart.layers_head import show_all_keys, show_pair
from bertsent.ui.probe.take_apart.layers_rest import show_rest
from bertsent.ui.probe.take_apart.links import attention_link
from bertsent.ui.probe.take_apart.strips import show_strips
from bertsent.ui.shared import result
from bertsent.ui.shared.head_pickers import choose_head_and_pair
from bertsent.ui.shared.review_numbers import (
    computed_own,
    computed_own_layer,
    computed_pass,
    whole_maps,
)

STREAM = 370  # pixels of all strips of the stream together
METHOD = "take_apart_layers"


def layers_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    return f"{model.layers} layers of {model.heads} heads rewrite {len(model.tokens(text))} vectors"


def show_layers(model: LoadedModel, text: str, answer: Prediction) -> None:
    """Draw what happens in the layers, and of one of them everything.

    Raises:
        NotAvailable: the model is of a family that is not worked out here.
    """
    found, maps = computed_pass(model, text), whole_maps(model, text)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        picked = choose_head_and_pair(model, maps)
        attention_link()
    use_in_code(**{name: place + 1 for name, place in asdict(picked).items()})
    inside = ChosenLayer(
        found, picked, found.layer(picked.layer), computed_own_layer(model, text, picked.layer)
    )
    with result("layers_stream"):
        _stream(inside)
        own = computed_own(model, text)
        show_check(compare(f"All vectors of {model.layers} layers", found.hidden, own.hidden))
    with result("layers_pair"):
        show_pair(inside)
    with result("layers_keys"):
        show_all_keys(inside)
    with result("layers_rest"):
        show_rest(inside)
    with result("layers_box"):
        opened = show_box(inside)
    with result("layers_corner"):
        show_corner(opened)


def _stream(inside: ChosenLayer) -> None:
    states = inside.found.hidden[:, inside.source]
    names = ["input", *(f"layer {n}" for n in range(1, len(states)))]
    show_strips(
        f"From layer to layer: the vector of “{inside.name(inside.source)}”",
        [Strip(name, state, "stream") for name, state in zip(names, states, strict=True)],
        "layers_stream",
        stream_sentence(inside.found, inside.source),
        METHOD,
        row=max(18, min(46, STREAM // len(states))),
        columns=True,
        chosen=inside.number + 1,
    )
