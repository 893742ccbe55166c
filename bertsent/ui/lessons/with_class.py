"""The room of a class that takes the lesson: which step it is told, and what it is asked."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from bertsent.classroom.lesson_questions import ask_class, asked_in_lesson, question_at
from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer
from bertsent.classroom.room_state import AskedQuestion
from bertsent.classroom.rooms import open_rooms
from bertsent.errors import BertsentError
from bertsent.lessons.lesson import Lesson, LessonQuestion, Step
from bertsent.lessons.markdown_sections import plain_text
from bertsent.ui.lessons.question import SHOWN, model_answer, right_option
from bertsent.ui.lessons.running import KEPT, answers_of
from bertsent.ui.shared import PUZZLE, linked_name, visitor

ROOM = "room"  # where the page Class keeps the code of the chosen room
_PLACE = f"{KEPT}class_place"


def class_room() -> Room | None:
    """The open room of the host: the one chosen on the page Class, else the newest. None for
    everybody else, and where no room is open.
    """
    if not visitor().host:
        return None
    rooms = {room.code: room for room in open_rooms()}
    newest = next(iter(rooms.values()), None)
    return rooms.get(linked_name(ROOM), newest)


def tell_class(room: Room, name: str, number: int) -> None:
    """Let the room know that this session goes to a step of a lesson, which ends a vote on another;
    an empty name ends the lesson. A second window of the host that stays where it is tells nothing.
    """
    place = (room.code, name, number)
    if st.session_state.get(_PLACE) == place:
        return
    st.session_state[_PLACE] = place
    with suppress(BertsentError):  # closed or deleted meanwhile; the lesson goes on
        state = room.look()
        now, asked = state.lesson, state.question
        if (now.lesson, now.step) != (name, number) if now else name:
            if asked and asked.content.lesson and asked.phase(time.time()) == "open":
                room.end(asked.id)
            room.show_lesson(name, number)


def minutes_with_class(room: Room, name: str) -> float | None:
    """How many minutes ago the class began the lesson; None where it takes another, or none."""
    with suppress(BertsentError):
        state = room.look()
        if state.lesson and state.lesson.lesson == name:
            return (time.time() - state.lesson_began) / 60
    return None


@dataclass(frozen=True)
class ClassQuestion:
    """A question of a lesson before the class of a room; ``number`` as ``question_at`` counts.

    Everything that it does raises BertsentError where the room was closed or deleted.
    """

    room: Room
    lesson: Lesson
    number: int

    @property
    def step(self) -> Step | None:
        """The step that asks; None for a question of the quiz."""
        return self.lesson.step(self.number)

    @property
    def question(self) -> LessonQuestion:
        """What is asked.

        Raises:
            LookupError: nothing is.
        """
        found = question_at(self.lesson, self.number)
        if found is None:
            raise LookupError(f"{self.lesson.name} asks nothing at {self.number}.")
        return found

    def asked(self) -> AskedQuestion | None:
        """The question as the class has it; None where it was not asked yet."""
        return asked_in_lesson(self.room.look(), self.lesson.name, self.number)

    def right(self) -> tuple[int | None, str]:
        """The place of the right option, and what the model said where that decides."""
        return right_option(self.step) if self.step else (self.question.right, "")

    def ask(self) -> None:
        """Put it to the class; where that was done before, the votes of then are dropped."""
        step, question, before = self.step, self.question, self.asked()
        answers = _answers(step) if step else ()
        if before:
            self.room.withdraw(before.id)
        ask_class(
            self.room,
            self.lesson.name,
            self.number,
            _plain(question),
            right=self.right()[0],
            answers=answers,
            text=_reviews(step) if step else "",
            link=_link(step) if step else "",
        )

    def reveal(self) -> None:
        """Show everybody how the class did, and what is right."""
        asked = self.asked()
        if asked:
            self.room.reveal(asked.id, 1 + len(asked.content.answers))
        self.show()

    def show(self) -> None:
        """Let this session see what is right."""
        answers_of(self.lesson.name).setdefault(self.number, SHOWN)

    def shown(self) -> bool:
        """Whether this session, or the whole class, sees what is right."""
        if self.number in answers_of(self.lesson.name):
            return True
        with suppress(BertsentError):
            asked = self.asked()
            return asked is not None and bool(asked.revealed)
        return False


def _plain(question: LessonQuestion) -> LessonQuestion:
    """A question without markup, as phones show it."""
    options = tuple(plain_text(option) for option in question.options)
    return replace(question, text=plain_text(question.text), options=options)


def _reviews(step: Step) -> str:
    """What a question about the page's answer quotes on the phones: the review of the link, or the
    two that it compares; nothing where the page hides no answer.
    """
    if step.question is not None and step.question.right is None:
        return step.value("text", PUZZLE)
    if not step.hide:
        return ""
    pair = [step.value(name, "") for name in ("pair_first", "pair_second")]
    return "\n".join(filter(None, pair)) or step.value("text", "")


def _link(step: Step) -> str:
    page = "" if step.page == "Home" else step.page
    return f"/{page}?{urlencode(step.query(), doseq=True)}"


def _answers(step: Step) -> tuple[Answer, ...]:
    """What the model of the step says, where it is the model that decides."""
    if step.question is None or step.question.right is not None:
        return ()
    place = right_option(step)[0]
    if place is None:
        return ()
    name, answer = model_answer(step)
    return (Answer(name, place, max(answer.p_positive, 1 - answer.p_positive)),)
