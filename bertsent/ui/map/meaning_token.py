"""Click a token, see its vector: a text in, every token's vector at any layer out."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.map_panels import vector_figure
from bertsent.settings import LIMITS
from bertsent.space.similarity import token_vectors
from bertsent.ui.shared.downloads import UNSEEN_BAR, download_menu
from bertsent.ui.shared.errors import escape_markdown

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import LoadedModel

USUAL = "I love Paris"
_FIRST = 6  # numbers that are written out


def show_tokens(model: "LoadedModel", layer: int) -> None:
    """Draw the text, its tokens to choose from, and the vector of the chosen one."""
    st.session_state.setdefault("meaning_text", USUAL)
    text = st.text_input(
        "Text",
        key="meaning_text",
        bind="query-params",
        persist_state="session",
        max_chars=LIMITS.review_chars,
    )
    if not (text or "").strip():
        raise BadInput("There is no text.", "Type a few words.")
    pieces, vectors = token_vectors(model, text, layer)
    chosen = _token(pieces)
    vector = vectors[chosen]
    sentence = (
        f"Token {chosen}, “{pieces[chosen]}”: {len(vector)} numbers, beginning "
        f"{', '.join(f'{v:.3f}' for v in vector[:_FIRST])} …; "
        f"length {np.linalg.norm(vector):.2f}."
    ).replace("-", "−")
    figure = vector_figure(vector)
    st.plotly_chart(figure, key="meaning_vector_chart", config=UNSEEN_BAR, alt=sentence)
    st.caption(escape_markdown(sentence))
    table = pd.DataFrame(vectors, columns=[f"h{i}" for i in range(vectors.shape[1])])
    table.insert(0, "token", pieces)
    tables = {"Vectors of all tokens": table}
    download_menu("meaning_vector_chart", figure, "bertsent-vector", tables=tables)


def _token(pieces: tuple[str, ...]) -> int:
    """The tokens side by side; the first word where none was chosen yet."""
    usual = min(1, len(pieces) - 1)
    if st.session_state.get("meaning_token") not in range(len(pieces)):
        st.session_state.pop("meaning_token", None)
    chosen = st.pills(
        "Click a token",
        range(len(pieces)),
        default=usual,
        required=True,
        key="meaning_token",
        format_func=lambda place: escape_markdown(f"{place} {pieces[place]}"),
    )
    return usual if chosen is None else chosen
