"""Fill in a word: what a pretrained encoder with a language-model head would put in the place of
[MASK], without any training.
"""

import pandas as pd
import streamlit as st

from bertsent.probing.fill_mask import MASK, fill_mask, folder_with_language_model_head
from bertsent.settings import LIMITS
from bertsent.ui.shared.downloads import download_menu
from bertsent.ui.shared.errors import escape_markdown

_USUAL = f"The film was {MASK}."


def show_filling(name: str) -> None:
    """Draw the sentence and the likeliest words, or say that this model cannot."""
    folder = folder_with_language_model_head(name)
    if folder is None:
        st.caption(
            "Filling in a masked word needs the language-model head that a BERT is pretrained "
            "with. The encoder of this model came without one. Fine-tune a backbone that has one, "
            "such as bert-base-uncased, and choose that run here."
        )
        return
    st.session_state.setdefault("meaning_mask", _USUAL)
    text = st.text_input(
        f"A sentence with {MASK}",
        key="meaning_mask",
        bind="query-params",
        persist_state="session",
        max_chars=LIMITS.review_chars,
    )
    with st.spinner("Asking the pretrained model …"):
        found = pd.DataFrame(fill_mask(folder, text or ""), columns=["word", "probability"])
    st.dataframe(
        found,
        hide_index=True,
        column_config={"probability": st.column_config.NumberColumn(format="percent")},
    )
    best = found.iloc[0]
    st.caption(
        escape_markdown(
            f"As it was pretrained, before any fine-tuning: likeliest is “{best['word']}” "
            f"({100 * best['probability']:.1f} %)."
        )
    )
    download_menu("meaning_mask_csv", None, "bertsent-mask", tables={"Words": found})
