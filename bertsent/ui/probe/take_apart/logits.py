"""[CLS] → logits → probabilities: how the last layer's numbers become the answer."""

import numpy as np
import streamlit as st
from scipy.special import softmax

from bertsent.figures.classification import probability_bar
from bertsent.figures.logit_profile import logit_profile
from bertsent.figures.vector_strips import vector_strips
from bertsent.probing.answer import odds_sentence, softmax_steps, temperature_sentence
from bertsent.probing.forward_pass.comparison import compare, worst
from bertsent.probing.forward_pass.forward_pass import ForwardPass
from bertsent.probing.forward_pass.logit_shares import LogitShares, logit_shares, pooler_sentence
from bertsent.probing.forward_pass.own_numbers import OwnNumbers
from bertsent.probing.forward_pass.written import signed
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.figure import ROW, show_checked
from bertsent.ui.shared import LINKED, escape_markdown, result, show_errors
from bertsent.ui.shared.review_numbers import computed_own, computed_pass

LOGITS = (
    "Logits are the two numbers that the model's last layer gives, one a label; they may have any "
    "sign and size. Softmax makes probabilities of them: exp(z) divided by the sum of both."
)
SHARES = (
    "h is what the classifier reads. Each of its numbers is multiplied by the number of W in the "
    "same place; drawn is the row of POSITIVE minus that of NEGATIVE, because only the difference "
    "of the two logits counts."
)
TEMPERATURES = 0.25, 4.0
TEMPERATURE = (
    "Logits are divided by T before the softmax. Above 1 the answer becomes less sure, below 1 "
    "surer; 1 changes nothing (Guo et al. 2017)."
)


def logits_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    negative, positive = answer.logits
    return (
        f"z = {signed(negative)} and {signed(positive)}, P(positive) = "
        f"{100 * answer.p_positive:.1f} %"
    )


def show_logits(model: LoadedModel, text: str, answer: Prediction) -> None:
    """The two rows of products behind the logits, and softmax worked out from them."""
    with show_errors():
        passed, own = computed_pass(model, text), computed_own(model, text)
        if passed.weights.pooler is not None:
            with result("logits_pooler"):
                _show_pooler(passed, own)
        with result("logits_shares"):
            _show_shares(logit_shares(passed), passed, own)
    with result("logits_softmax"):
        _show_softmax(model, answer)


def _show_pooler(passed: ForwardPass, own: OwnNumbers) -> None:
    """What stands between [CLS] and the classifier of a stock checkpoint."""
    sentence = pooler_sentence(passed)
    vectors = {"[CLS]": passed.pooled, "after the pooler": passed.after_pooler}
    st.markdown("**The pooler**")
    check = compare("Pooler", passed.after_pooler, own.after_pooler)
    show_checked(
        vector_strips(vectors, row=ROW), "logits_pooled", sentence, "take_apart_logits", check
    )


def _show_shares(shares: LogitShares, passed: ForwardPass, own: OwnNumbers) -> None:
    st.markdown("**What each number adds: W h + b**", help=SHARES)
    compared = [
        compare("h", passed.after_pooler, own.after_pooler),
        compare("z", shares.logits, own.logits),
    ]
    show_checked(
        logit_profile(shares.vector, shares.row),
        "logits_products",
        shares.sentence(),
        "take_apart_logits",
        worst("h and z", compared),
        tables={"All numbers": shares.table},
    )


def _show_softmax(model: LoadedModel, answer: Prediction) -> None:
    st.markdown("**From logits to probabilities**", help=LOGITS)
    left, right = st.columns(2, gap="large")
    with left:
        temperature = st.slider(
            "Temperature T",
            *TEMPERATURES,
            1.0,
            0.05,
            key="softmax_t",
            help=TEMPERATURE,
            **LINKED,
        )
        steps = softmax_steps(answer.logits, temperature)
        st.table(steps.map("{:.4f}".format))
    use_in_code(temperature=temperature)
    negative, positive = (logit / temperature for logit in answer.logits)
    with right:
        st.html(probability_bar(float(steps["share of the sum"].iloc[1])))
        st.caption(escape_markdown(odds_sentence((negative, positive))))
        if said := temperature_sentence(answer.logits, temperature, model.temperature):
            st.caption(escape_markdown(said))
        own = [1 - answer.p_positive, answer.p_positive]
        show_check(compare("Softmax at T = 1", softmax(np.array(answer.logits)), own))
