"""The attention of one head, or of a mean, as arcs on the sentence."""

import re

import streamlit as st

from bertsent.ui.attention.controls import (
    BOUND,
    choose_head,
    choose_scope,
    drop_unavailable,
    picture,
    show_extent,
)
from bertsent.ui.attention.heads import NOT_AN_EXPLANATION
from bertsent.ui.shared.downloads import altair_files, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

EVERY = "every token"
MOST = (12, 25, 50, 100)
_HOW = """
Each arc is one weight softmax(q·k / √d) of the chosen head (Vaswani et al. 2017), from the token that looks to the one it looks at:
above the words to a later one, below to an earlier one. It grows thicker towards the token that is looked at; thickness and fullness
say how large the weight is. What a token sends to itself has no arc. The numbers are those of the heatmap in the view of heads.
"""


def show_arcs(name: str, text: str) -> None:
    """Draw the arcs of the chosen head for one review.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    from bertsent.figures.arc_diagram import arc_chart, arc_table
    from bertsent.figures.attention_heatmap import strongest

    model = loaded_model(name)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer, head = choose_head(model)
        scope = choose_scope(model, text)
        maps = scope.maps
        of = _token(maps.tokens)
        most = st.selectbox(
            "Strongest",
            MOST,
            1,
            key="arcs_most",
            width=100,
            help="How many arcs are drawn at the most",
            **BOUND,
        )
    show_extent(scope)
    shown = picture(scope, layer, head)
    table = arc_table(maps.tokens, shown.matrix, most=most, of=of)
    place = None if shown.head is None else (shown.layer, shown.head)
    said = strongest(maps.tokens, shown.matrix, maps.special, head=place)
    if table.empty:
        st.info("No token sends as much as 1 % to another one here. Choose another head.")
    else:
        st.altair_chart(
            arc_chart(maps.tokens, table, title=shown.name),
            width="stretch",
            key="arcs_chart",
            alt=f"{shown.name} as arcs. {said}",
        )
    st.caption(
        escape_markdown(
            f"{said} {_drawn(table, shown.matrix)} Rest on a word to see its arcs alone."
        )
    )
    st.caption(NOT_AN_EXPLANATION)
    with st.container(horizontal=True, gap="small"):
        file = "arcs-" + "-".join(re.findall(r"\w+", shown.name.lower()))
        download_menu(
            file,
            altair_files(lambda: [arc_chart(maps.tokens, table, title=shown.name, sheet=True)])
            if len(table)
            else None,
            file,
            tables={"Arcs": table},
        )
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)


def _token(tokens: tuple[str, ...]) -> int | None:
    """Draw which token's arcs are seen; None for every token's."""
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


def _drawn(table, matrix) -> str:  # noqa: ANN001 - a frame and an array
    """How much of the attention the arcs are."""
    whole = float(matrix.sum())
    return (
        f"The {len(table)} arcs are {100 * table['weight'].sum() / whole:.0f} % of all its "
        "attention."
        if len(table)
        else ""
    )
