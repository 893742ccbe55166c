"""The specimen: the review being looked at. One box, the same text on every page, carried by the
link.
"""

import random

import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.settings import LIMITS

PUZZLE = "Great, another boring movie"
PRESETS = {
    "Sarcasm": PUZZLE,
    "Superhero": "Great, another boring superhero movie",
    "Negation": "This is not a bad film",
    "Strong": "Absolutely incredible",
    "Weak": "Somewhat good",
    "Contrast": "Blew my mind how bad it was. What a waste.",
}
SURPRISE = "Surprise me"


@st.cache_data(max_entries=1, show_spinner=False)
def _builtin_texts() -> list[str]:
    from bertsent.data.sources import load_reviews

    return load_reviews("builtin").texts


def current_review() -> str:
    """Draw the box with its presets; gives back the checked text.

    Raises:
        BadInput: nothing to classify, or too long.
    """
    st.session_state.setdefault("text", PUZZLE)
    st.text_area(
        "Review",
        key="text",
        bind="query-params",
        persist_state="session",
        max_chars=LIMITS.review_chars,
        height=90,
        help="Ctrl+Enter asks. The text stays when you change the page, and the link carries it.",
    )
    with st.container(horizontal=True, gap="small"):
        st.button("Ask", type="primary", key="ask")
        for name, text in PRESETS.items():
            st.button(
                name,
                key=f"preset-{name}",
                on_click=_choose,
                args=(text,),
                help=text,
                type="tertiary",
            )
        st.button(
            SURPRISE,
            key="preset-surprise",
            on_click=_surprise,
            help="A built-in review",
            type="tertiary",
        )
    return typed_review(st.session_state["text"] or "", LIMITS.review_chars)


def _choose(text: str) -> None:
    st.session_state["text"] = text


def _surprise() -> None:
    st.session_state["text"] = random.choice(_builtin_texts())
