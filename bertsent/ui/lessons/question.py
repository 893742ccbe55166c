"""The question of a step: predict first, then see what is right, and why."""

from typing import TYPE_CHECKING, Literal

import streamlit as st

from bertsent.errors import BertsentError
from bertsent.lessons.lesson import LessonQuestion, Step
from bertsent.probing.registry import BUILTIN
from bertsent.ui.lessons.running import RunningLesson, answers_of
from bertsent.ui.shared import PUZZLE, escape_markdown, loaded_model
from bertsent.ui.shared.live_answer import live_answer

if TYPE_CHECKING:
    from bertsent.probing.loaded_model import Prediction

SHOWN = -1  # instead of an option: nobody chose one
_MARKS = {True: ":material/check_circle:", False: ":material/radio_button_unchecked:"}


def is_answered(found: RunningLesson) -> bool:
    """Whether the question of the step is answered, or there is none."""
    step = found.step
    asks = step is not None and step.question is not None
    return not asks or found.number in answers_of(found.lesson.name)


def show_question(found: RunningLesson, question: LessonQuestion) -> None:
    """Draw the options as buttons; once one was pressed, what is right and why."""
    st.markdown(question.text)
    given = answers_of(found.lesson.name).get(found.number)
    if given is None:
        for place, option in enumerate(question.options):
            answer_button(found, option, place, key=f"player_option_{found.number}_{place}")
        answer_button(found, "Show the answer", SHOWN, key="player_show", kind="tertiary")
        return
    show_marked(question, given, *(right_option(found.step) if found.step else (None, "")))


def show_marked(question: LessonQuestion, given: int, right: int | None, said: str) -> None:
    """Draw what is right and why, after an answer.

    Args:
        question: what was asked.
        given: the place of the chosen option, or ``SHOWN``.
        right: that of the right one, None where nobody knows.
        said: what the model said, where that decides.
    """
    for place, option in enumerate(question.options):
        st.markdown(option_line(option, right=place == right, given=place == given))
    verdict = "**Right.**" if given == right else "**Not quite.**"
    if given == SHOWN or right is None:
        verdict = ""
    st.markdown(reason_text(verdict, said, question.reason))


def reason_text(*sentences: str) -> str:
    """What is said after the answer, in one paragraph."""
    return " ".join(filter(None, sentences))


def option_line(option: str, *, right: bool, given: bool) -> str:
    """An option after the answer: whether it is the right one and whether it was chosen."""
    notes = [word for word, holds in (("right", right), ("your answer", given)) if holds]
    text = f"**{option}**" if right else option
    return f"{_MARKS[right]} {text}" + (f" · {', '.join(notes)}" if notes else "")


def right_option(step: Step) -> tuple[int | None, str]:
    """The place of the right option, from 0, and what the model said where it is the model that
    decides. None where it does not answer, or gives an answer that is no option.
    """
    question = step.question
    if question is None or question.right is not None:
        return (question.right if question else None), ""
    try:
        answer = model_answer(step)[1]
    except BertsentError as error:
        return None, escape_markdown(str(error))
    from bertsent.probing.answer import answer_title

    label = answer.label.capitalize()
    place = question.options.index(label) if label in question.options else None
    return place, f"The model says {escape_markdown(answer_title(answer))}."


def model_answer(step: Step) -> "tuple[str, Prediction]":
    """The name of the model of the step's link, and its answer to the review of that link.

    Raises:
        BertsentError: it is not there, or does not answer.
    """
    name, checkpoint = step.value("model", BUILTIN), step.value("step", "")
    model = loaded_model(f"{name}/step-{checkpoint}" if checkpoint else name)
    return model.name, live_answer(model, step.value("text", PUZZLE)).prediction


def answer_button(
    found: RunningLesson,
    label: str,
    place: int,
    *,
    key: str,
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """A button that answers the question of the step with the option at ``place``, or ``SHOWN``."""

    def answer() -> None:
        answers_of(found.lesson.name)[found.number] = place

    st.button(label, key=key, on_click=answer, width="stretch", type=kind)
