"""Answer: the label of one review with its probability, and below it the way there, taken apart."""

import streamlit as st

from bertsent.data.examples import UNDECIDED
from bertsent.figures.classification import probability_bar
from bertsent.probing.answer import (
    answer_title,
    reading_sentence,
)
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.probing.tasks.five_steps import doubt_sentence
from bertsent.ui.probe.five_steps import steps_of
from bertsent.ui.probe.take_apart.parts import part_presented, show_parts
from bertsent.ui.probe.task_models import load_task_model, task_choices
from bertsent.ui.shared import escape_markdown, result
from bertsent.ui.shared.live_answer import live_answer
from bertsent.ui.shared.task_tabs import FIVE_STEPS, PROBE_TAB


def show_answer(model: LoadedModel, text: str) -> None:
    """Ask the model and draw what it says, with the time it took.

    Raises:
        BertsentError: the model does not answer.
    """
    found = live_answer(model, text)
    answer = found.prediction
    tokens = model.tokens(text)
    said = reading_sentence(model, st.session_state.get("text") or text, answer)
    with st.container() if part_presented() else result("answer"):
        _show_verdict(model, answer, f"{found.milliseconds:.0f} ms · {len(tokens)} tokens. {said}")
        _show_doubt(answer, text)
    show_parts(model, text, answer)


def _show_verdict(model: LoadedModel, answer: Prediction, note: str) -> None:
    st.subheader(answer_title(answer), anchor=False)
    if answer.label != UNDECIDED:
        st.html(probability_bar(answer.p_positive))
    st.caption(escape_markdown(f"{model.name} · {note}"))


def _show_doubt(answer: Prediction, text: str) -> None:
    """What speaks against taking a side, with the way to the tab that has a word for neither."""
    if answer.label == UNDECIDED:
        return
    names = list(task_choices(FIVE_STEPS))
    steps = steps_of(load_task_model(names[0], FIVE_STEPS), text) if names else None
    if said := doubt_sentence(answer, steps):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f":material/balance: {escape_markdown(said)}", width="content")
            if steps:
                st.button(
                    "See the five steps",
                    key="doubt_steps",
                    type="tertiary",
                    on_click=lambda: st.session_state.update({PROBE_TAB: FIVE_STEPS.name}),
                )
