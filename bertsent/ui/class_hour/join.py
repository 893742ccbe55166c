"""What who is not the host sees on the Class page: how to join, or the state of the own room."""

import time

import streamlit as st

from bertsent.classroom.room import Room
from bertsent.classroom.room_rules import room_of, why_no_training
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.tally import tally_sentence
from bertsent.errors import BertsentError
from bertsent.ui.class_hour.reveal import answer_lines
from bertsent.ui.host_page import PATH
from bertsent.ui.shared import escape_markdown, poll_interval, result, show_error, visitor

EVERY = 3.0  # seconds


def show_join() -> None:
    """Draw the way into a room, or the visitor's own room."""
    own = room_of(visitor().id)
    with result("room"):
        if own is None:
            _no_room()
        else:
            st.fragment(_own_room, run_every=poll_interval(EVERY))(own)


def _no_room() -> None:
    st.markdown(
        "Your teacher shows a code of five letters and figures. With it you join the class, vote "
        "before the models answer, and try to fool them."
    )
    with st.container(horizontal=True, gap="small"):
        st.link_button("Join a room", "/room", type="primary")
        st.link_button("I am the teacher", PATH, type="tertiary")


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
    open_now = state.question and state.question.phase(time.time()) == "open"
    label = "Vote" if open_now else "Open the room"
    st.link_button(label, f"/room/{room.code}", type="primary")


def _question(asked: AskedQuestion) -> None:
    st.markdown(escape_markdown(asked.content.prompt))
    if asked.content.text:
        st.markdown(f"**{escape_markdown(asked.content.text)}**")
    phase = asked.phase(time.time())
    if phase == "revealing":
        lines = [tally_sentence(asked), *answer_lines(asked)]
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in lines))
    else:
        votes = len(asked.votes)
        st.caption(f"{votes} voted{', the vote is over' if phase == 'ended' else ''}.")
