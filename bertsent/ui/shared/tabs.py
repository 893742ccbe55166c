"""The tabs of a page; only the chosen one is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from bertsent.ui.shared.links import choose


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
    named = {view.name: view for view in views}
    view = named[choose("View", list(named), key, label_visibility="collapsed")]
    st.caption(view.question)
    return view
