"""The pickers of a layer, a head and two of its tokens, the same on every page: what is chosen in
Attention is chosen in the parts of an answer as well.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from bertsent.probing.heads.attention_maps import AttentionMaps, largest_pair
from bertsent.probing.heads.attention_matrix import (
    MEAN_OF_ALL,
    MEAN_OF_LAYER,
    ROLLOUT,
    STRONGEST,
    attention_matrix,
)
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared.links import select

T = TypeVar("T")
LAST = "last"
LAYER_HELP = (
    "BERT is a stack of layers; each reads the output of the layer before it. Layer 1 reads the "
    "tokens."
)
HEAD_HELP = (
    "Each layer has several heads, which read the review in parallel. "
    "Rollout multiplies all layers, each mixed half and half with the residual connection."
)
PAIR_HELP = "The first word looks, the second is looked at."


@dataclass(frozen=True)
class HeadAndPair:
    """A layer, one of its heads, the token that looks and the one it looks at, all from 0."""

    layer: int
    head: int
    source: int
    target: int


def choose_head_and_pair(model: LoadedModel, maps: AttentionMaps) -> HeadAndPair:
    """Draw all four pickers; the usual head is the strongest of its layer, the usual pair the two
    words between which its weight is largest. ``maps`` hold all tokens.
    """
    layer, picked = choose_head(model, means=False)
    head = attention_matrix(maps, layer, picked).head or 0
    weights = maps.weights[layer, head]
    usual = largest_pair(weights, maps.special) or divmod(int(weights.argmax()), len(weights))
    return HeadAndPair(
        layer, head, *choose_pair(maps.tokens, usual, ("qk_from", "qk_to"), "strongest")
    )


def short_select(
    label: str, options: Mapping[T, str] | Collection[T], key: str, *, width: int, help: str = ""
) -> T:
    """A select box with its name in front of it instead of above."""
    with st.container(
        horizontal=True, gap="xsmall", vertical_alignment="center", width="content", wrap=False
    ):
        st.caption(label, width="content", help=help or None)
        return select(label, options, key, width=width, label_visibility="collapsed")


def choose_head(model: LoadedModel, *, means: bool = True) -> tuple[int, str]:
    """Draw the pickers of layer and head; the layer from 0, the head as the picker names it."""
    heads = [STRONGEST, *map(str, range(1, model.heads + 1))]
    heads += [MEAN_OF_LAYER, MEAN_OF_ALL, ROLLOUT] if means else []
    layers = (LAST, *range(1, model.layers + 1))
    layer = short_select("Layer", layers, "layer", width=85, help=LAYER_HELP)
    head = short_select("Head", heads, "head", width=190, help=HEAD_HELP)
    return (model.layers if layer == LAST else int(layer)) - 1, head


def choose_pair(
    tokens: Sequence[str], usual: tuple[int, int], keys: tuple[str, str], word: str
) -> tuple[int, int]:
    """Draw the pickers of the token that looks and the one it looks at, from 0. Option 0 stands for
    the ``usual`` pair and is called ``word``.
    """
    found, labels = list[int](), ("From", "to")
    for key, label, place in zip(keys, labels, usual, strict=True):
        names = {0: f"{word}: {tokens[place]}"}
        names |= {position: f"{position} {token}" for position, token in enumerate(tokens, start=1)}
        chosen = short_select(label, names, key, width=180, help=PAIR_HELP)
        found.append(chosen - 1 if chosen else place)
    return found[0], found[1]


def choose_tile(layer: int, head: int) -> None:
    """Take the head of a tile that was clicked, both from 1, before the page runs again."""
    st.session_state["layer"], st.session_state["head"] = layer, str(head)
