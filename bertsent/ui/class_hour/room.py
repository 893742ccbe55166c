"""The Room tab: the code, its QR and link, who is there, and what the class may do."""

from functools import partial
from html import escape

import segno
import streamlit as st

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Training
from bertsent.ui.class_hour.opening import another_room, do, end_room
from bertsent.ui.room.room_link import room_link
from bertsent.ui.shared import poll_interval, result
from bertsent.ui.shared.frame import ALWAYS, PAGES
from bertsent.ui.shared.presenter import presenting

EVERY = 2.0  # seconds
TRAINING: dict[Training, str] = {
    "everyone": "Everyone",
    "chosen": "Chosen members",
    "nobody": "Nobody",
}
HIDEABLE = [entry.title for entry in PAGES if entry not in ALWAYS]


def room_tab(room: Room) -> None:
    """Draw the way into a room and its rights."""
    with result("room"):
        _way_in(room)
    with st.container(key="room_rules"):
        closed = room.look().closed
        if not closed:
            _rights(room)
        with st.container(horizontal=True, gap="small"):
            if not closed:
                _send_out(room)
            end_room(room)
            another_room()


def way_in_line(room: Room) -> str:
    """Where a class goes to come in, in one line."""
    return f"{_address(room)} · code {room.code}"


def _address(room: Room) -> str:
    """What a student types, who then types the code."""
    link = room_link(room.code, st.context.headers)
    return link.partition("://")[2].removesuffix(f"/{room.code}")


def show_qr(room: Room, width: int) -> None:
    """Draw the link of a room as a QR code, ``width`` pixels wide."""
    link = room_link(room.code, st.context.headers)
    picture = segno.make(link, micro=False).svg_data_uri(scale=8, border=2, light="#fff")
    st.html(f'<img class="room-qr" alt="QR code of {link}" src="{picture}">', width=width)


def _way_in(room: Room) -> None:
    state, link = room.look(), room_link(room.code, st.context.headers)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="way_in"):
        if not state.closed:
            show_qr(room, width=800 if presenting() else 240)
        with st.container(gap="small", width="stretch"):
            if state.title:
                st.html(f'<p class="room-title">{escape(state.title)}</p>')
            st.html(f'<div class="room-code">{room.code}</div>')
            if state.closed:
                st.caption("This room is closed. What happened can be read until it is deleted.")
            else:
                st.html(f'<a class="room-link" href="{link}" target="_blank">{_address(room)}</a>')
                password = " The password is needed as well." if state.password else ""
                st.caption(f"Scan the picture, or open this address and type the code.{password}")
            st.fragment(_members, run_every=None if state.closed else poll_interval(EVERY))(room)


def _members(room: Room) -> None:
    """Who is there now; drawn again every two seconds."""
    members = room.look().members
    count = len(members)
    if not count:
        st.html('<p class="room-count">Nobody is here yet.</p>')
        return
    many = "member" if count == 1 else "members"
    names = ", ".join(sorted(members.values(), key=str.casefold))
    st.html(f'<p class="room-count"><b>{count}</b> {many}</p>')
    st.html(f'<p class="room-members">{escape(names)}</p>')


def _rights(room: Room) -> None:
    rules, members = room.look().rules, room.look().members
    with st.container(horizontal=True, gap="medium", key="rights"):
        training = st.segmented_control(
            "Who may train",
            list(TRAINING),
            help="Of the class. Runs that train already go on; Fine-tune can pause or stop them.",
            default=rules.training,
            required=True,
            format_func=TRAINING.__getitem__,
            key=f"training_{room.code}",
            on_change=_rule,
            args=(room,),
        )
        if training == "chosen":
            st.multiselect(
                "Who",
                list(members),
                default=[member for member in rules.trainers if member in members],
                format_func=lambda member: members.get(member, "somebody who left"),
                key=f"trainers_{room.code}",
                on_change=_rule,
                args=(room,),
                width=320,
            )
        st.pills(
            "Hide from the class",
            HIDEABLE,
            selection_mode="multi",
            default=[page for page in rules.hidden_pages if page in HIDEABLE],
            key=f"hidden_{room.code}",
            on_change=_rule,
            args=(room,),
        )


def _rule(room: Room) -> None:
    kept = room.look().rules
    state = st.session_state
    trainers = state.get(f"trainers_{room.code}", kept.trainers)
    training = state[f"training_{room.code}"] or kept.training
    hidden = state.get(f"hidden_{room.code}") or ()
    do(partial(room.rule, training, tuple(trainers), tuple(hidden)))


def _send_out(room: Room) -> None:
    members = room.look().members
    with st.popover("Send somebody out", key="room_send_box", disabled=not members):
        st.caption("That browser cannot come in again; votes already given stay.")
        if not members:  # an empty choice would stay empty when somebody comes
            return
        out = st.selectbox(
            "Who", list(members), format_func=lambda m: members.get(m, ""), key="room_send_who"
        )
        if out:
            name = members[out]
            st.button(
                "Send out",
                key="room_send",
                on_click=do,
                args=(partial(room.remove, out), f"{name} was sent out."),
            )
