"""From word to word: how much one chosen token looks at another, exactly, and the heads in which it
does so most.
"""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from bertsent.probing.heads.token_pair import rank_in, usual_pair, weights_between
from bertsent.ui.attention.controls import (
    BOUND,
    ShownMatrix,
    choose_head,
    choose_scope,
    choose_tile,
    drop_unavailable,
    picture,
)
from bertsent.ui.attention.heads import NOT_AN_EXPLANATION
from bertsent.ui.attention.tile_clicks import clicks_on_tiles
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown
from bertsent.ui.shared.model_picker import loaded_model

if TYPE_CHECKING:
    from bertsent.probing.heads.attention_maps import AttentionMaps

BOARD, TABLE, TOP = "between_board", "between_top", 5
USUAL = "usual"
_HOW = """
The weight is softmax(q·k / √d) of the chosen head (Vaswani et al. 2017, section 3.2.1), read out of the model's own pass over the
review: row “looks”, column “is looked at”. A row sums to 1, so the weight is a share of all that the first token takes in. *Even* is what
every token would get if the head looked at all of them alike, 1/T. Of a mean of heads it is the mean of their weights. With whole words,
what goes to a word in several pieces is the sum over its pieces, what it sends is their mean (Clark et al. 2019). With markers hidden
the row is scaled to sum to 1 again. The view “Query × key” multiplies one head's weight out, number by number.
"""


def show_word_to_word(name: str, text: str) -> None:
    """Draw one weight in a sentence, the board of that weight in all heads, and the five heads
    where it is largest.

    Raises:
        NotAvailable: the model gives no attention weights.
        BadInput: nothing is left of the review.
    """
    from bertsent.figures.head_grid import measure_heatmap

    model = loaded_model(name)
    pickers = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        layer, head = choose_head(model)
        scope = choose_scope(model, text, stretches=False)
    maps = scope.maps
    with pickers:
        source, target = _pair(maps)
    shown = picture(scope, layer, head)
    every = weights_between(maps, source, target)
    with st.container(border=True):
        st.markdown(escape_markdown(weight_sentence(maps.tokens, shown, source, target)))
    st.caption(escape_markdown(f"{scope.sentence()} {row_sentence(maps.tokens, shown, source)}"))
    words = f"“{maps.tokens[source]}” → “{maps.tokens[target]}”"
    board, list_ = st.columns([3, 2], gap="medium")
    with board:
        st.caption(
            escape_markdown(f"{words} in every head. Click a cell and all views show that head.")
        )
        figure = measure_heatmap(
            every, "weight", None if shown.head is None else (shown.layer, shown.head)
        )
        st.plotly_chart(
            figure,
            key=BOARD,
            config=UNSEEN_BAR,
            alt=f"The weight {words} in every head. {_most(every)}",
        )
        clicks_on_tiles(BOARD, choose_tile)
    with list_:
        _top(every, words, shown)
    with st.container(horizontal=True, gap="small"):
        download_menu(
            BOARD,
            figure,
            "attention-word-to-word",
            tables={"Numbers": lambda: taken(maps.tokens, every, source, target)},
        )
        with st.popover("How is this computed?", type="tertiary"):
            st.markdown(_HOW)
    st.caption(NOT_AN_EXPLANATION)


def _pair(maps: "AttentionMaps") -> tuple[int, int]:
    """Draw the pickers of the token that looks and the one it looks at, counted from 1 in the
    link.
    """
    usual = usual_pair(maps.tokens, maps.special, maps.head_mean())
    options, found = list(range(len(maps.tokens) + 1)), []
    for key, label, place in (
        ("from_word", "From word (it looks)", usual[0]),
        ("to_word", "To word (it is looked at)", usual[1]),
    ):
        drop_unavailable(key, options)
        names = {
            0: f"{USUAL}: {maps.tokens[place]}",
            **{n: f"{n} {token}" for n, token in enumerate(maps.tokens, start=1)},
        }
        chosen = st.selectbox(label, options, key=key, format_func=names.get, width=220, **BOUND)
        found.append(chosen - 1 if chosen else place)
    return found[0], found[1]


def _top(every: pd.DataFrame, words: str, shown: ShownMatrix) -> None:
    """The heads with the largest weight, the shown one ticked; choosing one shows it here and in
    all views.
    """
    top = strongest_heads(every)
    st.caption(escape_markdown(f"The {len(top)} heads where {words} is largest. Choose one."))
    heads = [f"{row.layer}·{row.head}" for row in top.itertuples()]
    own = None if shown.head is None else f"{shown.layer + 1}·{shown.head + 1}"
    # another list or another head is another table, so that no old tick stays
    key = f"{TABLE}-{own}-{'-'.join(heads)}"

    def picked() -> None:
        rows = st.session_state[key].selection.rows
        if rows and rows[0] < len(top):
            choose_tile(int(top["layer"].iloc[rows[0]]), int(top["head"].iloc[rows[0]]))

    ticked = [heads.index(own)] if own in heads else []
    st.dataframe(
        pd.DataFrame(
            {"head": heads, "weight": 100 * top["weight"], "place in its row": top["rank"]}
        ),
        hide_index=True,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        selection_default={"selection": {"rows": ticked}},
        column_config={"weight": st.column_config.NumberColumn(format="%.1f %%")},
    )


def strongest_heads(every: pd.DataFrame) -> pd.DataFrame:
    """The first five heads of ``weights_between`` by weight; of equal ones the earlier."""
    return (
        every.sort_values("weight", ascending=False, kind="stable").head(TOP).reset_index(drop=True)
    )


def weight_sentence(tokens: tuple[str, ...], shown: ShownMatrix, source: int, target: int) -> str:
    """The exact weight in words: of how many tokens which place, and what even would be."""
    row = shown.matrix[source]
    weight, place = float(row[target]), int(rank_in(row[None], target)[0])
    said = (
        f"{shown.name}: “{tokens[source]}” gives {weight:.4f} of its attention to "
        f"“{tokens[target]}”, {100 * weight:.1f} %."
    )
    if source == target:
        said = (
            f"{shown.name}: “{tokens[source]}” keeps {weight:.4f} of its attention to itself, "
            f"{100 * weight:.1f} %."
        )
    return (
        f"{said} That is place {place} of {len(tokens)} in its row; even would be "
        f"{1 / len(tokens):.4f}."
    )


def row_sentence(tokens: tuple[str, ...], shown: ShownMatrix, source: int) -> str:
    """Where else the token looks: the three that it gives most."""
    row = shown.matrix[source]
    first = sorted(range(len(row)), key=lambda place: -row[place])[:3]
    return (
        f"“{tokens[source]}” looks most at "
        + ", ".join(f"“{tokens[n]}” ({100 * row[n]:.1f} %)" for n in first)
        + "."
    )


def taken(tokens: tuple[str, ...], every: pd.DataFrame, source: int, target: int) -> pd.DataFrame:
    """One row a head, the largest weight first, with the two tokens and their positions from 1."""
    pair = {
        "from position": source + 1,
        "from": tokens[source],
        "to position": target + 1,
        "to": tokens[target],
    }
    return every.sort_values("weight", ascending=False, kind="stable").assign(**pair)[
        ["layer", "head", *pair, "weight", "rank"]
    ]


def _most(every: pd.DataFrame) -> str:
    first = strongest_heads(every).iloc[0]
    return (
        f"Most in head {int(first['layer'])}·{int(first['head'])}, {100 * first['weight']:.1f} %."
    )
