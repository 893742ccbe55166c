"""The attention of one head, or of a mean, as arcs on the sentence."""

import re

import streamlit as st

from bertsent.figures.arc_diagram import arc_chart
from bertsent.probing.heads.attention_matrix import links_sentence, strongest_pair_sentence
from bertsent.ui.attention.controls import (
    BOUND,
    choose_head,
    choose_scope,
    drop_unavailable,
    show_extent,
)
from bertsent.ui.attention.heatmaps import NOT_AN_EXPLANATION
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.help_texts import show_help
from bertsent.ui.shared.model_picker import loaded_model

EVERY = "every token"
MOST = (12, 25, 50, 100)
MOST_HELP = "How many arcs are drawn at most"


def show_arcs(name: str, text: str) -> None:
    """Draw the arcs of the chosen head for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    model = loaded_model(name)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer, head = choose_head(model)
        scope = choose_scope(model, text)
        tokens = scope.maps.tokens
        of = _token(tokens)
        most = st.selectbox(
            "Strongest", MOST, 1, key="arcs_most", width=100, help=MOST_HELP, **BOUND
        )
    show_extent(scope)
    shown = scope.matrix(layer, head)
    links, sentence = shown.links(most=most, of=of), strongest_pair_sentence(shown)
    if links.empty:
        st.info(
            "No token gives another one as much as 1 % of its attention here. Choose another head."
        )
    else:
        chart = arc_chart(tokens, links, title=shown.name)
        alt = f"{shown.name} as arcs. {sentence}"
        st.altair_chart(chart, width="stretch", key="arcs_chart", alt=alt)
    about = f"{sentence} {links_sentence(shown, links)} Point at a word to see only its arcs."
    st.caption(escape_markdown(about))
    st.caption(NOT_AN_EXPLANATION)
    with st.container(horizontal=True, gap="small"):
        file = "arcs-" + "-".join(re.findall(r"\w+", shown.name.lower()))
        files = altair_files(lambda: [arc_chart(tokens, links, title=shown.name, sheet=True)])
        download_menu(file, None if links.empty else files, file, tables={"Arcs": links})
        show_help("attention", "arcs")


def _token(tokens: tuple[str, ...]) -> int | None:
    options = list(range(len(tokens) + 1))
    drop_unavailable("arcs_of", options)
    chosen = st.selectbox(
        "Arcs of",
        options,
        key="arcs_of",
        width=170,
        format_func=lambda place: f"{place} {tokens[place - 1]}" if place else EVERY,
        **BOUND,
    )
    return chosen - 1 if chosen else None
