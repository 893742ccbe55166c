"""One-hot or dense: what a word is as one 1 among zeros, and what it is as a row of a table."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.errors import BadInput
from bertsent.figures.vector_strips import Strip, one_hot_strips, vector_strips
from bertsent.space.word_relations import OneHotComparison, one_hot_sentence
from bertsent.space.word_vectors import WordVectors
from bertsent.ui.shared import (
    escape_markdown,
    number_columns,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.links import linked_text

FIRST, SECOND = "vectors_one", "vectors_other"
LONGEST = 60


def show_one_hot(vectors: WordVectors, key: str, row: DeltaGenerator) -> None:
    """Two words both ways, and what all words take."""
    sizes = OneHotComparison(*vectors.vectors.shape)
    with row:
        first = linked_text(
            "A word", "film", key=FIRST, longest=LONGEST, label_visibility="collapsed", width=105
        )
        second = linked_text(
            "Another", "movie", key=SECOND, longest=LONGEST, label_visibility="collapsed", width=105
        )
    with result("one_hot"):
        try:
            one, other = vectors.find(first), vectors.find(second)
        except BadInput as error:
            st.info(escape_markdown(str(error)))
            return
        words = list(dict.fromkeys((one, other)))
        show_figure(
            one_hot_strips({word: vectors.places[word] for word in words}, len(vectors)),
            "one_hot_chart",
            "bertsent-one-hot",
            one_hot_sentence(sizes, vectors, one, other),
            tables={"Sizes": sizes.table()},
        )
        dense = [
            Strip(f"{word}, dense", vectors.vectors[vectors.places[word]], group="dense")
            for word in words
        ]
        show_figure(
            vector_strips(dense, columns=True),
            "dense_chart",
            "bertsent-dense",
            f"The same words as rows of the table of input vectors, {sizes.width} numbers each.",
        )
    st.dataframe(
        sizes.table(),
        hide_index=True,
        key="one_hot_table",
        column_config=number_columns(
            {
                "numbers a word": "localized",
                "numbers of all words": "localized",
                "megabytes of all words": "%.1f",
            }
        ),
    )
    show_help("words", "one_hot")
