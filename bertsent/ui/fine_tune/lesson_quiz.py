"""The checkpoint quiz: four questions, one button, a reason for each answer, and another try."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

STAGES = {
    1: "Pre-trained BERT learns",
    2: "Adding a classification head is",
    3: "Fine-tuning on IMDb learns",
    4: "Deployment is to",
}
OPTIONS = {
    "A": "General language understanding (context, grammar, meaning)",
    "B": "Random initialisation for sentiment classification",
    "C": "Sentiment-specific patterns from labelled data",
    "D": "Apply to new reviews in production",
}
ANSWERS = {1: "A", 2: "B", 3: "C", 4: "D"}
CONCLUSION = (
    "Only the head starts from random weights: BERT is not trained from scratch for sentiment."
)
_WRONG = {
    (
        1,
        "B",
    ): "After pre-training nothing is random any more, and there is no classifier yet: the "
    "weights come from reading large amounts of text.",
    (
        1,
        "C",
    ): "Pre-training uses no labels: the model guesses masked words, so it cannot know what "
    "counts as a positive review.",
    (
        1,
        "D",
    ): "A pre-trained BERT has no output for sentiment, so it cannot be applied to reviews yet.",
    (
        2,
        "A",
    ): "The head adds no knowledge of language: the encoder below it already has that.",
    (
        2,
        "C",
    ): "A new head has seen no review. Before the first step its answers are about as good as a "
    "coin toss.",
    (
        2,
        "D",
    ): "A model with a new head does answer, but at random: it must be trained before it is "
    "useful.",
    (
        3,
        "A",
    ): "Context and grammar were learned earlier, from text without labels; a few thousand reviews "
    "could not teach them.",
    (
        3,
        "B",
    ): "That was the step before: fine-tuning starts from the random weights of the head.",
    (
        3,
        "D",
    ): "During fine-tuning the model reads labelled reviews and is corrected; new reviews come "
    "afterwards.",
    (
        4,
        "A",
    ): "In production the weights no longer change: the model learns nothing there.",
    (
        4,
        "B",
    ): "A deployed model has learned weights in its head; with random ones it would be guessing.",
    (
        4,
        "C",
    ): "New reviews have no labels to learn from: learning from labels ended with fine-tuning.",
}
_RIGHT = {
    1: "from text without labels, by guessing masked words.",
    2: "two outputs over a pooled vector, drawn at random.",
    3: "thousands of labelled reviews are enough, because the model already knows the language.",
    4: "the weights no longer change; the model answers new reviews.",
}


@dataclass(frozen=True)
class Mark:
    """One stage, graded: ``given`` is None where it was not answered, ``why`` says why it is right
    or wrong.
    """

    stage: int
    given: str | None
    right: bool
    why: str


def grade(given: Mapping[int, str | None]) -> tuple[Mark, ...]:
    """A mark for each of the four stages, in their order.

    Args:
        given: the letter chosen for each stage; one that is missing, None, or no letter of the four
            counts as not answered.
    """
    return tuple(_mark(stage, given.get(stage)) for stage in STAGES)


def count_right(marks: tuple[Mark, ...]) -> int:
    """How many are right."""
    return sum(mark.right for mark in marks)


def _mark(stage: int, letter: str | None) -> Mark:
    if letter not in OPTIONS:
        return Mark(stage, None, False, "Not answered.")
    right = letter == ANSWERS[stage]
    return Mark(stage, letter, right, _RIGHT[stage] if right else _WRONG[stage, letter])


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
        _show_marks(grade(st.session_state[_GIVEN]))
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


def _show_marks(marks: tuple[Mark, ...]) -> None:
    right = count_right(marks)
    text = f"**{right} of {len(marks)} right.** " + (CONCLUSION if right == len(marks) else "")
    st.markdown(text)
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
