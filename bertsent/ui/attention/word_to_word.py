"""Word to word: how much one chosen token looks at another, exactly, and the heads in which it does
so most.
"""

import pandas as pd
import streamlit as st

from bertsent.figures.layer_head_heatmap import measure_heatmap
from bertsent.probing.heads.attention_maps import head_name
from bertsent.probing.heads.attention_matrix import (
    largest_weight_sentence,
    ranked_weights,
    row_sentence,
    usual_pair,
    weight_sentence,
    weights_between,
)
from bertsent.ui.attention.controls import choose_scope, controls_row, show_extent
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION, show_heatmap
from bertsent.ui.shared import (
    choosing_table,
    escape_markdown,
    loaded_model,
    number_columns,
    result,
)
from bertsent.ui.shared.head_pickers import choose_head, choose_pair, choose_tile

LISTED = 5  # heads with the largest weight


def show_word_to_word(name: str, text: str) -> None:
    """Draw one weight in a sentence, that weight in all heads, and the heads where it is largest.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    model, place = loaded_model(name), result("word_to_word")
    row, rare = controls_row()
    with row:
        pickers = st.container(
            horizontal=True, gap="small", vertical_alignment="center", width="content"
        )
        layer, head = choose_head(model)
        scope = choose_scope(model, text, rare, stretches=False)
    maps = scope.maps
    with pickers:
        source, target = choose_pair(
            maps.tokens,
            usual_pair(maps.tokens, maps.special, maps.head_mean()),
            ("from_word", "to_word"),
            "usual",
        )
    shown = scope.matrix(layer, head)
    every = weights_between(maps, source, target)
    pair = f"“{maps.tokens[source]}” → “{maps.tokens[target]}”"
    ranked = ranked_weights(maps, every, source, target)
    finding = f"{pair} in every head. {largest_weight_sentence(ranked)}"
    below = st.container(horizontal=True, gap="small")
    with place:
        chart, list_ = st.columns([3, 2], gap="medium")
    with chart:
        show_heatmap(
            measure_heatmap(every, "weight", shown.place, unit=maps.quantity),
            "between_board",
            finding,
            table=lambda: ranked,
            file="attention-word-to-word",
            caption=f"{finding} Click a cell to choose its head.",
            act=choose_tile,
            method="word_to_word",
            below=below,
        )
    with list_:
        st.markdown(escape_markdown(weight_sentence(shown, source, target)))
        st.caption(escape_markdown(row_sentence(shown, source)))
        st.caption(escape_markdown(f"The heads where {pair} is largest. Choose one."))
        _top(ranked.head(LISTED), shown.place, "share" if maps.renormalised else "weight")
    show_extent(scope)
    st.caption(NOT_AN_EXPLANATION)


def _top(top: pd.DataFrame, shown: tuple[int, int] | None, quantity: str) -> None:
    """The heads with the largest weight, the shown one ticked; choosing one sets it in all tabs."""
    heads = [(row.layer - 1, row.head - 1) for row in top.itertuples()]
    names = [head_name(head) for head in heads]
    # another list or another head is another table, so that no old tick stays
    key = f"between_top-{shown}-{'-'.join(names)}"
    choosing_table(
        pd.DataFrame(
            {"head": names, quantity: 100 * top["weight"], "rank in its row": top["rank"]}
        ),
        key,
        heads,
        lambda head: choose_tile(head[0] + 1, head[1] + 1),
        selection_default={"selection": {"rows": [heads.index(shown)] if shown in heads else []}},
        column_config=number_columns({quantity: "%.1f %%"}),
    )
