"""The end of a lesson: the graded quiz with its reasons, and what was answered on the way."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.lessons.lesson import Lesson, LessonQuestion
from bertsent.ui.lessons.class_quiz import show_class_answers, show_class_quiz
from bertsent.ui.lessons.question import SHOWN, option_line, right_option
from bertsent.ui.lessons.running import KEPT, RunningLesson, answers_of
from bertsent.ui.lessons.with_class import class_room
from bertsent.ui.shared import download_menu, result

_ROUND, _GIVEN = f"{KEPT}quiz_round", f"{KEPT}quiz_given"


def show_end(found: RunningLesson, row: DeltaGenerator) -> None:
    """Draw the quiz and below it the questions of the steps."""
    lesson = found.lesson
    row.caption(f"{lesson.title}: the end")
    room = class_room()
    with result("quiz"):
        if not lesson.quiz:
            st.markdown("This lesson has no quiz.")
        elif room:
            show_class_quiz(lesson, room)
        else:
            _quiz(lesson)
    if room:
        show_class_answers(lesson, room)
    else:
        _show_answers(lesson)
    with st.container(key="player_goals"):
        st.markdown("**You should now be able to**\n\n" + "\n".join(f"- {g}" for g in lesson.goals))


def _show_answers(lesson: Lesson) -> None:
    table = answers_table(lesson, answers_of(lesson.name))
    if len(table):
        with result("answers"):
            right = int(table["right"].sum())
            st.markdown(f"**On the way {right} of {len(table)} predictions were right**")
            shown = table.assign(right=table["right"].map({True: "right", False: "not right"}))
            st.dataframe(shown, hide_index=True, key="player_answers")
            download_menu("player_answers", None, lesson.name, tables={"Answers": table})


def answers_table(lesson: Lesson, answers: dict[int, int]) -> pd.DataFrame:
    """The answered questions of the steps: step, question, what was answered and what is right."""
    rows = []
    for number, place in sorted(answers.items()):
        step = lesson.step(number)
        if step is None or step.question is None:
            continue
        options, right = step.question.options, right_option(step)[0]
        rows.append(
            {
                "step": number,
                "question": step.question.text,
                "your answer": "shown" if place == SHOWN else options[place],
                "answer": "" if right is None else options[right],
                "right": right is not None and place == right,
            }
        )
    return pd.DataFrame(rows, columns=["step", "question", "your answer", "answer", "right"])


def _quiz(lesson: Lesson) -> None:
    """All questions with one button; once it was pressed, the score and a reason for each."""
    number, rounds = lesson.name, st.session_state.setdefault(_ROUND, 0)
    given: dict[str, list[int | None]] = st.session_state.setdefault(_GIVEN, {})
    if number in given:
        _marks(lesson, given[number])
        st.button("Try again", key="player_quiz_again", on_click=_again, args=(number,))
        return
    with st.form("player_quiz", border=False):
        chosen = [  # a new round has new, empty questions
            st.radio(
                f"**{place}. {question.text}**",
                range(len(question.options)),
                format_func=question.options.__getitem__,
                index=None,
                key=f"player_quiz_{rounds}_{place}",
            )
            for place, question in enumerate(lesson.quiz, 1)
        ]
        if st.form_submit_button("Check", type="primary", key="player_quiz_check"):
            given[number] = chosen
            st.rerun()


def _marks(lesson: Lesson, given: list[int | None]) -> None:
    st.markdown(f"**{lesson.score(given)} of {len(lesson.quiz)} right**")
    for place, (question, answer) in enumerate(zip(lesson.quiz, given, strict=True), 1):
        st.markdown(f"**{place}. {question.text}**")
        st.markdown("  \n".join(_lines(question, answer)))
        st.caption(question.reason)


def _lines(question: LessonQuestion, answer: int | None) -> list[str]:
    lines = [
        option_line(option, right=place == question.right, given=place == answer)
        for place, option in enumerate(question.options)
    ]
    return lines if answer is not None else [*lines, "Not answered."]


def _again(name: str) -> None:
    st.session_state[_ROUND] += 1
    st.session_state[_GIVEN].pop(name, None)
