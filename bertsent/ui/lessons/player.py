"""The player of a lesson: on a wide screen a panel beside the page, on a phone a sheet below it
that folds to one line; what the step says and asks, the way on, the time and the teacher's notes.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from bertsent.lessons.lesson import Step
from bertsent.ui.lessons.class_question import show_class_question
from bertsent.ui.lessons.focus import bring_into_sight, focus_style
from bertsent.ui.lessons.going import go_to_step
from bertsent.ui.lessons.question import is_answered, show_question
from bertsent.ui.lessons.running import (
    QUIZ,
    RunningLesson,
    end_lesson,
    minutes_since,
    running_lesson,
    time_sentence,
)
from bertsent.ui.lessons.with_class import ClassQuestion, class_room, minutes_with_class, tell_class
from bertsent.ui.shared import escape_markdown, visitor
from bertsent.ui.shared.presenter import Walk, presenting

STYLE = Path(__file__).with_name("player.css")
TIME_EVERY = 30.0  # seconds
NOTES = (
    "Not shown in presenter mode. The page Lessons shows them on a second screen, such as a phone."
)


def show_player(found: RunningLesson) -> None:
    """Draw the player of a running lesson. Call it once, before the page."""
    room = class_room()
    if room:
        tell_class(room, found.lesson.name, found.number)
    st.html(STYLE)
    with st.container(key="player", gap="small"):
        _row(found)
        # one for each step, so that a new one is unfolded
        body = st.expander(_title(found), expanded=True, key=f"player_body_{found.number}")
        with body:
            st.fragment(_body)(found)


def step_lesson(found: RunningLesson, direction: int) -> None:
    """Go to the next step (1) or the one before (-1), if there is one. Only callbacks may call
    this.
    """
    number, last = found.number + direction, len(found.lesson.steps) + 1
    if 1 <= number <= last:
        go_to_step(found.lesson.name, QUIZ if number == last else str(number))


def presented_walk() -> Walk | None:
    """Where presenter mode leads while a lesson runs: through what is in focus, then on."""
    found = running_lesson()
    if found is None:
        return None
    return Walk(found.step.focus if found.step else (), partial(step_lesson, found))


def _title(found: RunningLesson) -> str:
    if found.step is None:
        return "**The end: what did you learn?**"
    title = escape_markdown(found.step.title)
    return f"**{found.number}/{len(found.lesson.steps)} {title}**"


def _row(found: RunningLesson) -> None:
    with st.container(
        key="player_row", horizontal=True, gap="xsmall", vertical_alignment="center", wrap=False
    ):
        with st.container(key="player_lesson"):
            st.caption(escape_markdown(found.lesson.title))
        with st.container(key="player_buttons", horizontal=True, gap="xsmall", width="content"):
            _way("Previous", "chevron_left", found, -1, disabled=found.number == 1)
            _way("Next", "chevron_right", found, 1, disabled=found.step is None)
            st.button(
                "End the lesson",
                icon=":material/close:",
                key="player_end",
                type="tertiary",
                on_click=_end,
            )


def _end() -> None:
    end_lesson()
    room = class_room()
    if room:
        tell_class(room, "", 0)


def _way(label: str, icon: str, found: RunningLesson, direction: int, *, disabled: bool) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        key=f"player_{label.lower()}",
        type="tertiary",
        disabled=disabled,
        on_click=step_lesson,
        args=(found, direction),
    )


def _body(found: RunningLesson) -> None:
    if found.step is None:
        st.markdown("The quiz is on this page, and what you answered on the way.")
    else:
        _step(found, found.step)
    host = visitor().host
    st.fragment(_time, run_every=TIME_EVERY if host else None)(found)
    if host and found.step and found.step.notes and not presenting():
        with st.popover("Teacher's notes", key="player_notes", type="tertiary", help=NOTES):
            st.markdown(found.step.notes)


def _step(found: RunningLesson, step: Step) -> None:
    room = class_room() if step.question else None
    asks = ClassQuestion(room, found.lesson, found.number) if room else None
    answered = asks.shown() if asks else is_answered(found)
    computed = step.question is not None and step.question.right is None
    style = focus_style(
        step.focus, () if answered else step.hide, answer_hidden=computed and not answered
    )
    with st.container(key="player_style"):
        # a style alone would be laid elsewhere, and move whenever the page has more of them
        st.html(f"<style>{style}</style><i></i>")
        opened = f"{found.lesson.name} {found.place} {answered}"
        bring_into_sight(opened, _to_see(step, answered=answered))
    if not (presenting() and step.question and answered):  # the result and the reason need the room
        st.markdown(step.text)
    if asks:
        show_class_question(asks)
    elif step.question:
        show_question(found, step.question)


def _to_see(step: Step, *, answered: bool) -> Sequence[str]:
    """What the eye should find first: what is in focus; after the answer, what that reveals."""
    if not answered or not step.hide:
        return step.focus
    return [name for name in step.focus if name in step.hide] or step.hide


def _time(found: RunningLesson) -> None:
    room = class_room()
    minutes = minutes_with_class(room, found.lesson.name) if room else None
    alone = minutes_since(found.lesson.name)
    st.caption(time_sentence(found, alone if minutes is None else minutes))
