"""Text → pieces → ids: what the model reads of the letters of a review."""

import pandas as pd
import streamlit as st

from bertsent.probing.loaded_model import LoadedModel, Prediction

TABLE = 260  # pixels of the table of tokens at the most
TOKENS = (
    "Word pieces of the model's vocabulary with their numbers in it. [CLS] begins every review, "
    "[SEP] ends it, ## continues a word, [UNK] is unknown."
)


def text_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    return f"{len(text)} characters become {len(model.tokens(text))} tokens"


def show_text(model: LoadedModel, text: str, answer: Prediction) -> None:
    """The tokens with their ids."""
    tokens = model.tokens(text)
    st.markdown("**The review as the model reads it**", help=TOKENS)
    st.dataframe(
        pd.DataFrame({"position": range(len(tokens)), "token": tokens.pieces, "id": tokens.ids}),
        hide_index=True,
        height=min(TABLE, 38 + 35 * len(tokens)),
    )
