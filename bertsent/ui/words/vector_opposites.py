"""Opposites: “boring” beside “exciting”, and pairs of opposites beside pairs of one meaning. What
one vector a word does not say is the reason why context is needed.
"""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.figures.word_map import pair_cosines_figure
from bertsent.space.word_relations import KINDS, pair_table, pairs_sentence
from bertsent.space.word_vectors import WordVectors, neighbours_of, neighbours_sentence
from bertsent.ui.shared import (
    escape_markdown,
    number_columns,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.links import linked_text

FIRST, SECOND = "vectors_first", "vectors_second"
LONGEST = 60


def show_opposites(vectors: WordVectors, key: str, row: DeltaGenerator) -> None:
    """All pairs in one picture, and two typed words."""
    table = _pairs(key, vectors)
    left, right = st.columns([3, 2], gap="medium")
    with left, result("opposites"):
        if set(table["kind"]) != set(KINDS):
            st.info("This vocabulary has too few of the listed words to compare them.")
        else:
            show_figure(
                pair_cosines_figure(table),
                "opposites_chart",
                "bertsent-opposites",
                pairs_sentence(table),
                tables={"Pairs": table},
            )
    with right, result("two_words"):
        _two_words(vectors)
    listed = table[table["kind"] != KINDS[2]]
    st.dataframe(
        listed.rename(columns={"rank": "rank of the second beside the first"}),
        hide_index=True,
        key="opposites_table",
        height=280,
        column_config=number_columns({"cosine": "%.3f"}),
    )
    show_help("words", "word_opposites")


@st.cache_data(max_entries=8, show_spinner="Comparing the pairs …")
def _pairs(key: str, _vectors: WordVectors) -> pd.DataFrame:
    return pair_table(_vectors)


def _two_words(vectors: WordVectors) -> None:
    """Where the second word stands among the neighbours of the first."""
    with st.container(horizontal=True):
        first = linked_text("A word", "boring", key=FIRST, longest=LONGEST)
        second = linked_text("Its opposite", "exciting", key=SECOND, longest=LONGEST)
    try:
        word, opposite = vectors.find(first), vectors.find(second)
        BadInput.raise_if(word == opposite, "These are the same word.", "Type another one.")
    except BadInput as error:
        st.info(escape_markdown(str(error)))
        return
    near = neighbours_of(vectors, word)
    said = neighbours_sentence(vectors, word, near, opposite)
    st.markdown(f"**{escape_markdown(said)}**")
    if opposite in set(near["word"]):
        st.caption(
            escape_markdown(
                f"“This film is {word}” and “this film is {opposite}” differ in one word, and its "
                "vector hardly differs: what turns the meaning has to come from the layers above, "
                "which read the sentence."
            )
        )
    st.dataframe(
        near,
        hide_index=True,
        key="two_words_table",
        column_config=number_columns({"cosine": "%.3f"}),
    )
