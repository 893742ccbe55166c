"""The live table of the board: who leads, which reviews fool the model, and what the teacher takes
off.
"""

from typing import Any, Literal

import pandas as pd
import streamlit as st

from bertsent.classroom.board import drop
from bertsent.classroom.board_state import BoardState
from bertsent.classroom.board_tables import (
    board_sentence,
    confirmed_table,
    entries_table,
    ranking_table,
)
from bertsent.classroom.retraining import run_of
from bertsent.classroom.room import Room
from bertsent.classroom.room_state import RoomState
from bertsent.errors import BertsentError, NotAvailable
from bertsent.ui.shared import (
    choosing_table,
    download_menu,
    escape_markdown,
    poll_interval,
    result,
    run_reader,
    show_error,
    visitor,
    written_table,
)
from bertsent.ui.shared.presenter import present_first, presenting

EVERY = 2.0  # seconds between two looks
ROWS, ROW = 8, 35  # in sight at once; pixels of each
LEADERS, NEWEST = 14, 8  # rows on a projector: one line each, and two
_CHOSEN = "board-chosen"
_PERCENT = st.column_config.NumberColumn(
    "wrong by", format="%.1f %%", width="small", help="What the model gave to the wrong label"
)
_ENTRIES = {
    "text": st.column_config.TextColumn("review", width=390),
    "label": st.column_config.TextColumn(
        width="small", help="Hidden until somebody has confirmed it, so that nobody is led"
    ),
    "p_wrong": _PERCENT,
    "standing": st.column_config.TextColumn(width="small"),
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
    state = room.look()
    every = None if state.closed else poll_interval(EVERY)
    st.fragment(_live_table, run_every=every)(room, _scene(state.board))


Scene = tuple[str, bool, int, str]


def _scene(board: BoardState) -> Scene:
    """What the rest of the page was drawn for: another window, or the worker, may change it."""
    run = run_of(board.retrained[-1]) if board.retrained else None
    status = run_reader(run).look()[1] if run else None
    stage = "" if status is None else "live" if status.live else status.state
    return board.model, board.taking, len(board.retrained), stage


def _live_table(room: Room, drawn: Scene) -> None:
    try:
        state = room.look()
    except NotAvailable:  # deleted meanwhile: the page says so
        st.rerun()
    if _scene(state.board) != drawn:
        present_first()
        st.rerun()
    _table(room, state)


def _table(room: Room, state: RoomState) -> None:
    with result("board"), st.container(key="live_board"):
        st.markdown(escape_markdown(board_sentence(state)) or _waiting(state))
        if not state.board.tries:
            return
        left, right = st.columns([3, 7], gap="medium")
        with left:
            _ranking(ranking_table(state).drop(columns="waiting"))
        with right:
            _entries(room, state)
    if any(entry.standing == "confirmed" for entry in state.board.entries.values()):
        confirmed = {"Confirmed reviews": confirmed_table(state.board)}
        download_menu("board", None, f"board-{room.code}", tables=confirmed)


def tall(rows: int) -> int | Literal["content"]:
    """The height of a table that grows up to ``ROWS``, in pixels."""
    return "content" if rows <= ROWS else (ROWS + 1) * ROW


def _waiting(state: RoomState) -> str:
    if not state.board.taking:
        return "The board takes no reviews now."
    return "The board is open. The first review that fools the model appears here."


def _ranking(table: pd.DataFrame) -> None:
    if presenting():
        written_table(table, _RANKING, most=LEADERS)
        return
    layout: dict[str, Any] = {"height": tall(len(table)), "column_config": _RANKING}
    st.dataframe(table, hide_index=True, key="board-ranking", **layout)


def _entries(room: Room, state: RoomState) -> None:
    table = entries_table(state)
    if not len(table):
        st.caption("Reviews that fool the model appear here.")
        return
    shown = table.assign(p_wrong=100 * table["p_wrong"].astype(float))
    shown = shown.drop(columns=["entry", "points"])  # what the model was wrong by
    if presenting():
        written_table(shown, _ENTRIES, missing="·", most=NEWEST)
        return
    layout: dict[str, Any] = {"column_config": _ENTRIES, "placeholder": "·"}
    if not visitor().host:
        st.dataframe(shown, hide_index=True, key="board-entries", **layout)
        return
    layout["height"] = tall(len(shown))
    choosing_table(shown, "board-choice", list(table["entry"]), _choose, **layout)
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
