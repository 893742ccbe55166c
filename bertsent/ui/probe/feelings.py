"""Feelings: any number of them at once, each with a probability of its own, over a threshold that
one moves; and where they lie on Plutchik's wheel.
"""

import streamlit as st

from bertsent.figures.feelings import feeling_bars, feelings_wheel
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.tasks.feelings import (
    DYADS,
    FeelingsAnswer,
    answer_feelings,
)
from bertsent.ui.probe.task_models import offer_training, review_row
from bertsent.ui.shared import (
    BY_CONTENT,
    UNSEEN_BAR,
    download_menu,
    downloads_and_help,
    escape_markdown,
    plotly_chart,
    result,
)
from bertsent.ui.shared.links import linked_slider
from bertsent.ui.shared.task_tabs import FEELINGS

EXAMPLES, THRESHOLD = "feelings_examples", "feelings_threshold"
PRESETS = {  # the first is row 001-31
    "Trip and cost": "I'm excited about the trip but worried about the cost.",
    "Gift": "She remembered my birthday and drove four hours to be here.",
    "Betrayed": "He lied to my face, and I had trusted him for years.",
    "Nothing felt": "The train leaves at nine from platform two.",
}


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=BY_CONTENT)
def _answer(model: LoadedModel, text: str) -> FeelingsAnswer:
    return answer_feelings(model, text)


def show_feelings(text: str) -> None:
    """Draw the feelings in the review.

    Raises:
        BertsentError: the model does not answer.
    """
    model = review_row(PRESETS, EXAMPLES, "Model of feelings", FEELINGS)
    if model is None:
        offer_training("feelings")
        return
    answer = _answer(model, text)
    left, right = st.columns([5, 4], gap="medium")
    with left, result("feelings"):
        place = st.container()
        threshold = linked_slider("Threshold, per cent", 5, 95, 50, key=THRESHOLD, step=5) / 100
        with place:
            _show_bars(answer, model.name, threshold)
    with right:
        _show_wheel(answer, threshold)


def _show_bars(answer: FeelingsAnswer, name: str, threshold: float) -> None:
    st.subheader(escape_markdown(answer.title(threshold)), anchor=False)
    chart = feeling_bars(answer.labels, answer.probabilities, threshold)
    said = answer.sentence(threshold)
    plotly_chart(chart, key="feelings", config=UNSEEN_BAR, alt=said)
    st.caption(escape_markdown(f"{name}. {said} {answer.sum_sentence()}"))
    downloads_and_help(
        "feelings",
        chart,
        "feelings",
        ("probe", "feelings"),
        tables={"Feelings": answer.table(threshold)},
    )


def _show_wheel(answer: FeelingsAnswer, threshold: float) -> None:
    wheel = answer.on_the_wheel()
    if not wheel:
        return
    dyads = {name: (share, DYADS[name]) for name, share in answer.dyads().items()}
    over = [name for name in wheel if name in answer.given(threshold)]
    said = (
        f"On Plutchik's wheel: {', '.join(over) or 'no petal'} beyond the ring of the threshold. "
        "Opposite petals are opposite feelings."
    )
    chart = feelings_wheel(wheel, dyads, threshold)
    with result("feelings_wheel"):
        plotly_chart(chart, key="feelings-wheel", config=UNSEEN_BAR, alt=said)
        st.caption(escape_markdown(said))
        download_menu("feelings-wheel", chart, "feelings-wheel")
