"""Opening a room, closing it and deleting it."""

from collections.abc import Callable

import streamlit as st

from bertsent.classroom.room import Room
from bertsent.classroom.room_password import LONGEST
from bertsent.classroom.rooms import HOURS, LONGEST_TITLE, delete_room, open_room
from bertsent.errors import BertsentError, NotAllowed
from bertsent.ui.shared import escape_markdown, result, visitor

KEPT = {2.0: "2 hours", HOURS: "a day", 7 * HOURS: "a week", 30 * HOURS: "30 days"}
_MESSAGE = "class_message"
_ABOUT = (
    "A room is where a class meets. The students open a link on their phones, type a nickname and "
    "vote; no accounts, no addresses. You see how many have voted, and reveal what the class and "
    "the models say, one by one."
)


def check_host() -> None:
    """Do nothing for the host of the lab.

    Raises:
        NotAllowed: for everybody else.
    """
    NotAllowed.raise_if(not visitor().host, "Only the host of the lab can do that.")


def without_room() -> None:
    """Draw what a room is, and what opens one."""
    take_message()
    with result("room"):
        st.markdown(_ABOUT)
        _open_form("first")


def another_room() -> None:
    """Draw the popover that opens a further room."""
    with st.popover("Open another room", key="room_another"):
        _open_form("another")


def end_room(room: Room) -> None:
    """Draw what closes and what deletes a room; the latter asks once more."""
    closed = room.look().closed
    with st.popover("Close", key="room_close_box", disabled=closed):
        st.markdown("Nobody can join or vote any more. What happened can be read until deletion.")
        st.button("Close this room", key="room_close", on_click=do, args=(room.close,))
    with st.popover("Delete", key="room_delete_box"):
        st.markdown("Delete this room with all votes and its board? This cannot be undone.")
        st.button(
            "Delete permanently",
            key="room_delete",
            type="primary",
            on_click=_delete,
            args=(room,),
        )


def say(message: str) -> None:
    """Have the next run of the page say something above the tab."""
    st.session_state[_MESSAGE] = message


def take_message() -> None:
    """Draw what a button had to say."""
    if message := st.session_state.pop(_MESSAGE, ""):
        st.info(escape_markdown(message))


def _open_form(which: str) -> None:
    with st.form(f"room_form_{which}", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            st.text_input(
                "Title, optional", max_chars=LONGEST_TITLE, key=f"room_title_{which}", width=240
            )
            st.text_input(
                "Password, optional",
                max_chars=LONGEST,
                key=f"room_password_{which}",
                width=200,
                help="Who knows the code alone does not come in.",
            )
            st.selectbox(
                "Deleted after",
                list(KEPT),
                index=1,
                format_func=KEPT.__getitem__,
                key=f"room_hours_{which}",
                width=140,
            )
        st.form_submit_button(
            "Open a room", type="primary", key=f"room_open_{which}", on_click=_open, args=(which,)
        )


def _open(which: str) -> None:
    try:
        check_host()
        room = open_room(
            st.session_state[f"room_title_{which}"] or "",
            st.session_state[f"room_hours_{which}"],
            st.session_state[f"room_password_{which}"] or "",
        )
        st.session_state["room"] = room.code
    except BertsentError as error:
        say(str(error))
    except OSError as error:
        say(f"The room cannot be kept ({error.strerror}). Free some space on the disk.")


def _delete(room: Room) -> None:
    do(lambda: delete_room(room), f"Room {room.code} is deleted.")
    st.session_state.pop("room", None)


def do(act: Callable[[], object], message: str = "") -> None:
    """Do what only the host may, and say something above the tab, or what went wrong."""
    try:
        check_host()
        act()
        say(message)
    except BertsentError as error:
        say(str(error))
