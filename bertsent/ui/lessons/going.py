"""Opening a step: the page of its link in exactly the state that the link declares.

The way there leads over a page that nobody sees, because only a change of the page makes the
browser forget what was chosen in the widgets of the one before.
"""

import time
from collections.abc import Mapping

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from bertsent.errors import BertsentError
from bertsent.ui.lessons.running import KEPT, LESSON, STEP, RunningLesson, at_step, begin_lesson
from bertsent.ui.shared import linked_name
from bertsent.ui.shared.links import NO_QUERY
from bertsent.ui.shared.presenter import PRESENT

PASSAGE = "Step"  # the address of the page that nobody sees
LINKED_LESSON, LINKED_STEP = "lesson", "step"  # of a link to the page Lessons
_GOING, _MESSAGE = f"{KEPT}going", f"{KEPT}message"
# what a visitor brought or is, which is no state of a page
_STAYS = (KEPT, "room", "class_room")
_UPLOADED = "_kept"
# in which a browser takes the page before away; drawn at once, a busy one would keep its widgets
TAKEN_AWAY = 0.15  # seconds


def go_to_step(name: str, place: str, *, begin: bool = False) -> None:
    """Open a step with the next run of the page; ``begin`` starts the time of the lesson anew. Only
    callbacks may call this.
    """
    if begin:
        begin_lesson(name)
    st.session_state[_GOING] = (name, place)


def take_linked_lesson() -> None:
    """Follow a link to the page Lessons that names a lesson and maybe a step."""
    name = st.query_params.get(LINKED_LESSON)
    if name:
        st.session_state[_GOING] = (name, st.query_params.get(LINKED_STEP, ""))
        st.session_state[PRESENT] = linked_name(PRESENT)


def is_going() -> bool:
    """Whether a step is to be opened now."""
    return _GOING in st.session_state


def leave_for(passage: StreamlitPage) -> None:
    """Go to the page that nobody sees, from where ``open_step`` goes on."""
    st.switch_page(passage, query_params=NO_QUERY)


def message() -> str:
    """Why the step that was asked for could not be opened; empty where it could. Said once."""
    return str(st.session_state.pop(_MESSAGE, ""))


def open_step(files: Mapping[str, str], lessons: str) -> None:
    """Forget what the pages keep and open the step that was asked for; where there is none, the
    page Lessons says why.

    Args:
        files: the script of every page, by its word in the menu.
        lessons: the script of the page Lessons, where the quiz is.
    """
    name, place = st.session_state.pop(_GOING, ("", ""))
    _forget()
    time.sleep(TAKEN_AWAY)
    try:
        found = at_step(name, place)
    except (BertsentError, OSError) as error:
        st.session_state[_MESSAGE] = str(error)
        st.switch_page(lessons, query_params=NO_QUERY)
    st.session_state[LESSON], st.session_state[STEP] = name, found.place
    file = files[found.step.page] if found.step else lessons
    st.switch_page(file, query_params=_query(found))


def _query(found: RunningLesson) -> dict[str, str | list[str]]:
    own = found.step.query() if found.step else {}
    values = {name: given if len(given) > 1 else given[0] for name, given in own.items()}
    return {**values, LESSON: found.lesson.name, STEP: found.place}


def _forget() -> None:
    for key in list(st.session_state):
        stays = str(key).startswith(_STAYS) or str(key).endswith(_UPLOADED) or key == PRESENT
        if not stays:
            del st.session_state[key]
