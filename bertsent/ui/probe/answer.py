"""Answer: the label of one review, both probabilities, and how the logits became them."""

import time

import pandas as pd
import streamlit as st

from bertsent.data.examples import UNDECIDED
from bertsent.figures.classification import probability_bar
from bertsent.probing.answer import answer_title, reading_sentence, softmax_steps
from bertsent.probing.loaded_model import LoadedModel
from bertsent.probing.micro_batching import micro_batcher
from bertsent.ui.shared import escape_markdown


def show_answer(model: LoadedModel, text: str) -> None:
    """Ask the model and draw what it says, with the time it took.

    Raises:
        BertsentError: the model does not answer.
    """
    began = time.perf_counter()
    answer = micro_batcher(model).predict(model, text)
    milliseconds = (time.perf_counter() - began) * 1000
    tokens = model.tokens(text)
    with st.container(border=True, key="result_answer"):
        st.subheader(answer_title(answer), anchor=False)
        if answer.label != UNDECIDED:
            st.plotly_chart(
                probability_bar(answer.p_positive),
                key="probability",
                config={"displayModeBar": False},
                alt=f"P(negative) {100 - 100 * answer.p_positive:.1f} %, "
                f"P(positive) {100 * answer.p_positive:.1f} %",
            )
        note = reading_sentence(model, st.session_state.get("text") or text, answer)
        st.caption(
            escape_markdown(f"{model.name} · {milliseconds:.0f} ms · {len(tokens)} tokens. {note}")
        )
    st.markdown("**From logits to probabilities**")
    st.table(softmax_steps(answer.logits).map("{:.4f}".format))
    st.caption(
        "Softmax: exp(z) divided by the sum of both. The two logits are the output of the linear "
        "head on the pooled vector."
    )
    with st.expander("The review as the model reads it"):
        st.dataframe(
            pd.DataFrame(
                {"position": range(len(tokens)), "token": tokens.pieces, "id": tokens.ids}
            ),
            hide_index=True,
        )
