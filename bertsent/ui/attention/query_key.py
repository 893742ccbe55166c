"""Query × key: two chosen tokens in one head, multiplied out number by number, scaled and
soft-maxed to the model's own weight.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.ui.attention.controls import (
    BOUND,
    choose_head,
    drop_unavailable,
    strongest_head,
    whole_maps,
)
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps
    from bertsent.probing.heads.query_key_product import QueryKey

_HOW = """
Every token x of a layer's input becomes a query q = W_Q x + b_Q and a key k = W_K x + b_K in each head. How much token i looks at
token j is softmax over all j of qᵢ·kⱼ / √d (Vaswani et al. 2017, equation 1), d being the width of a head. Everything here is taken
from the very weights that answer, and multiplied out in double precision; the last column is what the model itself computed.
"""


def show_query_key(name: str, text: str) -> None:
    """Draw the arithmetic behind one attention weight.

    Raises:
        NotAvailable: the model is of a family whose heads cannot be reached.
    """
    from bertsent.figures.head_grid import product_strips
    from bertsent.probing.heads.query_key_product import query_key

    model = loaded_model(name)
    maps = whole_maps(model, text)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer, picked = choose_head(model, means=False)
        head = strongest_head(maps, layer) if not picked.isdecimal() else int(picked) - 1
        place, other = _pair(maps, layer, head)
    found = query_key(model, text, layer, head, place)
    own = maps.weights[layer, head, place]
    _steps(found, other, own, f"{layer + 1}·{head + 1}")
    figure = product_strips(found.query, found.keys[other])
    st.plotly_chart(figure, key="qk_strips", config=UNSEEN_BAR, alt=_largest(found, other))
    st.caption(escape_markdown(_largest(found, other)))
    table = row_table(found, own)
    with st.container(horizontal=True, gap="small"):
        file = f"query-key-{layer + 1}-{head + 1}-{place + 1}-{other + 1}"
        download_menu("qk_strips", figure, file, tables={"Numbers": lambda: _numbers(found, other)})
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)
    st.caption(
        escape_markdown(
            f"The same for all {len(found.tokens)} tokens that “{found.tokens[place]}” can look "
            "at; the weights sum to 1."
        )
    )
    format_ = {name: st.column_config.NumberColumn(format="%.4f") for name in table.columns[2:]}
    st.dataframe(table, hide_index=True, key="qk_row", column_config=format_)


def _pair(maps: "AttentionMaps", layer: int, head: int) -> tuple[int, int]:
    """Draw the pickers of the token that looks and the one it looks at; usually the pair of words
    with the largest weight.
    """
    words = ~np.array(maps.special)
    between = np.where(
        words[:, None] & words[None, :] & ~np.eye(len(words), dtype=bool),
        maps.weights[layer, head],
        -1.0,
    )
    if between.max() < 0:
        between = maps.weights[layer, head]
    usual = [int(place) for place in np.unravel_index(between.argmax(), between.shape)]
    options, found = list(range(-1, len(maps.tokens))), []
    for key, label, place in (
        ("qk_from", "Token that looks", usual[0]),
        ("qk_to", "Token it looks at", usual[1]),
    ):
        drop_unavailable(key, options)
        names = {
            -1: f"strongest: {maps.tokens[place]}",
            **{n: f"{n + 1} {token}" for n, token in enumerate(maps.tokens)},
        }
        chosen = st.selectbox(label, options, key=key, format_func=names.get, width=190, **BOUND)
        found.append(place if chosen == -1 else chosen)
    return found[0], found[1]


def _steps(found: "QueryKey", other: int, own: np.ndarray, head: str) -> None:
    score, scaled = found.scores[other], found.scaled[other]
    largest = found.scaled.max()
    above = np.exp(scaled - largest)
    below = np.exp(found.scaled - largest).sum()
    with st.container(horizontal=True, gap="large"):
        st.metric("q · k", f"{score:.4f}")
        st.metric(f"/ √{len(found.query)} = / {found.root:.4f}", f"{scaled:.4f}")
        st.metric("softmax: the weight", f"{found.weights[other]:.4f}")
        st.metric("the model’s own weight", f"{own[other]:.4f}")
    st.caption(
        escape_markdown(
            f"Head {head}, “{found.tokens[found.place]}” looks at “{found.tokens[other]}”: the "
            f"{len(found.query)} products add up to "
            f"{score:.4f}; divided by √{len(found.query)} that is {scaled:.4f}; e^({scaled:.4f} − "
            f"{largest:.4f}) = {above:.4f}, over the "
            f"sum of all tokens, {below:.4f}, is {found.weights[other]:.4f}. "
            f"{_close(abs(found.weights[other] - own[other]))}"
        )
    )


def _close(apart: float) -> str:
    if apart < 1e-5:
        return "That is the model’s own weight to five digits."
    return f"The model’s own weight differs by {apart:.5f}: it computes in lower precision."


def _largest(found: "QueryKey", other: int) -> str:
    products = found.products(other)
    place = int(np.abs(products).argmax())
    return (
        f"Number {place + 1} of {len(products)} counts most: {found.query[place]:+.2f} × "
        f"{found.keys[other][place]:+.2f} = "
        f"{products[place]:+.2f}, of a sum of {products.sum():+.2f}."
    )


def row_table(found: "QueryKey", own: np.ndarray) -> pd.DataFrame:
    """One row a token that can be looked at: its score, scaled, its weight, and the weight the
    model computed.
    """
    return pd.DataFrame(
        {
            "position": range(1, len(found.tokens) + 1),
            "token": found.tokens,
            "q·k": found.scores,
            "q·k / √d": found.scaled,
            "softmax": found.weights,
            "the model’s own": own,
        }
    )


def _numbers(found: "QueryKey", other: int) -> pd.DataFrame:
    key = found.keys[other]
    return pd.DataFrame(
        {
            "number": range(1, len(key) + 1),
            "query": found.query,
            "key": key,
            "product": found.products(other),
        }
    )
