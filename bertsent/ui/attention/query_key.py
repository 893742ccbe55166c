"""Query × key: two chosen tokens in one head, multiplied out number by number, scaled and
normalised by the softmax to the model's own weight.
"""

from dataclasses import astuple

import streamlit as st

from bertsent.figures.layer_head_heatmap import query_key_strips
from bertsent.probing.heads.query_key_product import (
    QueryKey,
    largest_product_sentence,
    query_key,
    softmax_sentence,
)
from bertsent.ui.attention.controls import plain_row
from bertsent.ui.attention.heatmaps import show_heatmap
from bertsent.ui.attention.take_apart_link import take_apart_button
from bertsent.ui.shared import escape_markdown, loaded_model, result
from bertsent.ui.shared.head_pickers import choose_head_and_pair
from bertsent.ui.shared.review_numbers import computed_pass, whole_maps
from bertsent.ui.shared.weight_arithmetic import show_weight_chain, show_weight_row


def show_query_key(name: str, text: str) -> None:
    """Draw the arithmetic behind one attention weight.

    Raises:
        NotAvailable: the model is of a family whose heads cannot be reached.
    """
    model, shown = loaded_model(name), result("query_key")
    maps = whole_maps(model, text)
    with plain_row():
        chosen = choose_head_and_pair(model, maps)
        take_apart_button(model)
    layer, head, place, other = astuple(chosen)
    found = query_key(
        computed_pass(model, text), (layer, head), place, maps.weights[layer, head, place]
    )
    below = st.container(horizontal=True, gap="small")
    with shown:
        sentence = largest_product_sentence(found, other)
        show_heatmap(
            query_key_strips(found.query, found.keys[other]),
            "qk_strips",
            sentence,
            table=lambda: found.product_table(other),
            file=f"query-key-{layer + 1}-{head + 1}-{place + 1}-{other + 1}",
            caption=sentence,
            method="query_key",
            below=below,
        )
        show_weight_chain(found, other)
        st.caption(escape_markdown(softmax_sentence(found, other)))
    with result("query_key_row"):
        _row(found)


def _row(found: QueryKey) -> None:
    """The same for all tokens that the word can look at."""
    looks = found.tokens[found.place]
    st.caption(
        escape_markdown(
            f"The same for all {len(found.tokens)} tokens that “{looks}” can look at; the weights "
            "sum to 1."
        )
    )
    show_weight_row(found, "qk_row")
