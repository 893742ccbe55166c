"""Which parts are open: kept in the session; the link carries the one that was opened last."""

from collections.abc import Sequence

import streamlit as st

from bertsent.ui.shared.links import set_in_link

PART = "part"  # of the link, and of the session: the part that was opened last, or nothing
_OPEN = "parts_open"
_TURNS = "part_turns"
_DRAWN = "part_in_link"  # what the link said when the parts were last drawn


def follow_link(keys: Sequence[str]) -> None:
    """Take the part that a link within the app or from outside names."""
    linked = st.query_params.get(PART, "")
    if linked in keys and linked != st.session_state.get(_DRAWN):
        open_only(linked)
    kept = st.session_state.setdefault(PART, "")
    if kept not in st.session_state.setdefault(_OPEN, []) and (kept or st.session_state[_OPEN]):
        open_only(kept if kept in keys else "")
    st.session_state[_DRAWN] = st.session_state[PART]
    set_in_link(PART, st.session_state[PART] or None)


def open_only(part: str) -> None:
    """Open this part, fold the others and bring it into sight; all are folded when it is empty."""
    st.session_state[PART], st.session_state[_OPEN] = part, [part] if part else []
    st.session_state[_TURNS] = st.session_state.get(_TURNS, 0) + 1


def is_open(part: str) -> bool:
    """Whether that part is open."""
    return part in st.session_state[_OPEN]


def toggle(part: str, opened: bool) -> None:
    """Open or fold one part, whatever the others are."""
    others = [each for each in st.session_state[_OPEN] if each != part]
    st.session_state[_OPEN] = [*others, part] if opened else others
    st.session_state[PART] = (st.session_state[_OPEN] or [""])[-1]


def last_opened() -> str:
    """The part that was opened last, empty when all are folded."""
    return str(st.session_state.get(PART, ""))


def turns() -> int:
    """How often a part was opened for the visitor, and so is to be brought into sight."""
    return int(st.session_state.get(_TURNS, 0))
