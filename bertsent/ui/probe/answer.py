"""One model's answer to one review: the label, both probabilities, and how the logits became
them.
"""

import time

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.figures.classification import probability_bar
from bertsent.probing.micro_batching import micro_batcher


def show_answer(learner, text: str) -> None:  # noqa: ANN001 - a LoadedModel; torch is loaded on use
    """Ask ``learner`` and draw what it says, with the time it took."""
    began = time.perf_counter()
    answer = micro_batcher(learner).predict(text)
    milliseconds = (time.perf_counter() - began) * 1000
    tokens = learner.tokens(text)
    probability = max(answer.p_positive, 1 - answer.p_positive)
    sign = "▲" if answer.label == "POSITIVE" else "▼"
    with st.container(border=True):
        st.subheader(f"{sign} {answer.label} {probability:.1%}", anchor=False)
        st.plotly_chart(
            probability_bar(answer.p_positive),
            key="probability",
            config={"displayModeBar": False},
            alt=f"P(negative) {1 - answer.p_positive:.1%}, P(positive) {answer.p_positive:.1%}",
        )
        cut = len(tokens) == learner.max_length
        note = f" The review was cut at {learner.max_length} tokens." if cut else ""
        st.caption(f"{learner.name} · {milliseconds:.0f} ms · {len(tokens)} tokens.{note}")
    _arithmetic(answer.logits)
    with st.expander("The review as the model reads it"):
        st.dataframe(
            pd.DataFrame(
                {"position": range(len(tokens)), "token": tokens.pieces, "id": tokens.ids}
            ),
            hide_index=True,
        )


def _arithmetic(logits: tuple[float, float]) -> None:
    """Softmax worked out from the real logits, in the columns of row 001-19."""
    powers = np.exp(logits)
    rows = {"logit z": logits, "exp(z)": powers, "share of the sum": powers / powers.sum()}
    st.markdown("**From logits to probabilities**")
    st.table(pd.DataFrame(rows, index=list(LABELS)).map("{:.4f}".format))
    total = f"{powers[0]:.4f} + {powers[1]:.4f} = {powers.sum():.4f}"
    st.caption(
        f"Softmax: exp(z) divided by the sum of both, {total}. The two logits are the output of "
        "the linear head on the pooled vector."
    )
