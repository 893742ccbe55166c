"""The end of a lesson with a class: the quiz, one question at a time, and how the class did."""

import pandas as pd
import streamlit as st

from bertsent.classroom.lesson_questions import graded_in_lesson
from bertsent.classroom.room import Room
from bertsent.classroom.tally import tally
from bertsent.lessons.lesson import Lesson
from bertsent.ui.lessons.class_question import show_class_question
from bertsent.ui.lessons.running import KEPT
from bertsent.ui.lessons.with_class import ClassQuestion
from bertsent.ui.shared import download_menu, presented_table, result
from bertsent.ui.shared.presenter import presenting

_AT = f"{KEPT}quiz_at"  # the question that is shown, from 0, by the lesson


def show_class_quiz(lesson: Lesson, room: Room) -> None:
    """Draw the question of the quiz whose turn it is, and the way to the others."""
    place: int = min(_places().get(lesson.name, 0), len(lesson.quiz) - 1)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _way("Previous question", lesson, place - 1, disabled=place == 0)
        st.caption(f"Question {place + 1} of {len(lesson.quiz)}", width="content")
        _way("Next question", lesson, place + 1, disabled=place + 1 == len(lesson.quiz))
    question = ClassQuestion(room, lesson, len(lesson.steps) + 1 + place)
    with st.container(key="class_quiz", width=1300 if presenting() else 720):
        show_class_question(question)


def show_class_answers(lesson: Lesson, room: Room) -> None:
    """Draw how the class did on the questions of the lesson; nothing before the first reveal."""
    table = class_answers(lesson, room)
    if not len(table):
        return
    with result("class_answers"):
        right, votes = int(table["right"].sum()), int(table["votes"].sum())
        st.markdown(f"**The class was right in {right} of {votes} votes**")
        presented_table(table)
        download_menu("player_class_answers", None, lesson.name, tables={"Class": table})


def class_answers(lesson: Lesson, room: Room) -> pd.DataFrame:
    """Every question to which the class knows the right option by now: where it stands, the
    question, that option, how many chose it, and how many voted.
    """
    steps, rows = len(lesson.steps), []
    for asked in graded_in_lesson(room.look(), lesson.name):
        content, counted = asked.content, tally(asked)
        at = content.step
        rows.append(
            {
                "step": str(at) if at <= steps else f"quiz {at - steps}",
                "question": content.prompt,
                "answer": content.options[content.truth or 0],
                "right": counted.right,
                "votes": counted.votes,
            }
        )
    return pd.DataFrame(rows, columns=["step", "question", "answer", "right", "votes"])


def _way(label: str, lesson: Lesson, to: int, *, disabled: bool) -> None:
    def go() -> None:
        _places()[lesson.name] = to

    key = f"player_{label.lower().replace(' ', '_')}"
    st.button(label, key=key, type="tertiary", disabled=disabled, on_click=go)


def _places() -> dict[str, int]:
    found: dict[str, int] = st.session_state.setdefault(_AT, {})
    return found
