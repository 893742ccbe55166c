"""The Board tab: everybody tries to write a review that a model gets surely wrong; then the model
learns from half of them.
"""

import streamlit as st

from bertsent.classroom.board import HIGHEST, set_board
from bertsent.classroom.board_state import THRESHOLD, BoardState
from bertsent.classroom.room import Room
from bertsent.errors import NotAllowed, NotAvailable
from bertsent.probing.registry import find_model
from bertsent.ui.class_hour.board_retraining import comes_first, show_retraining
from bertsent.ui.class_hour.board_table import show_board
from bertsent.ui.shared import result, show_error, show_errors, show_help, visitor
from bertsent.ui.shared.model_picker import model_choices

OPEN, CLOSE = "Open the board", "Close the board"


def board_tab(room: Room) -> None:
    """Draw the board of a room: its settings for the teacher, the live table, and the retraining.

    Raises:
        NotAvailable: the room was deleted.
    """
    board = room.look().board
    if visitor().host:
        with show_errors():
            _settings(room, board)
    board = room.look().board
    if not board.model:
        _empty()
        return
    parts = (show_board, show_retraining)
    for part in parts[::-1] if comes_first(board) else parts:
        part(room)


def check_host() -> None:
    """Do nothing for the teacher.

    Raises:
        NotAllowed: everybody else.
    """
    NotAllowed.raise_if(not visitor().host, "Only the teacher can do that.")


def _settings(room: Room, board: BoardState) -> None:
    models = model_choices(needs_sentiment=True)
    if not models:
        return
    now, names = _in_picker(board.model), list(models)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        name = st.selectbox(
            "Model to fool",
            names,
            index=names.index(now) if now in names else 0,
            format_func=models.__getitem__,
            key="board-model",
            width=204,
        )
        percent = st.number_input(
            "Sure above, %",
            round(100 * THRESHOLD),
            round(100 * HIGHEST),
            round(100 * board.threshold),
            5,
            key="board-threshold",
            width=130,
            help="A review counts when the model gives more than this to the wrong label.",
        )
        changed = bool(board.model) and (name != now or percent != round(100 * board.threshold))
        taking = not board.taking or changed
        if st.button(OPEN if taking else CLOSE, key="board-open", type="primary"):
            check_host()
            model = board.model if name == now else find_model(name, folders=False).name
            set_board(room, model, percent / 100, taking=taking)
            st.rerun()
        show_help("class_hour", "board", "How does this work?")
    if changed and board.taking:
        st.caption("The board still plays against the model and the limit of before.")


def _in_picker(model: str) -> str:
    """What the list of models calls the one of the board; empty where there is none, or where it is
    gone, which is said.
    """
    if not model:
        return ""
    try:
        return find_model(model, folders=False).run or model
    except NotAvailable as error:
        show_error(error)
        return ""


def _empty() -> None:
    with result("board"):
        st.info(
            "Choose a model and open the board. Everybody then gets a box on the phone: write a "
            "review that the model gets wrong, and judge those of the others."
            if visitor().host
            else "The board opens when the teacher has chosen a model."
        )
