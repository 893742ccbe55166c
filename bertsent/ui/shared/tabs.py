"""The views of Probe: one question about the review at a time, each drawn only when it is looked
at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True)
class Tab:
    """One way to question a model. ``show`` gets the registry name of who answers and, where it
    ``needs_review``, the checked text.
    """

    name: str
    question: str
    show: Callable[..., None]
    needs_review: bool = True


def choose_tab(views: Sequence[Tab], key: str) -> Tab:
    """Draw the row of views; the choice is kept under ``key`` in the session and in the link."""
    names = [view.name for view in views]
    if (
        st.session_state.get(key) not in names
    ):  # the first time, or a link to a view that is no more
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
