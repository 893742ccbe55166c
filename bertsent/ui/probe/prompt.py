"""Prompt: what one would ask a large language model instead, to copy, and what that costs."""

import streamlit as st

from bertsent.probing.tasks.prompt import zero_shot_prompt
from bertsent.ui.shared import result
from bertsent.ui.shared.help_texts import help_text


def show_prompt(text: str) -> None:
    """Show the zero-shot prompt with the review in it, and its trade-offs."""
    with result("prompt"):
        st.code(zero_shot_prompt(text), language=None, wrap_lines=True)
        st.caption(
            "Copy it into a chat with an instruction-tuned language model. No model here answers "
            "it: bertsent sends nothing anywhere."
        )
    with result("prompt_or_fine_tune"):
        st.markdown(help_text("probe", "prompt"))
