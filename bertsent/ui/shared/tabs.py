"""The tabs of a page; only the chosen one is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.ui.shared.links import choose, linked_name, set_in_link

_TABS = "tabs_drawn"  # the key of the choice and all names, for presenter mode
_PARTS = "parts_drawn"  # the same of what a tab consists of, where it opens one by one
_REVIEW = "tab_needs_review"  # whether the chosen one does
_LINKED = "tab_in_link_"  # and a key: the tab that the link named when the tabs were last drawn


@dataclass(frozen=True)
class Tab:
    """A tab: its label, the question it answers, and what draws it. ``show`` gets the registry name
    of the model in the review bar, where the tab ``needs_model``, and the clean text, where it
    ``needs_review``. ``any_task`` says that the model may be of another task than two labels.
    """

    name: str
    question: str
    show: Callable[..., None]
    needs_review: bool = True
    needs_model: bool = True
    any_task: bool = False


def choose_tab(tabs: Sequence[Tab], key: str, row: DeltaGenerator) -> Tab:
    """Draw the tabs into ``row`` and the question of the chosen one below it; the choice is kept
    under ``key`` in the session and in the link.
    """
    named = {tab.name: tab for tab in tabs}
    _follow_link(key, list(named))
    with row:
        tab = named[choose("View", list(named), key, label_visibility="collapsed")]
    remember_tabs(key, list(named))
    st.session_state[_LINKED + key] = tab.name
    st.session_state[_REVIEW] = tab.needs_review
    st.caption(tab.question)
    return tab


def choose_grouped_tab(groups: Mapping[str, Sequence[Tab]], key: str, row: DeltaGenerator) -> Tab:
    """Draw groups of tabs side by side, each under its label, of which one tab in all is chosen."""
    named = {tab.name: tab for tabs in groups.values() for tab in tabs}
    _follow_link(key, list(named))
    kept = linked_name(key)
    chosen = st.session_state[key] = kept if kept in named else next(iter(named))
    with row, st.container(horizontal=True, gap="small", key=f"{key}_groups"):
        for label, tabs in groups.items():
            _group(label, [tab.name for tab in tabs], key)
    set_in_link(key, chosen)
    remember_tabs(key, list(named))
    st.session_state[_LINKED + key] = chosen
    st.session_state[_REVIEW] = named[chosen].needs_review
    st.caption(named[chosen].question)
    return named[chosen]


def _follow_link(key: str, names: Sequence[str]) -> None:
    """Take the tab that a link within the app names, such as one of the home page's; without this
    the one that the session kept would win.
    """
    named = st.query_params.get(key)
    if named in names and named != st.session_state.get(_LINKED + key):
        st.session_state[key] = named


def _group(label: str, names: list[str], key: str) -> None:
    chosen, widget = st.session_state[key], f"{key}: {label}"

    def take() -> None:
        st.session_state[key] = st.session_state[widget] or chosen

    st.session_state[widget] = chosen if chosen in names else None
    st.segmented_control(label, names, key=widget, on_change=take, width="content")


def remember_tabs(key: str, names: Sequence[str]) -> None:
    """Note under which key the page keeps the choice among which tabs."""
    st.session_state[_TABS] = (key, list(names))


def remember_parts(key: str, names: Sequence[str]) -> None:
    """Note under which key the tab keeps which of its parts is open, the empty name for none."""
    st.session_state[_PARTS] = (key, list(names))


def forget_tabs() -> None:
    """Begin a page, which has drawn none yet."""
    st.session_state.pop(_TABS, None)
    st.session_state.pop(_PARTS, None)
    st.session_state.pop(_REVIEW, None)


def chosen_tab() -> tuple[str, bool]:
    """The tab that is drawn, empty where the page has none, and whether it is about the review."""
    if _TABS not in st.session_state:
        return "", True
    key, _ = st.session_state[_TABS]
    return str(st.session_state.get(key) or ""), st.session_state.get(_REVIEW, True)


def step_tab(direction: int) -> bool:
    """Choose the next tab of the page (1) or the one before (-1); False where there is none. The
    page runs again by itself afterwards: only callbacks may call this.
    """
    return _step(_TABS, direction)


def step_part(direction: int) -> bool:
    """Open the next part of the tab (1) or the one before (-1); False where there is none. Only
    callbacks may call this.
    """
    return _step(_PARTS, direction)


def _step(drawn: str, direction: int) -> bool:
    key, names = st.session_state.get(drawn, ("", []))
    if not names:
        return False
    chosen = st.session_state.get(key)
    place = (names.index(chosen) if chosen in names else 0) + direction
    if not 0 <= place < len(names):
        return False
    st.session_state[key] = names[place]
    return True
