"""The live table of the board: who leads, which reviews fool the model, and what the teacher takes
off.
"""

from typing import Any

import streamlit as st

from bertsent.classroom.board import drop
from bertsent.classroom.board_tables import (
    board_sentence,
    confirmed_table,
    entries_table,
    ranking_table,
)
from bertsent.classroom.room import Room
from bertsent.classroom.room_state import RoomState
from bertsent.errors import BertsentError
from bertsent.ui.shared import (
    choosing_table,
    download_menu,
    escape_markdown,
    poll_interval,
    result,
    show_error,
    visitor,
)
from bertsent.ui.shared.presenter import presenting

EVERY = 2.0  # seconds between two looks
TALL, PRESENTED = 330, 800  # pixels of a table
_CHOSEN = "board-chosen"
_PERCENT = st.column_config.NumberColumn(
    "wrong by", format="%.1f %%", width="small", help="What the model gave to the wrong label"
)
_ENTRIES = {
    "label": st.column_config.TextColumn(
        width="small", help="Hidden until somebody has confirmed it, so that nobody is led"
    ),
    "p_wrong": _PERCENT,
    "standing": st.column_config.TextColumn(width="small"),
    "points": st.column_config.NumberColumn(width=62),
    "nickname": st.column_config.TextColumn("by"),
}
_RANKING = {
    "place": st.column_config.NumberColumn("", width=40),
    "nickname": st.column_config.TextColumn("who"),
    "points": st.column_config.NumberColumn(width=66),
    "confirmed": st.column_config.NumberColumn(width=86),
    "tries": st.column_config.NumberColumn(width=56),
}


def show_board(room: Room) -> None:
    """Draw the table, anew every other second while the room is open."""
    closed = room.look().closed
    st.fragment(_table, run_every=None if closed else poll_interval(EVERY))(room)


def _table(room: Room) -> None:
    state = room.look()
    with result("board"), st.container(key="live_board"):
        st.markdown(escape_markdown(board_sentence(state)) or _waiting(state))
        if not state.board.tries:
            return
        left, right = st.columns([3, 7], gap="medium")
        with left:
            st.dataframe(
                ranking_table(state).drop(columns="waiting"),
                hide_index=True,
                height=_tall(),
                key="board-ranking",
                column_config=_RANKING,
            )
        with right:
            _entries(room, state)
    if any(entry.standing == "confirmed" for entry in state.board.entries.values()):
        confirmed = {"Confirmed reviews": confirmed_table(state.board)}
        download_menu("board", None, f"board-{room.code}", tables=confirmed)


def _tall() -> int:
    return PRESENTED if presenting() else TALL


def _waiting(state: RoomState) -> str:
    if not state.board.taking:
        return "The board takes no reviews now."
    return "The board is open. The first review that fools the model appears here."


def _entries(room: Room, state: RoomState) -> None:
    table = entries_table(state)
    if not len(table):
        st.caption("Reviews that fool the model appear here.")
        return
    shown = table.assign(p_wrong=100 * table["p_wrong"].astype(float)).drop(columns="entry")
    wide = st.column_config.TextColumn("review", width=560 if presenting() else 330)
    columns = {"text": wide, **_ENTRIES}
    layout: dict[str, Any] = {"height": _tall(), "column_config": columns, "placeholder": "·"}
    if not visitor().host:
        st.dataframe(shown, hide_index=True, key="board-entries", **layout)
        return
    choosing_table(shown, "board-entries", list(table["entry"]), _choose, **layout)
    chosen = state.board.entries.get(st.session_state.get(_CHOSEN, ""))
    if chosen is not None and not chosen.dropped:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(chosen.text, width="stretch")
            options: dict[str, Any] = {"on_click": _drop, "args": (room, chosen.id)}
            st.button("Take it off", key="board-drop", type="tertiary", **options)


def _choose(entry: str) -> None:
    st.session_state[_CHOSEN] = entry


def _drop(room: Room, entry: str) -> None:
    try:
        if visitor().host:
            drop(room, entry)
    except BertsentError as error:
        show_error(error)
    st.session_state.pop(_CHOSEN, None)
