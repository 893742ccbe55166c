"""The attention of one head, or of a mean, as arcs on the sentence."""

import re

import streamlit as st

from bertsent.figures.arc_diagram import arc_chart
from bertsent.probing.heads.attention_matrix import links_sentence, strongest_pair_sentence
from bertsent.ui.attention.controls import choose_scope, controls_row, show_extent
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION
from bertsent.ui.shared import (
    altair_chart,
    downloads_and_help,
    escape_markdown,
    loaded_model,
    result,
    select,
)
from bertsent.ui.shared.charts import ink
from bertsent.ui.shared.head_pickers import choose_head, short_select

MOST = (12, 25, 50, 100)
MOST_HELP = "How many arcs are drawn at most"


def show_arcs(name: str, text: str) -> None:
    """Draw the arcs of the chosen head for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    model, place = loaded_model(name), result("arcs")
    row, rare = controls_row()
    with row:
        layer, head = choose_head(model)
        scope = choose_scope(model, text, rare)
        tokens = scope.maps.tokens
        words = {0: "every token"} | {n: f"{n} {token}" for n, token in enumerate(tokens, start=1)}
        of = short_select("Arcs of", words, "arcs_of", width=160)
        with rare:
            most = select("Strongest", MOST, "arcs_most", index=1, help=MOST_HELP)
    shown = scope.matrix(layer, head)
    links = shown.links(most=most, of=of - 1 if of else None)
    sentence = strongest_pair_sentence(shown)
    with place:
        if links.empty:
            st.info(
                "No token gives another one as much as 1 % of its attention here. Choose another "
                "head."
            )
        else:
            altair_chart(
                arc_chart(tokens, links, title=shown.name, ink=ink()),
                width="stretch",
                key="arcs_chart",
                alt=f"{shown.name} as arcs. {sentence}",
            )
        about = f"{sentence} {links_sentence(shown, links)} Point at a word to see only its arcs."
        st.caption(escape_markdown(about))
    show_extent(scope)
    st.caption(NOT_AN_EXPLANATION)
    file = "arcs-" + "-".join(re.findall(r"\w+", shown.name.lower()))
    downloads_and_help(
        file,
        None if links.empty else lambda: [arc_chart(tokens, links, title=shown.name, sheet=True)],
        file,
        ("attention", "arcs"),
        tables={"Arcs": links},
    )
