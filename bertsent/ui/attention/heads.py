"""All attention heads of one review as a grid, the chosen one large with its numbers, downloads,
and BertViz.
"""

import re

import streamlit as st

from bertsent.figures.attention_heatmap import TILE_TOKENS, head_grid, head_heatmap
from bertsent.figures.bertviz_html import ALL_LAYERS_TOKENS, head_view_html, model_view_html
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.probing.heads.attention_matrix import AttentionMatrix, strongest_pair_sentence
from bertsent.ui.attention.controls import (
    Scope,
    choose_head,
    choose_scope,
    choose_tile,
    show_extent,
)
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION, beside_or_below, show_heatmap
from bertsent.ui.shared import LINKED, choose, escape_markdown, loaded_model, show_errors

SHARED = "With this many tokens, neighbours share a cell, which shows their largest weight. "
RESCALE_HELP = (
    "Each head's largest weight gets the brightest colour, so that faint patterns show. When off, "
    "all heads share one colour range."
)
OFF, HEAD_VIEW, MODEL_VIEW = "off", "head view", "model view"
ABOUT = {
    HEAD_VIEW: "Lines lead from the token that looks (left) to those it looks at (right). A colour "
    "is a head, its strength the weight.",
    MODEL_VIEW: "The same lines for every head at once, layers from top to bottom.",
}


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
    st.fragment(_bertviz)(scope, layer)


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


def _bertviz(scope: Scope, layer: int) -> None:
    """BertViz's two views; of a long review they show one layer, ``layer`` from 0."""
    view = choose(
        "BertViz",
        (OFF, HEAD_VIEW, MODEL_VIEW),
        "bertviz",
        help="The two views of the BertViz package (Vig 2019). They work offline.",
    )
    if view == OFF:
        return
    with show_errors():
        maps = scope.maps
        everything = len(maps.tokens) <= ALL_LAYERS_TOKENS
        one = f" With {len(maps.tokens)} tokens one layer is shown, layer {layer + 1}."
        st.caption(escape_markdown(ABOUT[view] + ("" if everything else one)))
        # the model view of all layers is the same for every layer
        wanted = 0 if view == MODEL_VIEW and everything else layer
        st.iframe(
            _html(scope.key, view, wanted, everything, st.context.theme.type == "dark", maps),
            height="content",
            alt=f"BertViz, {view}",
        )


@st.cache_data(max_entries=16, max_size="100MB", show_spinner="Drawing …")
def _html(
    key: tuple[object, ...],
    view: str,
    layer: int,
    everything: bool,
    dark: bool,
    _maps: AttentionMaps,
) -> str:
    if view == HEAD_VIEW:
        return head_view_html(_maps, layer=None if everything else layer, start=layer, dark=dark)
    return model_view_html(_maps, layers=None if everything else [layer], dark=dark)
