"""One review under one model, in five tiles on one screen."""

from pathlib import Path

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.ui.home.heads import show_heads
from bertsent.ui.home.others import show_others
from bertsent.ui.home.review_on_map import show_review_on_map
from bertsent.ui.home.verdict import show_verdict
from bertsent.ui.shared import current_review, escape_markdown, loaded_model, result
from bertsent.ui.shared.model_picker import MODEL

STYLE = Path(__file__).with_name("home.css")


def show_overview() -> None:
    """Draw the five tiles, or what is missing for them."""
    st.html(STYLE)
    name = st.session_state.get(MODEL)
    try:
        text, model = current_review(), loaded_model(name) if name else None
    except BertsentError as reason:
        with result("verdict"):
            st.info(escape_markdown(str(reason)))
        return
    if not name or model is None:
        with result("verdict"):
            st.info(
                "This lab came without its built-in model. Fine-tune a model on the built-in "
                "reviews, and your review is answered here."
            )
        return
    with st.container(key="home_tiles"):
        show_verdict(model, text)
        show_heads(model, text)
        show_review_on_map(model, text)
        show_others(model, text)
