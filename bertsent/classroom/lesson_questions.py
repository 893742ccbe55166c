"""What a step of a lesson asks, put to a class, and what the class said to it."""

from collections.abc import Sequence

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.lessons.lesson import LessonQuestion

SECONDS = 45  # to vote in


def ask_class(
    room: Room,
    lesson: str,
    step: int,
    question: LessonQuestion,
    *,
    seconds: int = SECONDS,
    right: int | None = None,
    answers: Sequence[Answer] = (),
    text: str = "",
    link: str = "",
    model: str = "",
) -> str:
    """Put the question of a step to the class; gives back its id in the room.

    Args:
        room: the class.
        lesson: the name of the lesson.
        step: which of its steps asks.
        question: what is asked.
        seconds: to vote in.
        right: the place of the right option, where the model of the step said it; else that of the
            question.
        answers: what models say, in the order of the reveal.
        text: the review that it is about.
        link: where the lab shows it.
        model: which one is asked last.

    Raises:
        BadInput: too few options, or no time to vote.
        Busy: too many questions in one room.
        NotAvailable: the room was closed or deleted.
    """
    truth = question.right if right is None else right
    return room.ask(
        Question(
            "lesson",
            question.text,
            question.options,
            seconds,
            text=text,
            link=link,
            answers=tuple(answers),
            truth=truth,
            model=model,
            lesson=lesson,
            step=step,
        )
    )


def asked_in_lesson(state: RoomState, lesson: str, step: int) -> AskedQuestion | None:
    """The newest question that this step put to the class; None where it did not, or took it
    back.
    """
    found = [
        asked
        for asked in state.questions.values()
        if not asked.withdrawn and (asked.content.lesson, asked.content.step) == (lesson, step)
    ]
    return found[-1] if found else None
