"""The model as it is, or as it was before its fine-tuning: every part is drawn of either."""

from dataclasses import dataclass

import streamlit as st

from bertsent.errors import NotAvailable
from bertsent.probing.answer import answer_title
from bertsent.probing.before_fine_tuning import Beginning, beginning
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.probing.micro_batching import micro_batcher
from bertsent.ui.shared import choose
from bertsent.ui.shared.model_picker import chosen_model

AS_IT_IS, BEFORE = "As it is", "Before fine-tuning"
WHEN = "when"  # of the link


@dataclass(frozen=True)
class TakenApart:
    """The model that is taken apart, the review and its answer; where it is not the model of the
    review bar, what it is in words and as the beginning of that one.
    """

    model: LoadedModel
    text: str
    answer: Prediction
    note: str = ""
    began: Beginning | None = None


def choose_when(model: LoadedModel, text: str, answer: Prediction) -> TakenApart:
    """Draw the choice, where it is known how the model began.

    Raises:
        BertsentError: the model as it was before cannot be loaded.
    """
    now = TakenApart(model, text, answer)
    try:
        began = beginning(chosen_model())
    except NotAvailable as error:
        wanted = st.session_state.get(WHEN) == BEFORE or st.query_params.get(WHEN) == BEFORE
        return TakenApart(model, text, answer, error.what) if wanted else now
    if choose("When", (AS_IT_IS, BEFORE), WHEN, label_visibility="collapsed") != BEFORE:
        return now
    first = untrained_model(began, model.max_length)
    then = micro_batcher(first).predict(first, text)
    note = f"{began.sentence()} Then: {answer_title(then)}. As it is: {answer_title(answer)}."
    return TakenApart(first, text, then, note, began)


@st.cache_resource(max_entries=2, show_spinner="Loading the model …")
def untrained_model(began: Beginning, max_length: int) -> LoadedModel:
    """The model of that beginning, shared by everybody.

    Raises:
        BertsentError: it cannot be loaded.
    """
    return began.load(max_length)
