"""The attention of one review, kept for everybody who asks the same, and BertViz's two views of it."""

from typing import TYPE_CHECKING

import streamlit as st

from bertsent.figures.bertviz import ALL_LAYERS_TOKENS, head_view_html, model_view_html
from bertsent.ui.frame import plain, told

if TYPE_CHECKING:
    from bertsent.probing.attention import AttentionMaps
    from bertsent.probing.learners import Learner

OFF, HEAD_VIEW, MODEL_VIEW = "off", "head view", "model view"
ABOUT = {
    HEAD_VIEW: "Lines lead from the token that looks (left) to those it looks at (right). A colour is a head, its strength the weight.",
    MODEL_VIEW: "The same lines for every head at once, layers from top to bottom.",
}


def attention_maps(learner: "Learner", text: str, size: int, hidden: bool) -> "AttentionMaps":
    """The attention over the first ``size`` tokens of a review, without [CLS] and [SEP] when ``hidden``.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    maps = _maps(learner.key, learner.max_length, text, size, learner)
    return maps.without_special() if hidden else maps


@st.cache_data(max_entries=32, max_size="400MB", show_spinner="Looking inside …")
def _maps(key: str, max_length: int, text: str, size: int, _learner: "Learner") -> "AttentionMaps":
    return _learner.attend(text).first(size)


def bertviz_views(learner: "Learner", text: str, *, size: int, hidden: bool, layer: int) -> None:
    """Draw the switch and the view that was chosen; ``layer`` (from 0) is the one that a long review gets."""
    st.fragment(_draw)(learner, text, size, hidden, layer)


def _draw(learner: "Learner", text: str, size: int, hidden: bool, layer: int) -> None:
    view = st.segmented_control(
        "BertViz", (OFF, HEAD_VIEW, MODEL_VIEW), default=OFF, required=True, key="bertviz", bind="query-params", persist_state="session",
        help="The two views of the BertViz package (Vig 2019). They work without a network.",
    )  # fmt: skip
    if view == OFF:
        return
    with told():
        maps = attention_maps(learner, text, size, hidden)
        everything = len(maps.tokens) <= ALL_LAYERS_TOKENS
        note = "" if everything else f" With {len(maps.tokens)} tokens one layer is shown, layer {layer + 1}."
        st.caption(plain(ABOUT[view] + note))
        dark = st.context.theme.type == "dark"
        wanted = 0 if view == MODEL_VIEW and everything else layer  # what does not matter is not told apart by the cache
        html = _html(learner.key, learner.max_length, text, size, hidden, view, wanted, everything, dark, maps)
        st.iframe(html, height="content", alt=f"BertViz, {view}")


@st.cache_data(max_entries=16, max_size="100MB", show_spinner="Drawing …")
def _html(
    key: str, max_length: int, text: str, size: int, hidden: bool, view: str, layer: int, everything: bool, dark: bool,
    _maps: "AttentionMaps",
) -> str:  # fmt: skip
    if view == HEAD_VIEW:
        return head_view_html(_maps, layer=None if everything else layer, start=layer, dark=dark)
    return model_view_html(_maps, layers=None if everything else [layer], dark=dark)
