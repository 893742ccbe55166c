"""All attention heads of one review as a grid, the chosen one large with its numbers, downloads,
and BertViz.
"""

import re

import streamlit as st

from bertsent.figures.attention_heatmap import TILE_TOKENS, head_grid, head_heatmap
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.attention_matrix import AttentionMatrix, strongest_pair_sentence
from bertsent.ui.attention.controls import (
    choose_head,
    choose_scope,
    choose_tile,
    show_extent,
)
from bertsent.ui.attention.heads_bertviz import bertviz_views
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION, beside_or_below, show_heatmap
from bertsent.ui.shared import LINKED, loaded_model

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
        rescaled = st.toggle("Rescale per head", key="rescale", help=RESCALE_HELP, **LINKED)
    maps = scope.maps
    show_extent(scope)
    shown = scope.matrix(layer, head)
    left, right = beside_or_below(len(maps.tokens))
    with left:
        _grid(maps, shown, rescaled)
    with right:
        _large(shown, model.width // model.heads)
    bertviz_views(scope, layer)


def _grid(maps: AttentionMaps, shown: AttentionMatrix, rescaled: bool) -> None:
    place = None if shown.layer is None else (shown.layer, shown.head)
    heads = f"{maps.layers} layers of {maps.heads} heads"
    show_heatmap(
        head_grid(maps, rescale=rescaled, chosen=place),
        "attention_grid",
        f"Attention of {heads} as one grid of small heatmaps",
        table=maps.table,
        file="attention-all-heads",
        caption=f"{heads}. In each tile a row is a token that looks, a column one it looks at. "
        f"{SHARED if len(maps.tokens) > TILE_TOKENS else ''}Click a tile to see it large.",
        act=choose_tile,
    )


def _large(shown: AttentionMatrix, size: int) -> None:
    maps, sentence = shown.maps, strongest_pair_sentence(shown)
    show_heatmap(
        head_heatmap(maps.tokens, shown.weights, title=shown.name, quantity=maps.quantity),
        "attention_head",
        f"{shown.name}, token by token. {sentence}",
        table=shown.table,
        file="attention-" + "-".join(re.findall(r"\w+", shown.name.lower())),
        caption=sentence,
        method="heads",
        size=size,
    )
    st.caption(NOT_AN_EXPLANATION)
