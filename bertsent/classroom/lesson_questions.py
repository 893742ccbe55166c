"""What a lesson asks, at its steps and in its quiz, put to a class, and what the class said."""

from collections.abc import Sequence

from bertsent.classroom.room import Room
from bertsent.classroom.room_events import Answer, Question
from bertsent.classroom.room_state import AskedQuestion, RoomState
from bertsent.classroom.tally import is_complete
from bertsent.lessons.lesson import Lesson, LessonQuestion

SECONDS = 90  # to vote in; the teacher ends it when all have


def question_at(lesson: Lesson, number: int) -> LessonQuestion | None:
    """What a lesson asks at a place: its steps are counted from 1, and the questions of the quiz go
    on behind them. None where nothing is asked.
    """
    steps, quiz = len(lesson.steps), len(lesson.quiz)
    if 1 <= number <= steps:
        return lesson.steps[number - 1].question
    return lesson.quiz[number - steps - 1] if steps < number <= steps + quiz else None


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
    """Put a question of a lesson to the class; gives back its id in the room.

    Args:
        room: the class.
        lesson: the name of the lesson.
        step: the place of the question, as ``question_at`` counts.
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
    """The newest question that was put to the class at this place; None where none
    was, or it was taken back.
    """
    found = [
        asked
        for asked in state.questions.values()
        if not asked.withdrawn and (asked.content.lesson, asked.content.step) == (lesson, step)
    ]
    return found[-1] if found else None


def graded_in_lesson(state: RoomState, lesson: str) -> list[AskedQuestion]:
    """The questions of a lesson to which the right option is known to all, in the order asked."""
    return [
        asked
        for asked in state.questions.values()
        if asked.content.lesson == lesson
        and asked.content.truth is not None
        and is_complete(asked)
        and not asked.withdrawn
    ]


def score_in_lesson(state: RoomState, lesson: str, member: str) -> tuple[int, int]:
    """On how many questions of a lesson a member was right, and of how many."""
    graded = graded_in_lesson(state, lesson)
    votes = [(asked.votes.get(member), asked.content.truth) for asked in graded]
    return sum(vote is not None and vote.choice == truth for vote, truth in votes), len(graded)
