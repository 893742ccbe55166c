"""What stands in the place of a result when the review has none: an empty box, or no known word."""

import streamlit as st

from bertsent.data.examples import UNDECIDED
from bertsent.errors import BadInput
from bertsent.probing.loaded_model import LoadedModel
from bertsent.ui.shared import PUZZLE, choose_review, current_review, escape_markdown, result
from bertsent.ui.shared.live_answer import live_answer


def review_or_offer() -> str | None:
    """The clean text of the review in the bar; where there is none, what to do and None."""
    try:
        return current_review()
    except BadInput as error:
        _offer(str(error))
        return None


def knows_no_word(model: LoadedModel, text: str) -> bool:
    """Whether the model knows no word of the review; then this is said in place of a result."""
    if live_answer(model, text).prediction.label != UNDECIDED:
        return False
    _offer(
        "The model knows no word of this review, so its answer rests on nothing that could be "
        "explained or changed. Type English words."
    )
    return True


def _offer(words: str) -> None:
    with result("none"):
        st.info(escape_markdown(words))
        st.button(
            f"Ask about “{PUZZLE}”",
            key="ask_puzzle",
            type="primary",
            on_click=choose_review,
            args=(PUZZLE,),
        )
