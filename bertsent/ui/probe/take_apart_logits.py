"""[CLS] → logits → probabilities: how the last layer's numbers become the answer."""

import streamlit as st

from bertsent.probing.answer import odds_sentence, softmax_steps
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.shared import escape_markdown

LOGITS = (
    "Logits are the two numbers that the model's last layer gives, one a label; they may have any "
    "sign and size. Softmax makes probabilities of them: exp(z) divided by the sum of both."
)


def logits_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    negative, positive = answer.logits
    return f"z = {negative:.2f} and {positive:.2f}, P(positive) = {100 * answer.p_positive:.1f} %"


def show_logits(model: LoadedModel, text: str, answer: Prediction) -> None:
    """Softmax worked out from the model's two logits."""
    st.markdown("**From logits to probabilities**", help=LOGITS)
    st.table(softmax_steps(answer.logits).map("{:.4f}".format))
    st.caption(escape_markdown(odds_sentence(answer.logits)))
