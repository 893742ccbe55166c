"""All attention heads of one review as a grid; beside it the chosen head large, how it comes about,
or the same words read left to right.
"""

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.figures.attention_heatmap import TILE_TOKENS, head_grid, head_heatmap
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.attention_matrix import (
    AttentionMatrix,
    grid_sentence,
    marked_sentence,
    strongest_pair_sentence,
)
from bertsent.ui.attention.bertviz import show_bertviz
from bertsent.ui.attention.controls import choose_scope, controls_row, show_extent
from bertsent.ui.attention.heads_directions import show_directions
from bertsent.ui.attention.heads_how import show_how
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION, show_heatmap, side_by_side
from bertsent.ui.shared import LINKED, choose, loaded_model
from bertsent.ui.shared.head_pickers import choose_head, choose_tile

SHARED = "Neighbouring tokens share a cell, which shows their largest weight. "
RESCALE_HELP = (
    "Each head's largest weight gets the brightest colour, so that faint patterns show. When off, "
    "all heads share one colour range."
)
ONE, HOW, DIRECTIONS = "One head", "How attention works", "Left to right"
FOCUS = "not, good, excellent"
MARK_HELP = "Words whose row and column are outlined where the review has them."


def show_heads(name: str, text: str) -> None:
    """Draw the grid and what stands beside it, the controls, the downloads and BertViz.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    model = loaded_model(name)
    left, right = side_by_side("heads")
    row, rare = controls_row()
    with row:
        layer, head = choose_head(model)
        scope = choose_scope(model, text, rare)
        with rare:
            rescaled = st.toggle("Rescale per head", key="rescale", help=RESCALE_HELP, **LINKED)
            words = st.text_input("Mark words", FOCUS, key="marks", help=MARK_HELP, **LINKED)
        beside = choose(
            "Beside the grid", (ONE, HOW, DIRECTIONS), "beside", label_visibility="collapsed"
        )
    below, below_right = st.columns([11, 9], gap="medium")
    maps, shown = scope.maps, scope.matrix(layer, head)
    with left:
        _grid(maps, shown, rescaled, below.container(horizontal=True, gap="small"))
    with right:
        if beside == HOW:
            show_how(scope, layer, shown.head, below_right.container(horizontal=True, gap="small"))
        elif beside == DIRECTIONS:
            show_directions(scope, layer, head, below_right.container(horizontal=True, gap="small"))
        else:
            _large(shown, words, model.width // model.heads, below_right)
    show_extent(scope)
    st.fragment(show_bertviz)(scope, layer)


def _grid(
    maps: AttentionMaps, shown: AttentionMatrix, rescaled: bool, below: DeltaGenerator
) -> None:
    place = None if shown.layer is None else (shown.layer, shown.head)
    sentence = grid_sentence(maps)
    shared = SHARED if len(maps.tokens) > TILE_TOKENS else ""
    show_heatmap(
        head_grid(maps, rescale=rescaled, chosen=place),
        "attention_grid",
        f"Attention of {maps.layers} layers of {maps.heads} heads as one grid of small heatmaps. "
        f"{sentence}",
        table=maps.table,
        file="attention-all-heads",
        caption=f"{sentence} {shared}Click a tile to see it large.",
        act=choose_tile,
        below=below,
    )


def _large(shown: AttentionMatrix, words: str, size: int, below: DeltaGenerator) -> None:
    maps, sought = shown.maps, {word.strip().casefold() for word in words.split(",")}
    marked = [n for n, token in enumerate(maps.tokens) if token.casefold() in sought]
    sentence = f"{strongest_pair_sentence(shown)} {marked_sentence(shown, marked)}".strip()
    show_heatmap(
        head_heatmap(
            maps.tokens, shown.weights, title=shown.name, quantity=maps.quantity, marked=marked
        ),
        "attention_head",
        f"{shown.name}, token by token. {sentence}",
        table=shown.table,
        file="attention-" + "-".join(re.findall(r"\w+", shown.name.lower())),
        caption=sentence,
        method="heads",
        size=size,
        below=below.container(horizontal=True, gap="small"),
    )
    below.caption(NOT_AN_EXPLANATION)
