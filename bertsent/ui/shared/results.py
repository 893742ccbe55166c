"""Where a page puts its results, and the one place for its rarely touched settings.

A result is a figure with its finding in words. It lies in a container of its own, so that it can be
found: by presenter mode, which shows one result at a time, and by the test of the first screen.
"""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_DRAWN = "results_drawn"
_SENTENCES = "findings_drawn"  # sentences by the keys of their charts, in the order drawn
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


def note_finding(key: str | None, sentence: str) -> None:
    """Remember what the chart of that key shows, for who pins it."""
    found = st.session_state.setdefault(_SENTENCES, {})
    found.pop(key or "", None)
    found[key or ""] = sentence


def finding_of(key: str, *, nearest: bool) -> str:
    """What the chart of that key shows; where there is none, and ``nearest``, what the chart that
    was drawn last shows. Else empty.
    """
    found: dict[str, str] = st.session_state.get(_SENTENCES, {})
    return found.get(key) or (next(reversed(found.values()), "") if nearest else "")


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
    st.session_state[_SENTENCES] = {}


def result_class(name: str) -> str:
    """The CSS class of a result."""
    return f"st-key-{_CLASS}{name}"
