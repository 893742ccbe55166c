"""Arithmetic with words: a sum that is typed, the nearest words with those of the question left in,
and how many known analogies come out.
"""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.space.word_relations import analogy_sentence, analogy_table
from bertsent.space.word_vectors import (
    WordVectors,
    arithmetic_sentence,
    read_arithmetic,
    work_out,
)
from bertsent.ui.shared import (
    download_menu,
    escape_markdown,
    number_columns,
    result,
    show_help,
)
from bertsent.ui.shared.links import linked_text

SUM, EXAMPLES = "vectors_sum", "vectors_sums"
PRESETS = (
    "king - man + woman = queen",
    "actor - man + woman = actress",
    "films - film + movie = movies",
    "paris - france + italy = rome",
    "better - good + bad = worse",
)
LONGEST = 200


def show_arithmetic(vectors: WordVectors, key: str, row: DeltaGenerator) -> None:
    """The typed sum with its nearest words, and all analogies that are known."""
    with row:
        st.menu_button("Examples", list(PRESETS), key=EXAMPLES, on_click=_take, type="tertiary")
    left, right = st.columns([1, 1], gap="medium")
    with left:
        typed = linked_text(
            "Words with + and −; behind = the one that you expect",
            PRESETS[0],
            key=SUM,
            longest=LONGEST,
        )
        with result("arithmetic"):
            _show_sum(vectors, typed)
    with right, result("analogies"):
        _show_analogies(_analogies(key, vectors))
    show_help("words", "word_arithmetic")


def _take() -> None:
    st.session_state[SUM] = st.session_state[EXAMPLES]


def _show_sum(vectors: WordVectors, typed: str) -> None:
    try:
        found = work_out(vectors, read_arithmetic(vectors, typed))
    except BadInput as error:
        st.info(escape_markdown(str(error)))
        return
    st.markdown(f"**{escape_markdown(arithmetic_sentence(found))}**")
    shown = found.nearest.assign(
        asked=["in the question" if asked else "" for asked in found.nearest["asked"]]
    ).rename(columns={"asked": " "})
    st.dataframe(
        shown,
        hide_index=True,
        key="arithmetic_table",
        column_config=number_columns({"cosine": "%.3f"}),
    )
    download_menu("arithmetic", None, "bertsent-arithmetic", tables={"Nearest": found.nearest})


@st.cache_data(max_entries=8, show_spinner="Working out the analogies …")
def _analogies(key: str, _vectors: WordVectors) -> pd.DataFrame:
    return analogy_table(_vectors)


def _show_analogies(table: pd.DataFrame) -> None:
    st.caption(
        escape_markdown(f"{analogy_sentence(table)} Below: the rank of the expected word, 3 ways.")
    )
    if table.empty:
        return
    st.dataframe(
        table.rename(
            columns={
                "rank": "all words",
                "left out": "question left out",
                "alone": "first word alone",
            }
        ),
        hide_index=True,
        key="analogies_table",
        height=380,
    )
    download_menu("analogies", None, "bertsent-analogies", tables={"Analogies": table})
