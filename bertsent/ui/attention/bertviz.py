"""The two views of BertViz (Vig 2019) on the review, off until they are asked for."""

import streamlit as st

from bertsent.figures.bertviz_html import ALL_LAYERS_TOKENS, head_view_html, model_view_html
from bertsent.probing.heads.attention_maps import AttentionMaps
from bertsent.ui.attention.controls import Scope
from bertsent.ui.page_policy import nonce
from bertsent.ui.shared import choose, escape_markdown, show_errors

OFF, HEAD_VIEW, MODEL_VIEW = "off", "head view", "model view"
ABOUT = {
    HEAD_VIEW: "Lines lead from the token that looks (left) to those it looks at (right). A colour "
    "is a head, its strength the weight.",
    MODEL_VIEW: "The same lines for every head at once, layers from top to bottom.",
}


def show_bertviz(scope: Scope, layer: int) -> None:
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
        dark = st.context.theme.type == "dark"
        st.iframe(
            _html(scope.key, view, wanted, everything, dark, nonce(), maps),
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
    mark: str,
    _maps: AttentionMaps,
) -> str:
    if view == HEAD_VIEW:
        one = None if everything else layer
        return head_view_html(_maps, layer=one, start=layer, dark=dark, nonce=mark)
    layers = None if everything else [layer]
    return model_view_html(_maps, layers=layers, dark=dark, nonce=mark)
