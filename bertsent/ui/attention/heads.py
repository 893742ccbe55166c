"""All attention heads of one review as a grid, the chosen one large with its numbers, downloads,
and BertViz.
"""

import re

import streamlit as st

from bertsent.figures.attention_heatmap import head_grid, head_heatmap
from bertsent.figures.head_tiles import TILE_TOKENS
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.attention_matrix import AttentionMatrix, strongest_pair_sentence
from bertsent.ui.attention.controls import (
    BOUND,
    choose_head,
    choose_scope,
    choose_tile,
    show_extent,
)
from bertsent.ui.attention.heads_bertviz import bertviz_views
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION, show_downloads, show_heatmap
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

BESIDE = 16  # up to so many tokens the large heatmap has room beside the grid
SHARED = "With this many tokens, neighbours share a cell, which shows their largest weight. "
RESCALE_HELP = (
    "Each head's largest weight gets the brightest colour, so that faint patterns show. When off, "
    "all heads share one colour range."
)


def show_heads(name: str, text: str) -> None:
    """Draw the controls, the grid, the large heatmap, the downloads and BertViz for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    model = loaded_model(name)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer, head = choose_head(model)
        scope = choose_scope(model, text)
        rescaled = st.toggle("Rescale per head", key="rescale", help=RESCALE_HELP, **BOUND)
    maps = scope.maps
    show_extent(scope)
    shown = scope.matrix(layer, head)
    beside = len(maps.tokens) <= BESIDE
    left, right = st.columns([5, 4], gap="medium") if beside else (st.container(), st.container())
    with left:
        _grid(maps, shown, rescaled)
    with right:
        _large(shown, model.width // model.heads)
    bertviz_views(scope, layer)


def _grid(maps: AttentionMaps, shown: AttentionMatrix, rescaled: bool) -> None:
    place = None if shown.layer is None else (shown.layer, shown.head)
    figure = head_grid(maps, rescale=rescaled, chosen=place)
    alt = f"Attention of {maps.layers} layers of {maps.heads} heads as one grid of small heatmaps"
    show_heatmap(figure, "attention_grid", alt, choose_tile)
    st.caption(
        f"{maps.layers} layers of {maps.heads} heads. In each tile a row is a token that looks, a "
        f"column one it looks at. {SHARED if len(maps.tokens) > TILE_TOKENS else ''}Click a tile "
        "to see it large."
    )
    show_downloads("attention_grid", maps.table, figure, file="attention-all-heads")


def _large(shown: AttentionMatrix, size: int) -> None:
    maps, sentence = shown.maps, strongest_pair_sentence(shown)
    figure = head_heatmap(maps.tokens, shown.weights, title=shown.name, quantity=maps.quantity)
    show_heatmap(figure, "attention_head", f"{shown.name}, token by token. {sentence}")
    st.caption(escape_markdown(sentence))
    file = "attention-" + "-".join(re.findall(r"\w+", shown.name.lower()))
    show_downloads("attention_head", shown.table, figure, file=file, method="heads", size=size)
    st.caption(NOT_AN_EXPLANATION)
