"""What who is not the host sees on the Class page: how to join, or the state of the own room."""

import time

import streamlit as st

from bertsent.classroom.room import Room
from bertsent.classroom.room_rules import room_of, why_no_training
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.rooms import find_room
from bertsent.classroom.tally import tally_sentence
from bertsent.errors import BertsentError
from bertsent.ui.class_hour.reveal import answer_lines
from bertsent.ui.shared import escape_markdown, poll_interval, result, show_error, visitor

EVERY = 3.0  # seconds


def show_join() -> None:
    """Draw the field for a code, or the visitor's own room."""
    own = room_of(visitor().id)
    with result("room"):
        if own is None:
            _code_field()
        else:
            st.fragment(_own_room, run_every=poll_interval(EVERY))(own)


def _code_field() -> None:
    st.markdown("Your teacher has the code of your room: five letters and figures.")
    code = st.text_input("Code", max_chars=10, key="join_code", width=200)
    if not code:
        return
    try:
        room = find_room(code)
    except BertsentError as error:
        show_error(error)
    else:
        _way_in(room, "Join")


def _own_room(room: Room) -> None:
    try:
        state = room.look()
    except BertsentError as error:
        show_error(error)
        return
    name = state.members.get(room.member(visitor().id), "")
    st.markdown(
        f"**{escape_markdown(state.title or f'Room {room.code}')}** · "
        f"{len(state.members)} here · you are {escape_markdown(name)}"
    )
    if refused := why_no_training(visitor().id):
        st.caption(refused)
    if state.question:
        _question(state.question)
    _way_in(room, "Vote")


def _question(asked: AskedQuestion) -> None:
    st.markdown(escape_markdown(asked.content.prompt))
    if asked.content.text:
        st.markdown(f"> {escape_markdown(asked.content.text)}")
    phase = asked.phase(time.time())
    if phase == "revealing":
        st.markdown(escape_markdown(tally_sentence(asked)))
        for line in answer_lines(asked):
            st.markdown(escape_markdown(line))
    else:
        votes = len(asked.votes)
        st.caption(f"{votes} voted{', the vote is over' if phase == 'ended' else ''}.")


def _way_in(room: Room, label: str) -> None:
    st.link_button(label, f"/room/{room.code}", type="primary")
