"""All attention heads of one review as a grid, the chosen one large with its numbers, and what to take away of it."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.figures.attention import TILE_TOKENS, head_grid, head_heatmap, strongest
from bertsent.ui.ask.bertviz import attention_maps, bertviz_views
from bertsent.ui.ask.tiles import clicks_on_tiles
from bertsent.ui.downloads import safe_csv
from bertsent.ui.frame import plain

if TYPE_CHECKING:
    from bertsent.probing.attention import AttentionMaps
    from bertsent.probing.learners import Learner

GRID = "attention_grid"
SIZES = (32, 64, 128)  # tokens that are shown of a longer review; the second is usual
BESIDE = 16  # up to so many tokens the large heatmap has room beside the grid
LAST, STRONGEST, MEAN_OF_LAYER, MEAN_OF_ALL = "last", "strongest of the layer", "mean of the layer", "mean of all"
LAYER_HELP = "A BERT is a stack of layers; each reads what the layer before it wrote. Layer 1 reads the tokens."
HEAD_HELP = "Each layer has several heads that look at the review side by side, each in its own way."
MARKERS_HELP = (
    "[CLS] and [SEP] are added to every review, and many heads rest on them when they have nothing to do. Hidden, every row is "
    "scaled to sum to 1 again over the tokens that stay."
)
SHARED = "With so many tokens neighbours share a cell here, and it shows their largest weight. "
RESCALE_HELP = "Each head's largest weight gets the brightest colour, so that faint patterns show. Off, all heads share one colour range."
SOURCES = (
    "Row t of a head holds the weights softmax(q·k / √d) of token t over all tokens: its query q against their keys k, each "
    "{size} numbers long here (Vaswani et al. 2017, section 3.2.1). The rows sum to 1. The weights come from the very model "
    "that answers, computed step by step instead of fused. Heads that rest on [SEP]: Clark et al. 2019. What attention does not "
    "tell: Jain and Wallace 2019, “Attention is not Explanation”, and the reply of Wiegreffe and Pinter 2019."
)


@dataclass(frozen=True)
class View:
    """What is shown large: a (T, T) matrix, its name, and the layer and head it is of, from 0; None where it is a mean."""

    name: str
    matrix: np.ndarray
    layer: int | None = None
    head: int | None = None


def show_heads(learner: "Learner", text: str) -> None:
    """Draw the controls, the grid, the large heatmap, the downloads and BertViz for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    whole = len(learner.tokens(text))
    layer, head, hidden, rescaled, size = _controls(learner.layers, learner.heads, whole)
    maps = attention_maps(learner, text, size, hidden)
    st.caption(plain(_extent(learner, whole, size)))
    view = choose(maps, layer - 1, head)
    beside = len(maps.tokens) <= BESIDE
    left, right = st.columns([5, 4], gap="medium") if beside else (st.container(), st.container())
    with left:
        _grid(maps, view, rescaled)
    with right:
        _large(maps, view)
        _take_away(maps.tokens, view, learner)
        st.caption("Attention shows where a head takes information from, not why the answer came out as it did: it is not an explanation.")
    bertviz_views(learner, text, size=size, hidden=hidden, layer=layer - 1)


def choose(maps: "AttentionMaps", layer: int, head: str) -> View:
    """The matrix that was asked for: ``layer`` from 0, ``head`` as the picker says it."""
    if head == MEAN_OF_ALL:
        return View(f"Mean of all {maps.layers * maps.heads} heads", maps.head_mean())
    if head == MEAN_OF_LAYER:
        return View(f"Mean of the {maps.heads} heads of layer {layer + 1}", maps.head_mean(layer), layer)
    number = strongest_head(maps, layer) if head == STRONGEST else int(head) - 1
    return View(f"Head {layer + 1}·{number + 1}", maps.weights[layer, number].copy(), layer, number)


def strongest_head(maps: "AttentionMaps", layer: int) -> int:
    """The head of a layer (both from 0) with the largest weight from one word to another."""
    words = ~np.array(maps.special)
    between = words[:, None] & words[None, :] & ~np.eye(len(words), dtype=bool)  # (T, T)
    return int(np.where(between, maps.weights[layer], 0).max(axis=(1, 2)).argmax())


