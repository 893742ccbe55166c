"""Where a page puts its results, and the one place for its rarely touched settings.

A result is a figure with its finding in words. It lies in a container of its own, so that it can be
found: by presenter mode, which shows one result at a time, and by the test of the first screen.
"""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_DRAWN = "results_drawn"
_CLASS = "result_"


def result(name: str, **layout: Any) -> DeltaGenerator:  # as st.container takes it
    """A container for a figure and the sentence that says what it shows, or for the empty state
    that stands in its place.

    Args:
        name: unique on the page, letters and underscores.
    """
    if name not in drawn_results():
        st.session_state[_DRAWN] = [*drawn_results(), name]
    return st.container(key=f"{_CLASS}{name}", **layout)


def split_result(name: str) -> None:
    """Presenter mode shows what lies in this result one by one, where that consists of results
    itself, called like it and more.
    """
    names = drawn_results()
    if any(inner.startswith(f"{name}_") for inner in names):
        st.session_state[_DRAWN] = [each for each in names if each != name]


def settings() -> DeltaGenerator:
    """The popover for what a visitor rarely changes; one on a page."""
    return st.popover("Settings", icon=":material/tune:", type="tertiary", key="settings")


def drawn_results() -> list[str]:
    """The names of the results of the page, from top to bottom."""
    names: list[str] = st.session_state.get(_DRAWN, [])
    return names


def forget_results() -> None:
    """Begin a page, which has drawn none yet."""
    st.session_state[_DRAWN] = []


def result_class(name: str) -> str:
    """The CSS class of a result."""
    return f"st-key-{_CLASS}{name}"
