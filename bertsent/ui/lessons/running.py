"""Which lesson runs in this session, at which step, since when, and what was answered. The link
carries lesson and step, so that a page that is loaded again goes on with them.
"""

import time
from dataclasses import dataclass

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.lessons.catalogue import find_lesson
from bertsent.lessons.lesson import Lesson, Step
from bertsent.ui.shared import linked_name
from bertsent.ui.shared.links import set_in_link

LESSON, STEP = "in_lesson", "at_step"  # of the link, and of the session
QUIZ = "quiz"  # the step behind the last one
KEPT = "player_"  # how the keys begin that stay when a step is opened
_BEGAN, _ANSWERS = f"{KEPT}began", f"{KEPT}answers"


@dataclass(frozen=True)
class RunningLesson:
    """A lesson and the number of its step, from 1; one more than there are steps is its end, with
    the quiz.
    """

    lesson: Lesson
    number: int

    @property
    def step(self) -> Step | None:
        """The step, None at the end."""
        return self.lesson.step(self.number)

    @property
    def place(self) -> str:
        """The step as the link has it."""
        return str(self.number) if self.step else QUIZ


def running_lesson() -> RunningLesson | None:
    """The lesson that runs in this session or that the link names; None where none does, or where
    it is gone or cannot be used any more.
    """
    name = linked_name(LESSON)
    if not name:
        return None
    try:
        found = at_step(name, linked_name(STEP))
    except (BertsentError, OSError):
        end_lesson()
        return None
    st.session_state[LESSON], st.session_state[STEP] = found.lesson.name, found.place
    set_in_link(LESSON, found.lesson.name)
    set_in_link(STEP, found.place)
    _began().setdefault(name, time.time())
    return found


def at_step(name: str, place: str) -> RunningLesson:
    """A lesson at a step as a link has it; at its first where that names none.

    Raises:
        BertsentError: there is no such lesson, or its file cannot be used.
        OSError: its file cannot be read.
    """
    lesson = find_lesson(name)
    last = len(lesson.steps) + 1
    number = int(place) if place.isdecimal() and len(place) < 4 else 1
    return RunningLesson(lesson, last if place == QUIZ else min(max(number, 1), last))


def begin_lesson(name: str) -> None:
    """Begin a lesson anew: its time starts, and nothing is answered."""
    _began()[name] = time.time()
    _answers().pop(name, None)


def end_lesson() -> None:
    """Leave the lesson; the page stays as it is, and so do the answers."""
    for key in (LESSON, STEP):
        st.session_state.pop(key, None)
        set_in_link(key, None)


def minutes_since(name: str) -> float:
    """How many minutes ago the lesson began in this session."""
    return (time.time() - _began().get(name, time.time())) / 60


def time_sentence(found: RunningLesson, minutes: float) -> str:
    """How long the lesson has taken, of how long, and what is planned by the end of the step."""
    planned = found.lesson.planned(found.number)
    return f"{minutes:.0f} of {found.lesson.minutes:g} min · {planned:g} planned up to here"


def answers_of(name: str) -> dict[int, int]:
    """What was answered: the place of the option, from 0, by the number of the step; -1 where the
    answer was shown without one.
    """
    return _answers().setdefault(name, {})


def _began() -> dict[str, float]:
    found: dict[str, float] = st.session_state.setdefault(_BEGAN, {})
    return found


def _answers() -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = st.session_state.setdefault(_ANSWERS, {})
    return found
