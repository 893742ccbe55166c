"""The review bar: the review, the model and its answer in one line on top of the pages, the same
on all of them.

The entry script draws it before the page. The review lives in the session under ``TEXT`` and in the
link; the text box only shows it, so that it survives pages that have no bar.
"""

import random

import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.errors import BertsentError
from bertsent.settings import LIMITS
from bertsent.ui.shared.errors import escape_markdown, show_errors
from bertsent.ui.shared.live_answer import live_answer
from bertsent.ui.shared.model_picker import MODEL, choose_model, loaded_model

TEXT, BOX, EXAMPLES = "text", "review_box", "review_examples"
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
_CUT = "review_cut"


def review_bar(*, needs_sentiment: bool) -> None:
    """Draw the bar; what is chosen there is read with ``current_review`` and ``chosen_model``.

    Args:
        needs_sentiment: whether only models that classify are offered.
    """
    with st.container(key="review_bar"):
        with st.container(
            key="review_bar_row", horizontal=True, vertical_alignment="center", gap="small"
        ):
            _review_box()
            answer = st.container(width="content", key="review_bar_answer")
            st.menu_button(
                "Examples",
                [*PRESETS, SURPRISE],
                key=EXAMPLES,
                on_click=_choose_example,
                type="tertiary",
                help="Well-known examples, or one of the built-in reviews",
            )
            choose_model(needs_sentiment=needs_sentiment)
        if _CUT in st.session_state:
            st.warning(
                f"Your text has {st.session_state[_CUT]:,} characters. The first "
                f"{LIMITS.review_chars:,} are kept."
            )
    with answer:
        _answer(st.session_state[MODEL])


def current_review() -> str:
    """The clean text of the review in the bar.

    Raises:
        BadInput: there is nothing to classify.
    """
    return typed_review(st.session_state.get(TEXT, PUZZLE), LIMITS.review_chars)


def choose_review(text: str) -> None:
    """Make this text the review of all pages; what is too long is cut, and the bar says so."""
    text = text.strip()
    st.session_state.pop(_CUT, None)
    if len(text) > LIMITS.review_chars:
        st.session_state[_CUT] = len(text)
    st.session_state[TEXT] = text[: LIMITS.review_chars]


def ask_about(text: str, key: str, label: str = "Ask about it") -> None:
    """A button that makes ``text`` the review and opens its answer."""

    def ask() -> None:
        choose_review(text)
        st.session_state["probe"] = "Answer"

    st.button(
        label,
        key=key,
        on_click=ask,
        help="It becomes the review, and the page changes to its answer.",
    )


def _review_box() -> None:
    if TEXT not in st.session_state:
        choose_review(st.query_params.get(TEXT, PUZZLE))
    shown = " ".join(st.session_state[TEXT].split())  # the box has one line
    if st.session_state.get(BOX) != shown:  # else what somebody types meanwhile would be lost
        st.session_state[BOX] = shown
    st.text_input(
        "Review",
        key=BOX,
        on_change=lambda: choose_review(st.session_state[BOX]),
        label_visibility="collapsed",
        placeholder="Type a review and press Enter",
    )
    st.query_params[TEXT] = st.session_state[TEXT]


def _choose_example() -> None:
    chosen = st.session_state[EXAMPLES]
    choose_review(PRESETS[chosen] if chosen in PRESETS else random.choice(_builtin_texts()))


@st.cache_data(max_entries=1, show_spinner=False)
def _builtin_texts() -> list[str]:
    from bertsent.data.sources import load_reviews

    return load_reviews("builtin").texts


def _answer(name: str | None) -> None:
    """The model's answer to the review as a coloured chip; none where the page says what is
    wrong.
    """
    if not name:
        return
    try:
        text, model = current_review(), loaded_model(name)
        if "sentiment" not in model.gives:
            return
    except BertsentError:
        return
    from bertsent.probing.answer import answer_title

    with show_errors():
        answer = live_answer(model, text).prediction
        with st.container(key=f"review_bar_{answer.label.lower()}", width="content"):
            st.markdown(f"**{escape_markdown(answer_title(answer))}**", width="content")
