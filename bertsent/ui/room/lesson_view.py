"""The step of a lesson that a class is at, as a phone shows it: plain paragraphs and a link."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bertsent.classroom.lesson_questions import question_at
from bertsent.classroom.room_events import Question, Showed
from bertsent.errors import BertsentError
from bertsent.lessons.catalogue import find_lesson
from bertsent.lessons.lesson import Lesson, Step

QUIZ = "Your teacher asks the questions here, one by one."
LESSON, STEP = "in_lesson", "at_step"  # parameters of the lab's links


def lesson_view(showed: Showed | None) -> dict[str, Any] | None:
    """What the class sees of its lesson; None where there is none, or its file is gone."""
    if showed is None:
        return None
    try:
        lesson = find_lesson(showed.lesson)
    except (BertsentError, OSError):
        return None
    number = max(showed.step, 1)
    view = {"title": lesson.title, "steps": len(lesson.steps)}
    if number > len(lesson.steps):
        return view | {
            "step": None,
            "heading": "Quiz" if lesson.quiz else "The end of the lesson",
            "text": [QUIZ] if lesson.quiz else [],
            "link": f"/Lessons?{urlencode({LESSON: lesson.name, STEP: 'quiz'})}",
        }
    step = lesson.steps[number - 1]
    return view | {
        "step": number,
        "heading": step.title,
        "text": list(paragraphs(step.text)),
        "link": _link(lesson, step, number),
    }


def reason_view(content: Question) -> Iterator[str]:
    """Why the right option of a lesson's question is right; nothing for other questions, or where
    the lesson is gone.
    """
    try:
        asked = question_at(find_lesson(content.lesson), content.step) if content.lesson else None
    except (BertsentError, OSError):
        return
    if asked:
        yield from paragraphs(asked.reason)


def _link(lesson: Lesson, step: Step, number: int) -> str:
    path = "" if step.page == "Home" else quote(step.page)
    pairs = [*step.link, (LESSON, lesson.name), (STEP, str(number))]
    return f"/{path}?{urlencode(pairs)}"


def paragraphs(markdown: str) -> Iterator[str]:
    """A text without its markup, one paragraph or item of a list at a time."""
    for token in MarkdownIt("commonmark").parse(markdown):
        if token.type == "inline":
            yield "".join(_plain(token.children or []))


def _plain(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        yield " " if token.type in ("softbreak", "hardbreak") else token.content
