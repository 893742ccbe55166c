"""Five steps: how good a review says that something is, from very negative to very positive, with
the step between that two labels lack.
"""

import streamlit as st

from bertsent.figures.step_bars import step_bars
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.tasks.five_steps import StepsAnswer, answer_in_steps, asks_for_steps
from bertsent.ui.probe.task_models import (
    choose_task_model,
    offer_training,
    show_head_scores,
)
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    choose_review,
    downloads_and_help,
    escape_markdown,
    plotly_chart,
    result,
)

MODEL, EXAMPLES = "steps_model", "steps_examples"
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
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.menu_button(
            "More examples",
            list(PRESETS),
            key=EXAMPLES,
            type="tertiary",
            on_click=lambda: choose_review(PRESETS[st.session_state[EXAMPLES]]),
        )
        model = choose_task_model("Model of five steps", asks_for_steps, MODEL)
        show_head_scores(model)
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
