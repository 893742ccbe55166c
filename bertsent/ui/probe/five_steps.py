"""Five steps: how good a review says that something is, from very negative to very positive, with
the step between that two labels lack.
"""

import streamlit as st

from bertsent.figures.step_bars import step_bars
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.tasks.five_steps import StepsAnswer, answer_in_steps
from bertsent.ui.probe.task_models import offer_training, review_row
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    downloads_and_help,
    escape_markdown,
    plotly_chart,
    result,
)
from bertsent.ui.shared.task_tabs import FIVE_STEPS

EXAMPLES = "steps_examples"
PRESETS = {
    "A fact": "The film was shot in Portugal.",
    "In two minds": "Good acting, weak story, so I'm in two minds.",
    "Faint praise": "It is not the worst way to spend an evening.",
    "Praise": "A warm, funny, engaging film.",
    "The puzzle": "Great, another boring movie",
}


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def steps_of(model: LoadedModel, text: str) -> StepsAnswer:
    """The answer of a model in steps, asked once.

    Raises:
        BertsentError: the model does not answer.
    """
    return answer_in_steps(model, text)


def show_five_steps(text: str) -> None:
    """Draw the steps of the review.

    Raises:
        BertsentError: the model does not answer.
    """
    model = review_row(PRESETS, EXAMPLES, "Model of five steps", FIVE_STEPS)
    if model is None:
        offer_training("sentiment in five steps")
        return
    answer = steps_of(model, text)
    with result("five_steps"):
        st.subheader(answer.title(), anchor=False)
        chart = step_bars(answer.labels, answer.probabilities, answer.expected)
        said = answer.sentence()
        plotly_chart(chart, key="five-steps", config=UNSEEN_BAR, alt=said)
        st.caption(escape_markdown(f"{model.name}. {said}"))
        downloads_and_help(
            "five-steps",
            chart,
            "five-steps",
            ("probe", "five_steps"),
            tables={"Steps": answer.table()},
        )
