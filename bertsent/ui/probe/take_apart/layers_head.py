"""What a head does between two tokens: query, key and value of the pair, the way from their product
to the weight, and the same over all tokens.
"""

import streamlit as st

from bertsent.figures.vector_strips import Strip
from bertsent.probing.forward_pass.sentences import gathered_sentence
from bertsent.probing.heads.attention_maps import head_name
from bertsent.probing.heads.query_key_product import softmax_sentence
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.layers_chosen import ChosenLayer
from bertsent.ui.probe.take_apart.strips import show_strips
from bertsent.ui.shared import escape_markdown
from bertsent.ui.shared.weight_arithmetic import show_weight_chain, show_weight_row


def show_pair(inside: ChosenLayer) -> None:
    """Draw query, key and value of the two tokens, number by number, and the chain of numbers to
    what the first takes from the second.
    """
    layer, head, source, target = inside.layer, inside.head, inside.source, inside.target
    looks, seen = inside.name(source), inside.name(target)
    query, key = layer.queries[head, source], layer.keys[head, target]
    value, weight = layer.values[head, target], layer.attention_weights[head, source, target]
    show_strips(
        f"Head {head_name((inside.number, head))}: “{looks}” looks at “{seen}”",
        [
            Strip(f"query of {looks}", query),
            Strip(f"key of {seen}", key),
            Strip("query × key", query * key),
            Strip(f"value of {seen}", value, "values"),
            Strip("weight × value", weight * value, "values"),
            Strip(f"sum for {looks}", layer.gathered[head, source], "values"),
        ],
        "layers_pair",
        gathered_sentence(layer, (inside.number, head), (source, target), inside.tokens),
        "take_apart_layers",
        columns=True,
    )
    show_weight_chain(inside.arithmetic, target)
    show_check(
        inside.check(
            f"Queries, keys, values, weights and sums of layer {inside.number + 1}",
            *("queries", "keys", "values", "attention_weights", "gathered"),
        )
    )


def show_all_keys(inside: ChosenLayer) -> None:
    """Draw the softmax over all tokens that the first of the pair can look at."""
    found = inside.arithmetic
    st.markdown("**Softmax over all tokens**")
    st.caption(escape_markdown(softmax_sentence(found, inside.target)))
    show_weight_row(found, "layers_keys")
