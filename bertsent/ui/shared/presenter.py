"""Presenter mode: one result at a time, large, for the last row of a classroom.

Next and Back walk through the results of a tab, its parts where it has such, the tabs of a page and
the pages of the menu. That one presents is kept in the session and in the link.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.ui.shared.links import NO_QUERY, linked_name, set_in_link
from bertsent.ui.shared.results import drawn_results, result_class
from bertsent.ui.shared.tabs import step_part, step_tab

PRESENT = "present"
_PLACE, _LEAF = "present_place", "present_leaf"
_STYLE, _SIZE = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("presenter.css", "presenter_size.css")
)


def presenting() -> bool:
    """Whether the visitor presents."""
    return linked_name(PRESENT) == "1"


def present_button() -> None:
    """The button that begins presenter mode."""
    _keep(presenting())
    st.button(
        "Present",
        icon=":material/present_to_all:",
        type="tertiary",
        key="present_on",
        on_click=_present,
        args=(True,),
        help="One result at a time, large, for a projector. The arrow keys go on.",
    )


def turn_pages(files: Sequence[str], current: str) -> None:
    """Go to the page that Next or Back has asked for: the neighbour of ``current`` in the menu."""
    direction = st.session_state.pop(_LEAF, 0)
    if direction:
        place = files.index(current) if current in files else -1  # the notebook is not in the menu
        following = files[(place + direction) % len(files)]
        st.switch_page(following, query_params=NO_QUERY)


def style_place() -> DeltaGenerator:
    """Where the style of presenter mode lies: drawn before the page, so that the last one holds
    until the page is drawn anew. The size of type is there at once, for tables measure it when they
    come.
    """
    place = st.container(key="present_style")
    if presenting():
        place.html(f"<style>{_SIZE}</style><i></i>")
    return place


@dataclass(frozen=True)
class Walk:
    """Where Next and Back lead while a lesson runs: through ``names`` of the results, then
    ``beyond`` with 1 for on and -1 for back, instead of to parts, tabs and pages.
    """

    names: Sequence[str]
    beyond: Callable[[int], None]


def present_results(style: DeltaGenerator, walk: Walk | None = None) -> None:
    """Draw Back and Next and hide everything but the result whose turn it is. Call it when the page
    is drawn, with the place of the style.
    """
    if not presenting():
        return
    names = _walked(walk)
    shown, where = ".stMainBlockContainer", ""  # all of a page that has no result
    if names:
        place = st.session_state[_PLACE] = st.session_state.get(_PLACE, 0) % len(names)
        shown, where = f".{result_class(names[place])}", f"{place + 1} of {len(names)}"
    # a style alone would be laid elsewhere, and move whenever the page has more or fewer of them
    style.html(f"<style>{_STYLE.replace('RESULT', shown)}</style><i></i>")
    with st.container(horizontal=True, key="present_steps", vertical_alignment="center"):
        st.button("Back", key="present_back", type="tertiary", on_click=_step, args=(-1, walk))
        st.caption(where, width="content")
        st.button("Next", key="present_next", type="tertiary", on_click=_step, args=(1, walk))
        st.button("Leave", key="present_off", type="tertiary", on_click=_present, args=(False,))


def present_first() -> None:
    """Show the first result of the tab next, whichever it will be: what it shows has changed."""
    st.session_state[_PLACE] = 0


def next_result() -> bool:
    """Go on within the tab; False at its end. Only callbacks and fragments may call this."""
    return _step_result(1)


def _present(begin: bool) -> None:
    _keep(begin)
    st.session_state[_PLACE] = 0


def _keep(presents: bool) -> None:
    st.session_state[PRESENT] = "1" if presents else ""
    set_in_link(PRESENT, "1" if presents else None)


def _step(direction: int, walk: Walk | None = None) -> None:
    if _step_result(direction, walk):
        return
    st.session_state[_PLACE] = _end(direction)
    if walk:
        walk.beyond(direction)
    elif not step_tab(direction):
        st.session_state[_LEAF] = direction


def _step_result(direction: int, walk: Walk | None = None) -> bool:
    """Show the next result of the tab, if need be by opening its next part; False where there is
    none.
    """
    place = st.session_state.get(_PLACE, 0) + direction
    if not 0 <= place < len(_walked(walk)):
        if walk or not step_part(direction):
            return False
        place = _end(direction)
    st.session_state[_PLACE] = place
    return True


def _walked(walk: Walk | None) -> list[str]:
    """The results of the page that are shown one after the other."""
    names = drawn_results()
    return [name for name in names if walk and name in walk.names] or names


def _end(direction: int) -> int:
    """The result with which one enters: the first, or from behind the last."""
    return 0 if direction > 0 else -1
