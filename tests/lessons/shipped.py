"""The questions of the lessons that ship, for the tests that work out what is right."""

from bertsent.lessons.catalogue import SHIPPED_LESSONS
from bertsent.lessons.lesson import LessonQuestion
from bertsent.lessons.reading import read_lesson


def question(lesson: str, title: str) -> LessonQuestion:
    """The question of the step of that title."""
    file = SHIPPED_LESSONS / f"{lesson}.md"
    steps = read_lesson(file.read_bytes(), lesson).steps
    found = next(step.question for step in steps if step.title == title)
    assert found is not None
    return found


def right(lesson: str, title: str) -> str:
    """Its right option."""
    found = question(lesson, title)
    assert found.right is not None
    return found.options[found.right]
