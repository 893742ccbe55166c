"""Two boxes for two texts, side by side, which the link and the session keep; and what swaps
them.
"""

import streamlit as st

from bertsent.data.cleaning import typed_review
from bertsent.settings import LIMITS
from bertsent.ui.shared import LINKED

Keys = tuple[str, str]
_LABELS = ("First text", "Second text")


def pair_boxes(keys: Keys, usual: tuple[str, str]) -> tuple[str, str]:
    """Draw the boxes; gives back the clean texts in them.

    Args:
        keys: under which the session and the link have the texts.
        usual: what stands there at first.

    Raises:
        BadInput: one of them is empty.
    """
    columns = st.columns(2, gap="medium")
    for column, key, label, text in zip(columns, keys, _LABELS, usual, strict=True):
        st.session_state.setdefault(key, text)
        column.text_input(
            label,
            key=key,
            max_chars=LIMITS.review_chars,
            placeholder=label,
            label_visibility="collapsed",
            **LINKED,
        )
    first, second = (
        typed_review(str(st.session_state[key] or ""), LIMITS.review_chars) for key in keys
    )
    return first, second


def swap_button(keys: Keys, key: str) -> None:
    """The button that makes the first text the second one."""

    def swap() -> None:
        first, second = (st.session_state[each] for each in keys)
        fill_boxes(keys, (second, first))

    st.button("Swap", key=key, type="tertiary", on_click=swap)


def fill_boxes(keys: Keys, texts: tuple[str, str]) -> None:
    """Put two texts into the boxes. Only callbacks may call this."""
    st.session_state.update(zip(keys, texts, strict=True))
