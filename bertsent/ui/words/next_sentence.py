"""Next sentence: the probability that a second sentence follows a first one."""

import pandas as pd
import streamlit as st

from bertsent.errors import BadInput
from bertsent.figures.label_bars import label_bars
from bertsent.models.language_model_head import has_language_model
from bertsent.probing.fill_mask import folder_with_language_model_head, why_no_head
from bertsent.probing.next_sentence import SEP, NextSentence, next_sentence, two_sentences
from bertsent.probing.registry import BACKBONE
from bertsent.probing.shipped_word_scores import next_sentence_sentence
from bertsent.settings import LIMITS
from bertsent.ui.shared import escape_markdown, result, show_figure, show_help
from bertsent.ui.shared.links import linked_text
from bertsent.ui.words.encoder import controls_row

FIRST, SECOND, EXAMPLES = "next_first", "next_second", "next_examples"
PRESETS = {
    "The store is closed": ("I went to the store.", "They were closed."),
    "Another subject": ("I went to the store.", "Penguins cannot fly."),
    "A film goes on": ("The plot of this film makes no sense.", "The acting is even worse."),
    "The other way round": ("They were closed.", "I went to the store."),
}
USUAL = PRESETS["The store is closed"]


def show_next_sentence() -> None:
    """Two boxes on the left, the two probabilities on the right."""
    folder = folder_with_language_model_head(BACKBONE)
    if folder is None or not has_language_model(folder):
        with result("next_sentence"):
            st.info(escape_markdown(why_no_head(BACKBONE)))
        return
    with controls_row():
        st.menu_button(
            "Examples", list(PRESETS), key=EXAMPLES, on_click=_take_example, type="tertiary"
        )
    left, right = st.columns([2, 3], gap="medium")
    with left:
        first, second = _typed()
    with right, result("next_sentence"):
        try:
            pair = two_sentences(first, second)
        except BadInput as error:
            st.info(escape_markdown(str(error)))
            return
        _draw(next_sentence(folder, *pair), next_sentence(folder, *pair[::-1]))
    st.caption(
        escape_markdown(
            next_sentence_sentence(folder)
            or "How often this head is right was not measured: its scores.csv is missing."
        )
    )
    show_help("words", "next_sentence")


def _typed() -> tuple[str, str]:
    first = linked_text("First sentence", USUAL[0], key=FIRST, longest=LIMITS.review_chars)
    second = linked_text("Second sentence", USUAL[1], key=SECOND, longest=LIMITS.review_chars)
    if SEP in first.upper():
        st.caption(f"What stands behind {SEP} in the first box is the second sentence.")
    return first, second


def _draw(found: NextSentence, back: NextSentence) -> None:
    p = found.p_follows
    ranked = sorted((("follows", p), ("random sentence", 1 - p)), key=lambda row: -row[1])
    show_figure(
        label_bars(ranked),
        "next_sentence_chart",
        "bertsent-next-sentence",
        f"The second sentence follows with {100 * p:.1f} %; with the two swapped it would be "
        f"{100 * back.p_follows:.1f} %.",
        tables={
            "Logits": pd.DataFrame(
                [(*found.logits, p), (*back.logits, back.p_follows)],
                columns=["logit follows", "logit random", "P(follows)"],
                index=["as typed", "swapped"],
            ).reset_index(names="order")
        },
    )
    st.caption(escape_markdown(f"BERT reads: {' '.join(found.pieces)}"))


def _take_example() -> None:
    first, second = PRESETS[st.session_state[EXAMPLES]]
    st.session_state[FIRST], st.session_state[SECOND] = first, second
