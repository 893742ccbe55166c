"""The checkpoint quiz: four questions, one button, a reason for each answer, and another try."""

from collections.abc import Mapping

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
REASONS = {
    "1A": "It comes from text without labels, by guessing masked words.",
    "1B": "After pre-training nothing is random any more, and there is no classifier yet: the "
    "weights come from reading large amounts of text.",
    "1C": "Pre-training uses no labels: the model guesses masked words, so it cannot know what "
    "counts as a positive review.",
    "1D": "A pre-trained BERT has no output for sentiment, so it cannot be applied to reviews yet.",
    "2A": "The head adds no knowledge of language: the encoder below it already has that.",
    "2B": "Two outputs over a pooled vector, drawn at random.",
    "2C": "A new head has seen no review. Before the first step its answers are about as good as a "
    "coin toss.",
    "2D": "A model with a new head does answer, but at random: it must be trained before it is "
    "useful.",
    "3A": "Context and grammar were learned earlier, from text without labels; a few thousand "
    "reviews could not teach them.",
    "3B": "That was the step before: fine-tuning starts from the random weights of the head.",
    "3C": "Thousands of labelled reviews are enough, because the model already knows the language.",
    "3D": "During fine-tuning the model reads labelled reviews and is corrected; new reviews come "
    "afterwards.",
    "4A": "In production the weights no longer change: the model learns nothing there.",
    "4B": "A deployed model has learned weights in its head; with random ones it would be "
    "guessing.",
    "4C": "New reviews have no labels to learn from: learning from labels ended with fine-tuning.",
    "4D": "The weights no longer change; the model answers new reviews.",
}
_ROUND, _GIVEN = "lesson-quiz-round", "lesson-quiz-given"


def quiz() -> None:
    """Draw the questions, and the marks once they were handed in."""
    st.markdown("**Match each stage with what it is**")
    st.markdown("\n".join(f"- **{letter}** {text}" for letter, text in OPTIONS.items()))
    number = st.session_state.setdefault(_ROUND, 0)
    with st.form("lesson-quiz", border=False):
        given = {  # arrow keys choose, Tab goes on; a new round has new, empty questions
            stage: st.radio(
                f"{stage}. {text}",
                list(OPTIONS),
                index=None,
                horizontal=True,
                key=f"lesson-quiz-{number}-{stage}",
            )
            for stage, text in STAGES.items()
        }
        if st.form_submit_button("Check", type="primary", key="lesson-quiz-check"):
            st.session_state[_GIVEN] = given
    if _GIVEN in st.session_state:
        st.markdown(marks(st.session_state[_GIVEN]))
        st.button("Try again", key="lesson-quiz-again", on_click=_again)


def count_right(given: Mapping[int, str | None]) -> int:
    """How many stages have the right letter."""
    return sum(given.get(stage) == letter for stage, letter in ANSWERS.items())


def marks(given: Mapping[int, str | None]) -> str:
    """How many are right, and for each stage why its letter is right or wrong, in Markdown.

    Args:
        given: the letter chosen for each stage; anything else counts as not answered.
    """
    right = count_right(given)
    lines = [f"**{right} of {len(STAGES)} right.**\n"]
    for stage, answer in ANSWERS.items():
        letter = given.get(stage)
        reason = REASONS.get(f"{stage}{letter}")
        verdict = "right" if letter == answer else "wrong"
        lines.append(
            f"- **{stage}-{letter}** is {verdict}. {reason}"
            if reason
            else f"- **{stage}** Not answered."
        )
    return "\n".join([*lines, f"\n{CONCLUSION}"] if right == len(STAGES) else lines)


def _again() -> None:
    st.session_state[_ROUND] += 1
    st.session_state.pop(_GIVEN, None)
