"""The teacher's notes on a second screen: those of the step at which the class is now."""

import streamlit as st

from bertsent.classroom.room import Room
from bertsent.errors import BertsentError
from bertsent.lessons.catalogue import find_lesson
from bertsent.ui.lessons.running import RunningLesson, time_sentence
from bertsent.ui.lessons.with_class import class_room, minutes_with_class
from bertsent.ui.shared import escape_markdown, poll_interval

EVERY = 3.0  # seconds


def show_class_notes() -> None:
    """Draw them for the host whose room takes a lesson; nothing for everybody else."""
    room = class_room()
    if room and room.look().lesson:
        st.fragment(_notes, run_every=poll_interval(EVERY))(room)


def _notes(room: Room) -> None:
    try:
        showed = room.look().lesson
        lesson = find_lesson(showed.lesson) if showed else None
    except (BertsentError, OSError):
        return
    if lesson is None or showed is None:
        return
    found = RunningLesson(lesson, max(showed.step, 1))
    step = found.step
    where = f"{found.number}/{len(lesson.steps)} {step.title}" if step else "the end"
    with st.container(border=True, gap="xsmall", key="class_notes"):
        st.markdown(f"**Room {room.code}: {escape_markdown(f'{lesson.title}, {where}')}**")
        st.caption(time_sentence(found, minutes_with_class(room, lesson.name) or 0))
        if step and step.notes:
            st.markdown(step.notes)
