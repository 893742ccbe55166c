"""The Class page: for the host the tabs of a room, for everybody else the way into one."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.classroom.room import Room
from bertsent.classroom.rooms import all_rooms
from bertsent.ui.class_hour.board import board_tab
from bertsent.ui.class_hour.join import show_join
from bertsent.ui.class_hour.opening import take_message, without_room
from bertsent.ui.class_hour.report import report_tab
from bertsent.ui.class_hour.room import room_tab
from bertsent.ui.class_hour.vote import vote_tab
from bertsent.ui.shared import linked_choice, visitor
from bertsent.ui.shared.tabs import Tab, choose_tab

STYLE = Path(__file__).with_name("class_hour.css")
TABS = (
    Tab("Room", "How the class comes in, who is there, and what they may do.", room_tab),
    Tab("Vote", "Predict first, then see: the class, then the models one by one.", vote_tab),
    Tab("Board", "Fool the model; then it learns from half of what fooled it.", board_tab),
    Tab("Report", "The hour as one file, to keep and to send.", report_tab),
)


def show_class(row: DeltaGenerator) -> None:
    """Draw the tabs into ``row`` and the chosen one for the chosen room below."""
    st.html(STYLE)
    if not visitor().host:
        show_join()
        return
    rooms = {room.code: room for room in all_rooms()}
    if not rooms:
        without_room()
        return
    tab = choose_tab(TABS, "class", row)
    take_message()
    tab.show(rooms[_choose(rooms, row)])


def _choose(rooms: dict[str, Room], row: DeltaGenerator) -> str:
    if len(rooms) == 1:
        return next(iter(rooms))
    with row:
        labels = {code: _label(room) for code, room in rooms.items()}
        return linked_choice("Room", labels, key="room", label_visibility="collapsed", width=220)


def _label(room: Room) -> str:
    state = room.look()
    label = f"{room.code} · {state.title}" if state.title else room.code
    return f"{label} (closed)" if state.closed else label
