"""The report of the hour: what is in it, and the button that makes the file."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from bertsent.classroom.agreement import agreement_sentence
from bertsent.classroom.board_tables import board_sentence
from bertsent.classroom.class_calibration import calibration_table, class_calibration_sentence
from bertsent.classroom.retraining import run_of
from bertsent.classroom.retraining_result import RetrainingResult
from bertsent.classroom.room import Room
from bertsent.classroom.room_state import RoomState
from bertsent.classroom.tally import revealed, tally_sentence
from bertsent.report.hour import (
    Hour,
    hour_document,
    hour_sentence,
    runs_of_hour,
    without_nicknames,
)
from bertsent.report.hour_runs import runs_sentence
from bertsent.report.hour_votes import review_of
from bertsent.report.html_page import html_page
from bertsent.training.runs.run import Run
from bertsent.ui.class_hour.board_retraining import judged_retraining
from bertsent.ui.class_hour.opening import check_host
from bertsent.ui.class_hour.reveal import reveal_figure
from bertsent.ui.shared import (
    escape_markdown,
    result,
    run_reader,
    show_errors,
)
from bertsent.ui.shared.server_address import server_address

NAMES = "report_nicknames"
_EMPTY = (
    "The report has each question that was revealed, with what the class and the models said, how "
    "sure and right both were, how far they agree, the board, the lesson and the hour’s runs with "
    "their cards. Ask a question and reveal it."
)
_ABOUT = (
    "One HTML file with figures to hover. It opens without a network, on a phone and on paper. "
    "What was not revealed is not in it."
)


def report_tab(room: Room) -> None:
    """Draw what the report of this room has to say, and what makes it; for the host alone."""
    check_host()
    state, ended = room.look(), room.log.path.stat().st_mtime
    with result("report"):
        st.markdown(f"**{escape_markdown(hour_sentence(room.code, state, ended))}**")
        if not revealed(state) and not state.board.current:
            st.info(_EMPTY)
        found = None
        with show_errors():
            found = _retraining(state)
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            names = st.session_state.get(NAMES, False)
            st.download_button(
                "Download the report",
                partial(_file, room, names, found, server_address()),
                f"bertsent-{room.code}.html",
                "text/html",
                key="report_file",
                on_click="ignore",
                icon=":material/download:",
                type="primary",
            )
            st.toggle(
                "With nicknames",
                key=NAMES,
                help="Without, students are numbered in the order in which they came.",
            )
        st.caption(_ABOUT)
    runs = runs_of_hour(state, ended)
    _contents(state if names else without_nicknames(state), found, runs)


def _contents(state: RoomState, found: RetrainingResult | None, runs: Sequence[Run]) -> None:
    """The findings of the report, in its order."""
    lines = [
        f"**{escape_markdown(asked.content.prompt)}** "
        + escape_markdown(f"{review_of(asked)} {tally_sentence(asked)}".strip())
        for asked in revealed(state)
    ]
    if lines:
        if len(calibration_table(state)):
            lines.append(escape_markdown(class_calibration_sentence(state)))
        lines.append(escape_markdown(agreement_sentence(state)))
    if said := board_sentence(state):
        lines.append(escape_markdown(said))
    if found is not None:
        lines.append(escape_markdown(f"{found.sentence()} {found.forgotten_sentence()}"))
    if said := runs_sentence(runs):
        lines.append(escape_markdown(said))
    if lines:
        with result("report_contents"):
            st.markdown("\n".join(f"- {line}" for line in lines))


def _retraining(state: RoomState) -> RetrainingResult | None:
    """What the last retraining did, judged now if the board has not done so; None without one that
    has finished.
    """
    board = state.board
    event = board.retrained[-1] if board.retrained else None
    run = run_of(event) if event else None
    if event is None or run is None or run_reader(run).look()[1].state != "finished":
        return None
    return judged_retraining(board, event)


def _file(room: Room, names: bool, found: RetrainingResult | None, server: str) -> bytes:
    """The report as the room is when the button is pressed."""
    state, ended = room.look(), room.log.path.stat().st_mtime
    runs = runs_of_hour(state, ended)
    hour = Hour(room.code, state, ended, reveal_figure, found, names, server, runs)
    return html_page(hour_document(hour))
