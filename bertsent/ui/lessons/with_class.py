"""The question of a step put to the class of an open room: how many have voted, and after the
reveal how the class did. For the host alone.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias
from urllib.parse import urlencode

import streamlit as st

from bertsent.classroom.lesson_questions import ask_class, asked_in_lesson
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.rooms import open_rooms
from bertsent.classroom.tally import tally, tally_sentence
from bertsent.errors import BertsentError
from bertsent.lessons.lesson import LessonQuestion, Step
from bertsent.lessons.markdown_sections import plain_text
from bertsent.ui.lessons.question import (
    SHOWN,
    answer_button,
    model_answer,
    option_line,
    reason_text,
    right_option,
    show_question,
)
from bertsent.ui.lessons.running import KEPT, RunningLesson, answers_of
from bertsent.ui.shared import PUZZLE, escape_markdown, linked_name, visitor

EVERY = 1.0  # seconds, while the class votes
ROOM = "room"  # where the page Class keeps the code of the chosen room
_REFUSED = f"{KEPT}refused"
Act: TypeAlias = Callable[[RunningLesson, Room], None]


def class_room() -> Room | None:
    """The open room of the host: the one chosen on the page Class, else the newest. None for
    everybody else, and where no room is open.
    """
    if not visitor().host:
        return None
    rooms = {room.code: room for room in open_rooms()}
    newest = next(iter(rooms.values()), None)
    return rooms.get(linked_name(ROOM), newest)


def tell_class(room: Room, name: str, number: int) -> None:
    """Let the room know at which step of which lesson the class is; an empty name ends it."""
    with suppress(BertsentError):  # closed or deleted meanwhile; the lesson goes on
        now = room.look().lesson
        if (now.lesson, now.step) != (name, number) if now else name:
            room.show_lesson(name, number)


def show_class_question(found: RunningLesson, question: LessonQuestion, room: Room) -> None:
    """Draw what the class is asked, its votes and, after the reveal, what is right and why."""
    try:
        asked = asked_in_lesson(room.look(), found.lesson.name, found.number)
    except BertsentError as error:
        st.caption(escape_markdown(str(error)))
        return
    if asked is None and found.number in answers_of(found.lesson.name):
        show_question(found, question)  # the host has shown the answer without a vote
        return
    st.markdown(question.text)
    if refused := st.session_state.pop(_REFUSED, ""):
        st.caption(escape_markdown(refused))
    if asked and asked.revealed and found.step:
        _result(found.step, question, asked)
        return
    st.markdown("\n".join(f"- {option}" for option in question.options))
    if asked is None:
        _button(f"Ask the class in room {room.code}", "player_ask", _ask, found, room)
        answer_button(found, "Show the answer", SHOWN, key="player_show", kind="tertiary")
        return
    voting = asked.phase(time.time()) == "open"
    st.fragment(_votes, run_every=EVERY if voting else None)(room, asked.id)
    _button("Show the answer", "player_reveal", _reveal, found, room)


def _votes(room: Room, name: str) -> None:
    """How many have voted, never what."""
    state = room.look()
    asked = state.questions[name]
    left = asked.ends - time.time()
    words = f"{left:.0f} s left" if asked.phase(time.time()) == "open" else "The vote is over"
    st.markdown(f"**{len(asked.votes)} of {len(state.members)}** have voted · {words}")


def _result(step: Step, question: LessonQuestion, asked: AskedQuestion) -> None:
    counted = tally(asked)
    right, said = right_option(step)
    for place, (option, count) in enumerate(zip(question.options, counted.counts, strict=True)):
        line = option_line(option, right=place == right, given=False)
        st.markdown(f"{line} · {count} of {counted.votes}")
    st.markdown(escape_markdown(tally_sentence(asked)))
    st.markdown(reason_text(said, question.reason))


def _button(label: str, key: str, act: Act, found: RunningLesson, room: Room) -> None:
    st.button(
        label, key=key, type="primary", width="stretch", on_click=_try, args=(act, found, room)
    )


def _try(act: Act, found: RunningLesson, room: Room) -> None:
    try:
        act(found, room)
    except BertsentError as error:
        st.session_state[_REFUSED] = str(error)


def _ask(found: RunningLesson, room: Room) -> None:
    step = found.step
    if step is None or step.question is None:
        return
    question = step.question
    shown = replace(
        question,
        text=plain_text(question.text),
        options=tuple(plain_text(option) for option in question.options),
    )
    ask_class(
        room,
        found.lesson.name,
        found.number,
        shown,
        right=right_option(step)[0],
        answers=_answers(step, question),
        text=step.value("text", PUZZLE) if question.right is None else "",
        link=f"{step.page}?{urlencode(step.query(), doseq=True)}",
    )


def _answers(step: Step, question: LessonQuestion) -> tuple[Answer, ...]:
    """What the model of the step says, where it is the model that decides."""
    if question.right is not None:
        return ()
    place = right_option(step)[0]
    if place is None:
        return ()
    name, answer = model_answer(step)
    return (Answer(name, place, max(answer.p_positive, 1 - answer.p_positive)),)


def _reveal(found: RunningLesson, room: Room) -> None:
    asked = asked_in_lesson(room.look(), found.lesson.name, found.number)
    if asked:
        room.reveal(asked.id, 1 + len(asked.content.answers))
    answers_of(found.lesson.name).setdefault(found.number, SHOWN)
