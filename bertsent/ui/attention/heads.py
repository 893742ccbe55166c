"""All attention heads of one review as a grid, the chosen one large with its numbers, what to take
away of it, and BertViz.
"""

import re
from typing import TYPE_CHECKING

import streamlit as st

from bertsent.figures.attention_heatmap import head_grid, head_heatmap, strongest
from bertsent.figures.head_tiles import TILE_TOKENS
from bertsent.probing.heads.weight_tables import all_heads_table, matrix_table
from bertsent.ui.attention.controls import (
    BOUND,
    ShownMatrix,
    choose_head,
    choose_scope,
    choose_tile,
    picture,
    show_extent,
)
from bertsent.ui.attention.heads_bertviz import bertviz_views
from bertsent.ui.attention.tile_clicks import clicks_on_tiles
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

GRID = "attention_grid"
BESIDE = 16  # up to so many tokens the large heatmap has room beside the grid
SHARED = "With so many tokens neighbours share a cell here, and it shows their largest weight. "
RESCALE_HELP = (
    "Each head's largest weight gets the brightest colour, so that faint patterns "
    "show. "
    "Off, all heads share one colour range."
)
NOT_AN_EXPLANATION = (
    "Attention shows where a head takes information from, not why the answer "
    "came "
    "out as it did: it is not an explanation."
)
SOURCES = (
    "Row t of a head holds the weights softmax(q·k / √d) of token t over all tokens: its query q "
    "against their keys k, each "
    "{size} numbers long here (Vaswani et al. 2017, section 3.2.1). The rows sum to 1. The weights "
    "come from the very model "
    "that answers, computed step by step instead of fused. Rollout (Abnar and Zuidema 2020) "
    "multiplies ½A + ½I of all layers, A being "
    "the mean of a layer's heads. Heads that rest on [SEP], and words made of pieces: Clark et al. "
    "2019. What attention does not "
    "tell: Jain and Wallace 2019, “Attention is not Explanation”, and the reply of Wiegreffe and "
    "Pinter 2019."
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
    shown = picture(scope, layer, head)
    beside = len(maps.tokens) <= BESIDE
    left, right = st.columns([5, 4], gap="medium") if beside else (st.container(), st.container())
    with left:
        _grid(maps, shown, rescaled)
    with right:
        _large(maps, shown, model.width // model.heads)
        st.caption(NOT_AN_EXPLANATION)
    bertviz_views(scope, layer)


def _grid(maps: "AttentionMaps", shown: ShownMatrix, rescaled: bool) -> None:
    place = None if shown.layer is None else (shown.layer, shown.head)
    figure = head_grid(maps, rescale=rescaled, chosen=place)
    st.plotly_chart(
        figure,
        key=GRID,
        config=UNSEEN_BAR,
        alt=f"Attention of {maps.layers} layers of {maps.heads} heads as one grid of small "
        "heatmaps",
    )
    st.caption(
        f"{maps.layers} layers of {maps.heads} heads. In each tile a row is a token that looks, a "
        "column one it looks at. "
        f"{SHARED if len(maps.tokens) > TILE_TOKENS else ''}Click a tile to see it large."
    )
    clicks_on_tiles(GRID, choose_tile)
    download_menu(
        GRID,
        figure,
        "attention-all-heads",
        tables={"Numbers": lambda: all_heads_table(maps.tokens, maps.weights)},
    )


def _large(maps: "AttentionMaps", shown: ShownMatrix, size: int) -> None:
    place = None if shown.head is None else (shown.layer, shown.head)
    said = strongest(maps.tokens, shown.matrix, maps.special, head=place)
    figure = head_heatmap(maps.tokens, shown.matrix, title=shown.name)
    st.plotly_chart(
        figure,
        key="attention_head",
        config=UNSEEN_BAR,
        alt=f"{shown.name}, token by token. {said}",
    )
    st.caption(escape_markdown(said))
    with st.container(horizontal=True, gap="small"):
        file = "attention-" + "-".join(re.findall(r"\w+", shown.name.lower()))
        download_menu(
            "attention_head",
            figure,
            file,
            tables={"Numbers": lambda: matrix_table(maps.tokens, shown.matrix)},
        )
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(SOURCES.format(size=size))
