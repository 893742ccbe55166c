"""Fill in a word: what an encoder would put into the gaps of a sentence, from both sides and from
the left alone, what the true word costs, and what becomes of its guesses while it is fine-tuned.
"""

from pathlib import Path

import streamlit as st

from bertsent.errors import BadInput
from bertsent.probing.fill_mask import folder_with_language_model_head, why_no_head
from bertsent.ui.shared import choose, escape_markdown, result, show_help
from bertsent.ui.shared.model_picker import choose_model, chosen_model
from bertsent.ui.shared.tabs import remember_parts
from bertsent.ui.words.encoder import controls_row
from bertsent.ui.words.gap_checkpoints import show_gap_checkpoints
from bertsent.ui.words.gap_guesses import show_gap_guesses
from bertsent.ui.words.gap_text import show_examples, typed_gaps

PART = "mask_part"
GUESSES, CHECKPOINTS = "Guesses", "While it is fine-tuned"
PARTS = (GUESSES, CHECKPOINTS)


def show_fill_in() -> None:
    """One of two parts, about the same sentence."""
    with controls_row():
        part = choose("Part", PARTS, PART, label_visibility="collapsed", width="content")
        remember_parts(PART, PARTS)
        show_examples()
        choose_model(needs_sentiment=False)
        name = chosen_model()
    folder = folder_with_language_model_head(name)
    if folder is None:
        with result("fill_in"):
            st.info(escape_markdown(why_no_head(name)))
        return
    try:
        _show_part(part, name, folder)
    except BadInput as error:
        st.info(escape_markdown(str(error)))


def _show_part(part: str, name: str, folder: Path) -> None:
    asked = typed_gaps(folder)
    if part == GUESSES:
        show_gap_guesses(asked, folder)
        show_help("words", "fill_in")
        return
    show_gap_checkpoints(asked, folder, name)
    show_help("words", "gap_checkpoints")
