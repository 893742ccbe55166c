"""The vector of a token: type a text, click one of its tokens, see its numbers."""

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.figures.similarity import vector_figure
from bertsent.probing.loaded_model import LoadedModel
from bertsent.settings import LIMITS
from bertsent.space.similarity import token_vectors
from bertsent.ui.shared import escape_markdown, result, show_figure, show_help
from bertsent.ui.shared.links import linked_text
from bertsent.ui.words.encoder import choose_layer
from bertsent.written_numbers import written

_FIRST = 6  # numbers of a vector that are written out


def show_token_vector(model: LoadedModel, row: DeltaGenerator) -> None:
    """The tokens of a typed text and the vector of the one that was clicked; the layer is chosen in
    ``row``.
    """
    with row:
        layer = choose_layer(model.layers)
    text = linked_text("Text", "I love Paris", key="vector_text", longest=LIMITS.review_chars)
    with result("vectors"):
        if not text.strip():
            st.info("There is no text. Type a few words.")
            return
        pieces, vectors = token_vectors(model, text, layer)
        _draw(pieces, vectors, _clicked(pieces))
    show_help("words", "vectors")


def _clicked(pieces: tuple[str, ...]) -> int:
    if st.session_state.get("vector_token") not in range(len(pieces)):
        st.session_state.pop("vector_token", None)
    chosen = st.pills(
        "Click a token",
        range(len(pieces)),
        default=min(1, len(pieces) - 1),  # the first word
        required=True,
        key="vector_token",
        format_func=lambda place: escape_markdown(f"{place} {pieces[place]}"),
    )
    return int(chosen)


def _draw(pieces: tuple[str, ...], vectors: np.ndarray, chosen: int) -> None:
    vector = vectors[chosen]
    sentence = (
        f"Token {chosen}, “{pieces[chosen]}”: {len(vector)} numbers, beginning "
        f"{', '.join(written(v, '.3f') for v in vector[:_FIRST])} …; "
        f"length {np.linalg.norm(vector):.2f}."
    )
    table = pd.DataFrame(vectors, columns=[f"h{i}" for i in range(vectors.shape[1])])
    table.insert(0, "token", pieces)
    show_figure(
        vector_figure(vector),
        "vector_chart",
        "bertsent-vector",
        sentence,
        tables={"Vectors of all tokens": table},
    )
