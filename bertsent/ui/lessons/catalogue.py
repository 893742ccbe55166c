"""The catalogue: every lesson with its minutes and goals, one click from its first step."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bertsent.lessons.catalogue import CatalogueEntry, catalogue, delete_lesson
from bertsent.lessons.lesson import Lesson
from bertsent.ui.lessons.class_notes import show_class_notes
from bertsent.ui.lessons.going import go_to_step, message
from bertsent.ui.lessons.own_lessons import add_lesson, problem_lines
from bertsent.ui.shared import escape_markdown, result, show_errors, visitor

ABOUT = "Each step opens a page as it should be, says one thing and asks one thing."


def show_catalogue(row: DeltaGenerator) -> None:
    """Draw the lessons as rows; the host can add some."""
    row.caption(ABOUT)
    if said := message():
        st.warning(escape_markdown(said))
    with show_errors():
        show_class_notes()
    host, entries = visitor().host, catalogue()
    with result("lessons"):
        if not entries:
            st.info("There are no lessons here. The host of the lab can add a file below.")
        for entry in entries:
            with st.container(border=True, gap="xsmall", key=f"lesson_row_{entry.name}"):
                _row(entry, host)
    if host:
        with show_errors():
            add_lesson()


def _row(entry: CatalogueEntry, host: bool) -> None:
    lesson = entry.lesson
    if lesson is None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{escape_markdown(entry.name)}** cannot be used:", width="stretch")
            _files(entry, host)
        st.markdown(problem_lines(entry.problems))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{escape_markdown(lesson.title)}** · {_facts(lesson)}", width="stretch")
        if lesson.sources:
            with st.popover("Sources", key=f"sources_{entry.name}", type="tertiary"):
                st.markdown("\n".join(f"- {source}" for source in lesson.sources))
        _files(entry, host)
        st.button(
            "Start",
            key=f"start_{entry.name}",
            type="primary",
            on_click=go_to_step,
            args=(entry.name, "1"),
            kwargs={"begin": True},
        )
    st.markdown(lesson.summary)
    st.caption(f"Goals: {' · '.join(lesson.goals)}")
    if entry.problems:
        st.warning(problem_lines(entry.problems))


def _facts(lesson: Lesson) -> str:
    steps = f"{len(lesson.steps)} step{'s' if len(lesson.steps) != 1 else ''}"
    quiz = f" · quiz of {len(lesson.quiz)}" if lesson.quiz else ""
    return f"{lesson.minutes:g} min · {steps}{quiz}"


def _files(entry: CatalogueEntry, host: bool) -> None:
    content = entry.content()
    if content:
        st.download_button(
            "File",
            content,
            f"{entry.name}.md",
            "text/markdown",
            key=f"file_{entry.name}",
            type="tertiary",
            on_click="ignore",
            help="The lesson as Markdown, to read or to change.",
        )
    if host and entry.own:
        with st.popover("Delete", key=f"delete_{entry.name}", type="tertiary"):
            st.caption("The file is deleted from this lab for good.")
            st.button(
                "Delete permanently",
                key=f"delete_sure_{entry.name}",
                on_click=_delete,
                args=(entry.name,),
            )


def _delete(name: str) -> None:
    if visitor().host:
        delete_lesson(name)
