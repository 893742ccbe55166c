"""A sentence found in a view, taken along: it becomes the review that all views are about."""

import secrets
from collections.abc import Callable

import streamlit as st


def ask_about(text: str, key: str, label: str = "Ask about it") -> None:
    """A button that makes ``text`` the review and opens its answer."""
    st.button(
        label,
        key=key,
        on_click=_take,
        args=(text,),
        help="It becomes the review, and the view changes to its answer.",
    )


def own_secret() -> str:
    """What keeps the work on this session's files apart from everybody else's."""
    return st.session_state.setdefault("own_secret", secrets.token_hex(16))


def choose(values: dict[str, object]) -> Callable[[], None]:
    """A callback that puts values into widgets before they are drawn."""
    return lambda: st.session_state.update(values)


def _take(text: str) -> None:
    st.session_state["text"] = text
    st.session_state["probe"] = "Answer"
