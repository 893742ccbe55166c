"""The tabs of a page; only the chosen one is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Tab:
    """A tab: its label, the question it answers, and what draws it. ``show`` gets the registry name
    of the model and, where the tab ``needs_review``, the clean text.
    """

    name: str
    question: str
    show: Callable[..., None]
    needs_review: bool = True


def choose_tab(views: Sequence[Tab], key: str) -> Tab:
    """Draw the row of tabs; the choice is kept under ``key`` in the session and in the link."""
    names = [view.name for view in views]
    if st.session_state.get(key) not in names:  # the first time, or a link to a tab of before
        st.session_state.pop(key, None)
    chosen = st.segmented_control(
        "View",
        names,
        default=names[0],
        required=True,
        key=key,
        bind="query-params",
        persist_state="session",
        label_visibility="collapsed",
    )
    view = next((view for view in views if view.name == chosen), views[0])
    st.caption(view.question)
    return view
