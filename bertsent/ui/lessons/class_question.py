"""A question of a lesson on the host's screen while the class votes: how many have, and after the
reveal how the class did, what is right and why. The screen is often the projector.
"""

import time
from collections.abc import Callable
from typing import Literal

import streamlit as st

from bertsent.classroom.room import Room
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.tally import tally, tally_sentence
from bertsent.errors import BertsentError
from bertsent.ui.lessons.question import SHOWN, option_line, reason_text, show_marked
from bertsent.ui.lessons.running import KEPT
from bertsent.ui.lessons.with_class import ClassQuestion
from bertsent.ui.shared import escape_markdown

EVERY = 1.0  # seconds, while the class votes
_REFUSED = f"{KEPT}refused"


def show_class_question(asks: ClassQuestion) -> None:
    """Draw what the class is asked, its votes and, after the reveal, what is right and why."""
    question = asks.question
    try:
        asked = asks.asked()
    except BertsentError as error:
        st.caption(escape_markdown(str(error)))
        return
    st.markdown(f"**{question.text}**")
    if refused := st.session_state.pop(_REFUSED, ""):
        st.caption(escape_markdown(refused))
    if asked and asked.revealed:
        _result(asks, asked)
    elif asked is None and asks.shown():  # the host has shown the answer without a vote
        show_marked(question, SHOWN, *asks.right())
    else:
        st.markdown("\n".join(f"- {option}" for option in question.options))
        _vote(asks, asked)


def _vote(asks: ClassQuestion, asked: AskedQuestion | None) -> None:
    if asked is None:
        _button(f"Ask the class in room {asks.room.code}", "player_ask", asks.ask)
        _button("Show the answer", "player_show", asks.show, kind="tertiary")
        return
    voting = asked.phase(time.time()) == "open"
    st.fragment(_votes, run_every=EVERY if voting else None)(asks.room, asked.id, voting)
    _button("Show the answer", "player_reveal", asks.reveal)
    if not voting:
        _button("Ask again", "player_again", asks.ask, kind="tertiary")


def _votes(room: Room, name: str, voting: bool) -> None:
    """How many have voted, never what."""
    state = room.look()
    asked = state.questions[name]
    still = asked.phase(time.time()) == "open"
    if voting and not still:
        st.rerun()
    words = f"{max(asked.ends - time.time(), 0):.0f} s left" if still else "The vote is over"
    st.markdown(f"**{len(asked.votes)} of {len(state.members)}** have voted · {words}")


def _result(asks: ClassQuestion, asked: AskedQuestion) -> None:
    counted, (right, said) = tally(asked), asks.right()
    options = asks.question.options
    with st.container(gap="xsmall", key="player_counts"):
        for place, (option, count) in enumerate(zip(options, counted.counts, strict=True)):
            line = option_line(option, right=place == right, given=False)
            share = count / counted.votes if counted.votes else 0.0
            st.progress(share, text=f"{line} · {count} of {counted.votes}")
    st.markdown(escape_markdown(tally_sentence(asked)))
    st.markdown(reason_text(said, asks.question.reason))


def _button(
    label: str,
    key: str,
    act: Callable[[], None],
    kind: Literal["primary", "tertiary"] = "primary",
) -> None:
    st.button(label, key=key, type=kind, width="stretch", on_click=_try, args=(act,))


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except BertsentError as error:
        st.session_state[_REFUSED] = str(error)
