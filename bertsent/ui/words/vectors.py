"""Vectors: the numbers that stand for a word, in five parts: a map of the input vectors, arithmetic
with them, opposites, one-hot beside dense, and the vector of one token in a text.
"""

import streamlit as st

from bertsent.probing.loaded_model import LoadedModel
from bertsent.space.word_vectors import WordVectors, input_vectors
from bertsent.ui.shared import BY_CONTENT, choose, linked_name, loaded_model
from bertsent.ui.shared.tabs import remember_parts
from bertsent.ui.words.encoder import choose_encoder, controls_row
from bertsent.ui.words.token_vector import show_token_vector
from bertsent.ui.words.vector_arithmetic import show_arithmetic
from bertsent.ui.words.vector_map import show_word_map
from bertsent.ui.words.vector_opposites import show_opposites
from bertsent.ui.words.vector_sizes import show_one_hot

PART = "vectors_part"
MAP, ARITHMETIC, OPPOSITES = "Map", "Arithmetic", "Opposites"
ONE_HOT, TOKEN = "One-hot or dense", "One token"
PARTS = (MAP, ARITHMETIC, OPPOSITES, ONE_HOT, TOKEN)


def show_vectors() -> None:
    """One of five parts.

    Raises:
        NotAvailable: the model has no table of input vectors that is known.
    """
    if not linked_name(PART) and "vector_text" in st.query_params:
        st.session_state[PART] = TOKEN  # a link from before there were parts
    row = controls_row()
    with row:
        part = choose("Part", PARTS, PART, label_visibility="collapsed", width="content")
        remember_parts(PART, PARTS)
        model = loaded_model(choose_encoder().name)
    if part == TOKEN:
        show_token_vector(model, row)
        return
    vectors = known_vectors(model)
    show = {
        MAP: show_word_map,
        ARITHMETIC: show_arithmetic,
        OPPOSITES: show_opposites,
        ONE_HOT: show_one_hot,
    }[part]
    show(vectors, model.key, row)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs=BY_CONTENT)
def known_vectors(model: LoadedModel) -> WordVectors:
    """The input vectors of a model, with their lengths and places worked out once."""
    return input_vectors(model)
