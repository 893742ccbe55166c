"""The Vote tab: the question before the class, its reveal one by one, and the next question."""

import time
from functools import partial
from html import escape

import streamlit as st

from bertsent.classroom.questions.curve import settle_curve
from bertsent.classroom.room import Room
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.tally import is_complete, turned_over
from bertsent.errors import BertsentError
from bertsent.training.runs.status_sentences import duration
from bertsent.ui.class_hour.opening import do
from bertsent.ui.class_hour.reveal import CLASS, reveal_figure, reveal_finding, reveal_summary
from bertsent.ui.class_hour.room import show_qr, way_in_line
from bertsent.ui.class_hour.vote_ask import compose
from bertsent.ui.class_hour.vote_numbers import show_numbers
from bertsent.ui.shared import (
    UNSEEN_BAR,
    download_menu,
    escape_markdown,
    plotly_chart,
    result,
    show_error,
)
from bertsent.ui.shared.presenter import presenting
from bertsent.ui.shared.tabs import remember_parts

EVERY = 1.0  # seconds, while votes come in
SHORT = 120  # characters of a text that is written in the largest type
_SHOWN = "vote_shown"  # which part of the question is open, for the arrow keys


def vote_tab(room: Room) -> None:
    """Draw the newest question of a room, the numbers of the hour, and what asks the next one."""
    state = room.look()
    asked = state.question
    if asked is None:
        with result("vote"):
            if state.closed:
                st.markdown("Nothing was asked in this room.")
            else:
                compose(room)
        return
    asked = _follow_keys(room, asked)
    with result("vote"):
        _question(room, asked)
    if is_complete(asked):
        show_numbers(room)
    if not state.closed and asked.phase(time.time()) != "open":
        with st.expander("Ask the next question", key="vote_next", expanded=is_complete(asked)):
            compose(room)


def _follow_keys(room: Room, asked: AskedQuestion) -> AskedQuestion:
    """Turn over what the arrow keys ask for: each answer is a part of the tab."""
    steps = ["open", "ended", *map(str, range(1, len(asked.content.answers) + 2))]
    now = _step(asked)
    wanted = st.session_state.get(_SHOWN)
    known = st.session_state.get(f"{_SHOWN}_of") == (asked.id, now)
    if presenting() and known and wanted in steps and wanted != now:
        do(partial(_go_to, room, asked, wanted))
        asked = room.look().questions[asked.id]
        now = _step(asked)
    st.session_state[_SHOWN], st.session_state[f"{_SHOWN}_of"] = now, (asked.id, now)
    remember_parts(_SHOWN, steps[steps.index(now) if now == "open" else 1 :])
    return asked


def _step(asked: AskedQuestion) -> str:
    return str(asked.revealed) if asked.revealed else asked.phase(time.time())


def _go_to(room: Room, asked: AskedQuestion, step: str) -> None:
    if step.isdecimal():
        room.reveal(asked.id, int(step))
    elif step == "ended":
        room.end(asked.id)


def _question(room: Room, asked: AskedQuestion) -> None:
    content = asked.content
    st.html(f'<p class="vote-prompt">{escape(content.prompt)}</p>')
    if content.text:
        long = " vote-long" if len(content.text) > SHORT else ""
        st.html(f'<p class="vote-text{long}">{escape(content.text)}</p>')
    phase = asked.phase(time.time())
    if phase == "revealing":
        _revealed(asked)
    else:
        if content.options and content.kind != "sentence":
            listed = "".join(f"<li>{escape(option)}</li>" for option in content.options)
            st.html(f'<ul class="vote-options">{listed}</ul>')
        with st.container(horizontal=True, gap="large", vertical_alignment="center"):
            if presenting():
                show_qr(room, width=520)
            place = st.container()
        with place:
            st.fragment(_count, run_every=EVERY if phase == "open" else None)(room, asked.id)
    if not room.look().closed:
        _buttons(room, asked)


def _count(room: Room, name: str) -> None:
    """The time left and how many have voted; never what."""
    state = room.look()
    asked = state.questions[name]
    left = asked.ends - time.time()
    if left <= 0 and asked.phase(time.time()) != "open":
        words = "The vote is over"
        if st.session_state.get(_SHOWN) == "open":
            st.rerun()
    else:
        words = f"{duration(left)} left"
    voted = f"{len(asked.votes)} of {len(state.members)} have voted"
    st.html(f'<p class="vote-count"><b>{words}</b> · {voted}</p>')
    st.html(f'<p class="vote-way-in">{escape(way_in_line(room))}</p>')


def _revealed(asked: AskedQuestion) -> None:
    finding = reveal_finding(asked)
    figure = reveal_figure(asked)
    plotly_chart(figure, key="vote_reveal", config=UNSEEN_BAR, alt=finding)
    st.caption(escape_markdown(reveal_summary(asked)))
    download_menu("vote_reveal", figure, "bertsent-vote")


def _buttons(room: Room, asked: AskedQuestion) -> None:
    if asked.waits:
        _wait_for_run(room, asked)
    phase = asked.phase(time.time())
    with st.container(horizontal=True, gap="small", key="vote_buttons"):
        if phase == "open":
            st.button(
                "End the vote", key="vote_end", on_click=do, args=(partial(room.end, asked.id),)
            )
        if not is_complete(asked):
            st.button(
                f"Reveal: {_next(asked)}",
                key="vote_reveal_next",
                type="primary",
                disabled=asked.waits,
                shortcut=None if presenting() or phase == "open" else "Right",
                on_click=do,
                args=(partial(room.reveal, asked.id, asked.revealed + 1),),
            )
        with st.popover("Withdraw", key="vote_withdraw_box"):
            st.markdown("Take this question back? Its votes do not count then.")
            st.button(
                "Take it back",
                key="vote_withdraw",
                on_click=do,
                args=(partial(room.withdraw, asked.id), "The question was taken back."),
            )


def _next(asked: AskedQuestion) -> str:
    """Who comes next; the name alone, for the projector shows the button."""
    if not asked.revealed or asked.waits:
        return CLASS.lower()
    return asked.content.answers[len(turned_over(asked))].name


def _wait_for_run(room: Room, asked: AskedQuestion) -> None:
    st.fragment(_look_at_run, run_every=5.0)(room, asked)


def _look_at_run(room: Room, asked: AskedQuestion) -> None:
    try:
        if settle_curve(room, asked):
            st.rerun()
        st.caption(f"{escape_markdown(asked.content.run)} still trains; its end is the answer.")
    except BertsentError as error:
        show_error(error)