def _extent(learner: "Learner", whole: int, size: int) -> str:
    """Which part of the review is seen, in one line."""
    cut = f" The review was cut there: {learner.name} reads no more." if whole == learner.max_length else ""
    if size < whole:
        return f"{learner.name} · the first {size} of {whole} tokens; every row is scaled to sum to 1 over what is shown.{cut}"
    return f"{learner.name} · {whole} tokens.{cut}"


def _controls(layers: int, heads: int, whole: int) -> tuple[int, str, bool, bool, int]:
    """Draw the row of controls; gives back layer (from 1), head, whether markers are hidden, whether heads are rescaled, tokens."""
    numbers, names = [LAST, *range(1, layers + 1)], [STRONGEST, *map(str, range(1, heads + 1)), MEAN_OF_LAYER, MEAN_OF_ALL]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer = st.selectbox("Layer", numbers, key="layer", bind="query-params", persist_state="session", width=100, help=LAYER_HELP)
        head = st.selectbox("Head", names, key="head", bind="query-params", persist_state="session", width=200, help=HEAD_HELP)
        size = whole
        if whole > SIZES[0]:
            size = st.selectbox("Tokens shown", _sizes(whole), 1, key="tokens", bind="query-params", persist_state="session", width=130)
        hidden = st.toggle("Hide [CLS] and [SEP]", key="hide", bind="query-params", persist_state="session", help=MARKERS_HELP)
        rescaled = st.toggle("Rescale per head", key="rescale", bind="query-params", persist_state="session", help=RESCALE_HELP)
    return layers if layer == LAST else layer, head, hidden, rescaled, min(size, whole)


def _sizes(whole: int) -> list[int]:
    """How many tokens of a long review can be shown, up to the first size that shows it all."""
    return [size for size, smaller in zip(SIZES, (0, *SIZES), strict=False) if smaller < whole]


def _grid(maps: "AttentionMaps", view: View, rescaled: bool) -> None:
    place = None if view.layer is None else (view.layer, view.head)
    st.plotly_chart(
        head_grid(maps, rescale=rescaled, chosen=place), key=GRID, config={"displayModeBar": False},
        alt=f"Attention of {maps.layers} layers of {maps.heads} heads as one grid of small heatmaps",
    )  # fmt: skip
    st.caption(
        f"{maps.layers} layers of {maps.heads} heads. In each tile a row is a token that looks, a column one it looks at. "
        f"{SHARED if len(maps.tokens) > TILE_TOKENS else ''}Click a tile to see it large."
    )
    clicks_on_tiles(GRID, _choose)


def _choose(layer: int, head: int) -> None:
    st.session_state["layer"], st.session_state["head"] = layer, str(head)


def _large(maps: "AttentionMaps", view: View) -> None:
    place = None if view.head is None else (view.layer, view.head)
    said = strongest(maps.tokens, view.matrix, maps.special, head=place)
    figure = head_heatmap(maps.tokens, view.matrix, title=view.name)
    st.plotly_chart(figure, key="attention_head", config={"displayModeBar": False}, alt=f"{view.name}, token by token. {said}")
    st.caption(plain(said))


def _take_away(tokens: tuple[str, ...], view: View, learner: "Learner") -> None:
    file = "attention-" + "-".join(re.findall(r"\w+", view.name.lower()))
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Numbers as CSV", lambda: matrix_csv(tokens, view.matrix), f"{file}.csv", "text/csv", key="attention_csv", on_click="ignore"
        )
        st.download_button(
            "Figure as HTML", lambda: figure_html(tokens, view), f"{file}.html", "text/html", key="attention_html", on_click="ignore"
        )
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(SOURCES.format(size=learner.width // learner.heads))


def matrix_csv(tokens: tuple[str, ...], matrix: np.ndarray) -> bytes:
    """One row a token that looks, one column a token it looks at, numbered because a word may come twice."""
    columns = {f"{position} {token}": matrix[:, position - 1] for position, token in enumerate(tokens, start=1)}
    return safe_csv(pd.DataFrame({"position": range(1, len(tokens) + 1), "token": tokens, **columns}))


def figure_html(tokens: tuple[str, ...], view: View) -> bytes:
    """The large heatmap as one HTML file that needs no network and has no button that would send it anywhere."""
    figure = head_heatmap(tokens, view.matrix, title=view.name)
    return figure.to_html(include_plotlyjs=True, config={"showSendToCloud": False, "displaylogo": False}).encode()
