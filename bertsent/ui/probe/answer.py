"""Answer: the label of one review, both probabilities, and how the logits became them."""

import time

import pandas as pd
import streamlit as st

from bertsent.data.examples import UNDECIDED
from bertsent.figures.classification import probability_bar
from bertsent.probing.answer import (
    answer_title,
    odds_sentence,
    reading_sentence,
    softmax_steps,
)
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.probing.micro_batching import micro_batcher
from bertsent.ui.shared import escape_markdown, result

TABLE = 260  # pixels of the table of tokens at the most
LOGITS = (
    "Logits are the two numbers that the model's last layer gives, one a label; they may have any "
    "sign and size. Softmax makes probabilities of them: exp(z) divided by the sum of both."
)
TOKENS = (
    "Word pieces of the model's vocabulary with their numbers in it. [CLS] begins every review, "
    "[SEP] ends it, ## continues a word, [UNK] is unknown."
)


def show_answer(model: LoadedModel, text: str) -> None:
    """Ask the model and draw what it says, with the time it took.

    Raises:
        BertsentError: the model does not answer.
    """
    began = time.perf_counter()
    answer = micro_batcher(model).predict(model, text)
    milliseconds = (time.perf_counter() - began) * 1000
    tokens = model.tokens(text)
    said = reading_sentence(model, st.session_state.get("text") or text, answer)
    with result("answer"):
        _show_verdict(model, answer, f"{milliseconds:.0f} ms · {len(tokens)} tokens. {said}")
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown("**From logits to probabilities**", help=LOGITS)
            st.table(softmax_steps(answer.logits).map("{:.4f}".format))
            st.caption(escape_markdown(odds_sentence(answer.logits)))
        with right:
            st.markdown("**The review as the model reads it**", help=TOKENS)
            st.dataframe(
                pd.DataFrame(
                    {"position": range(len(tokens)), "token": tokens.pieces, "id": tokens.ids}
                ),
                hide_index=True,
                height=min(TABLE, 38 + 35 * len(tokens)),
            )


def _show_verdict(model: LoadedModel, answer: Prediction, note: str) -> None:
    st.subheader(answer_title(answer), anchor=False)
    if answer.label != UNDECIDED:
        st.html(probability_bar(answer.p_positive))
    st.caption(escape_markdown(f"{model.name} · {note}"))
