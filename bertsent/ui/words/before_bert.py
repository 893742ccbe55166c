"""Before BERT: how far back an early word still reaches, what filters over words find, what each
kind of network reads in which order, and the years from word2vec to BERT.
"""

import streamlit as st

from bertsent.settings import LIMITS
from bertsent.ui.shared import PRESETS as SHORT
from bertsent.ui.shared import choose
from bertsent.ui.shared.links import linked_text
from bertsent.ui.shared.model_picker import choose_model, chosen_model
from bertsent.ui.shared.tabs import remember_parts
from bertsent.ui.words.before_bert_filters import show_filters
from bertsent.ui.words.before_bert_history import show_history
from bertsent.ui.words.before_bert_order import show_order
from bertsent.ui.words.before_bert_reach import show_reach

TEXT, PART, EXAMPLES = "before_text", "before_part", "before_examples"
REACH, FILTERS, ORDER, HISTORY = "How far back", "Filters over words", "Reading order", "History"
PARTS = (REACH, FILTERS, ORDER, HISTORY)
STORY = (
    "the story follows three brothers who inherit a lighthouse and argue about who may keep the "
    "lamp; there are letters, a storm, a wedding, two dogs, a boat that stays in the harbour, and "
    "an uncle who explains the rules of chess to everyone he meets on the road into town"
)
PRESETS = {
    "The verdict first": f"Boring: {STORY}",
    "The verdict last": f"{STORY[0].upper()}{STORY[1:]}: boring",
    "A negation first": "Not one of the scenes that the critics praised so much is funny, moving "
    "or even well lit",
    "Contrast": SHORT["Contrast"],
}
USUAL = PRESETS["The verdict first"]


def show_before_bert() -> None:
    """One of four parts.

    Raises:
        BadInput: there is no word in the typed review.
        NotAvailable: the networks that ship are missing or damaged.
    """
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="before_controls"
    ):
        part = choose("Part", PARTS, PART, label_visibility="collapsed", width="content")
        remember_parts(PART, PARTS)
        if part in (REACH, FILTERS):
            _examples()
        if part == REACH:
            choose_model(needs_sentiment=True)
    if part == REACH:
        show_reach(chosen_model(), _typed())
    elif part == FILTERS:
        show_filters(_typed())
    else:
        {ORDER: show_order, HISTORY: show_history}[part]()


def _typed() -> str:
    return linked_text(
        "Review",
        USUAL,
        key=TEXT,
        longest=LIMITS.review_chars,
        label_visibility="collapsed",
        placeholder="Type a review and press Enter",
    )


def _examples() -> None:
    st.menu_button(
        "Examples",
        list(PRESETS),
        key=EXAMPLES,
        on_click=_take_example,
        type="tertiary",
        help="The same words with the verdict at either end, and others",
    )


def _take_example() -> None:
    st.session_state[TEXT] = PRESETS[st.session_state[EXAMPLES]]
