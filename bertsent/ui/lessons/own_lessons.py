"""Lessons of the host's own: a file is checked, and kept in this lab where nothing is wrong."""

from collections.abc import Sequence

import streamlit as st

from bertsent.errors import BadInput
from bertsent.lessons.catalogue import keep_lesson
from bertsent.lessons.problems import BadLesson, Problem
from bertsent.ui.shared import escape_markdown, show_error, visitor

BOX, SAID, FILE = "lesson_file", "lesson_file_said", "lesson_file_name"
MEGABYTES = 20  # what is larger than a lesson but not huge is refused here, with the reason
ABOUT = (
    "A Markdown file as docs/lessons.md describes it; the file of any lesson above is an example. "
    "It is kept in the folder lessons of this lab, for everybody who visits it."
)


def add_lesson() -> None:
    """Draw the box for a file and what came of the last one."""
    st.file_uploader(
        "Add a lesson", ["md"], key=BOX, on_change=_take, help=ABOUT, max_upload_size=MEGABYTES
    )
    said = st.session_state.get(SAID)
    if isinstance(said, list):
        count = f"{len(said)} problem{'s' if len(said) > 1 else ''}"
        name = escape_markdown(st.session_state[FILE])
        st.error(f"{name} was not kept. It has {count}:\n\n{problem_lines(said)}")
    elif isinstance(said, BadInput):
        show_error(said)
    elif said:
        st.success(escape_markdown(said))


def problem_lines(problems: Sequence[Problem]) -> str:
    """What is wrong with a lesson file, a line each, in Markdown."""
    return "\n".join(f"- **line {p.line}** {escape_markdown(p.message)}" for p in problems)


def _take() -> None:
    file = st.session_state[BOX]
    st.session_state[SAID] = None
    if file is None or not visitor().host:
        return
    st.session_state[FILE] = file.name
    try:
        lesson = keep_lesson(file.getvalue(), file.name)
        st.session_state[SAID] = f"“{lesson.title}” is in the list now."
    except BadLesson as error:
        st.session_state[SAID] = error.problems
    except BadInput as error:
        st.session_state[SAID] = error
