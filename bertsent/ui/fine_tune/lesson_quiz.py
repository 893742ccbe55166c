"""The checkpoint quiz on screen: four questions, one button, a word of why, and another try."""

import streamlit as st

from bertsent.training.quiz import ANSWERS, MORAL, OPTIONS, STAGES, Mark, grade, points

_ROUND, _GIVEN = "lesson-quiz-round", "lesson-quiz-given"


def quiz() -> None:
    """Draw the questions, and the marks once they were handed in."""
    st.markdown("**Match each stage with what it is**")
    st.markdown("\n".join(f"- **{letter}** {text}" for letter, text in OPTIONS.items()))
    number = st.session_state.setdefault(_ROUND, 0)
    with st.form("lesson-quiz", border=False):
        given = {stage: _question(stage, number) for stage in STAGES}
        if st.form_submit_button("Check", type="primary", key="lesson-quiz-check"):
            st.session_state[_GIVEN] = given
    if _GIVEN in st.session_state:
        _marked(grade(st.session_state[_GIVEN]))
        st.button("Try again", key="lesson-quiz-again", on_click=_again)


def _question(stage: int, number: int) -> str | None:
    """Arrow keys choose, Tab goes on; a new round has new, empty questions."""
    return st.radio(
        f"{stage}. {STAGES[stage]}",
        list(ANSWERS.values()),
        index=None,
        horizontal=True,
        key=f"lesson-quiz-{number}-{stage}",
    )


def _marked(marks: tuple[Mark, ...]) -> None:
    right = points(marks)
    told = f"**{right} of {len(marks)} right.** " + (MORAL if right == len(marks) else "")
    st.markdown(told)
    st.markdown("\n".join(f"- {_line(mark)}" for mark in marks))


def _line(mark: Mark) -> str:
    if mark.given is None:
        return f"**{mark.stage}** {mark.why}"
    return (
        f"**{mark.stage}-{mark.given}** is {'right' if mark.right else 'wrong'}. "
        f"{mark.why[0].upper()}{mark.why[1:]}"
    )


def _again() -> None:
    st.session_state[_ROUND] += 1
    st.session_state.pop(_GIVEN, None)
