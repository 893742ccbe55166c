"""What stands above the report of a run: at which step it was answered, and the threshold that a
visitor moves.
"""

import streamlit as st

USUAL = 50  # per cent


def answers_title(step: int) -> None:
    """Say what the answers below are."""
    st.markdown(f"**Answers to the validation reviews** at step {step:,}", width="content")


def choose_threshold(step: int, words: str, key: str) -> int:
    """Draw both in one line; gives back the threshold in per cent.

    Args:
        step: at which the answers were given.
        words: what stands before the slider.
        key: of the slider.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        answers_title(step)
        with st.container(
            horizontal=True, gap="small", vertical_alignment="center", width="content"
        ):  # one line on a phone
            st.markdown(words, width="content")
            percent: int = st.slider(
                f"Threshold: {words}",
                1,
                99,
                USUAL,
                format="%d %%",
                key=key,
                persist_state="session",
                label_visibility="collapsed",
                width=230,
            )
    return percent
