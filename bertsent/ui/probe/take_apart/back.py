"""Back: from the loss to the gradient at the logits, the classifier, the attention weights and the
words, and what one step of training would do to the answer.
"""

import numpy as np
import pandas as pd
import streamlit as st

from bertsent.data.examples import LABELS
from bertsent.figures.gradients import gradient_input_bars
from bertsent.figures.vector_strips import vector_strips
from bertsent.probing.forward_pass.attention_gradient import most_moved
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.backward_rules import softmax_jacobian
from bertsent.probing.forward_pass.comparison import worst
from bertsent.probing.forward_pass.gradient_sentences import error_sentence, words_sentence
from bertsent.probing.forward_pass.own_gradients import OwnGradients, compare_gradient
from bertsent.probing.loaded_model import LoadedModel, Prediction
from bertsent.ui.probe.take_apart.back_attention import show_attention
from bertsent.ui.probe.take_apart.back_step import show_step
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.figure import ROW, show_checked
from bertsent.ui.probe.take_apart.gradients import autograd, computed_gradients
from bertsent.ui.probe.take_apart.label import choose_label
from bertsent.ui.probe.take_apart.stretch import choose_stretch
from bertsent.ui.shared import result
from bertsent.written_numbers import written

ERROR = (
    "A gradient says how fast the loss grows when a number grows. At the logits it is what the "
    "model says minus what is true, ŷ − y."
)
WORDS = (
    "Gradient times input: the gradient of the loss at the vector of a word, times that vector, "
    "summed over its width. It tells, to first order, what more of this word would do to the loss."
)


def back_line(model: LoadedModel, text: str, answer: Prediction) -> str:
    """What the folded line says."""
    return f"from ŷ − y to the vectors of {len(model.tokens(text))} tokens, and one step of AdamW"


def show_back(model: LoadedModel, text: str, answer: Prediction) -> None:
    """The gradients from the end to the beginning, and a step with them.

    Raises:
        NotAvailable: the model is of a family whose way back is not worked out here.
    """
    label = choose_label("back", text, answer)
    use_in_code(label=label)
    passed = computed_gradients(model, text, label)
    # of the layer that is shown at first, so that autograd is asked once
    own = autograd(model, text, label, most_moved(passed)[0])
    with result("back_logits"):
        _show_error(passed, own)
    show_attention(model, text, passed)
    with result("back_words"):
        _show_words(passed, own)
    show_step(model, text, passed)


def _show_error(passed: BackwardPass, own: OwnGradients) -> None:
    st.markdown("**The error, and what it asks of the classifier**", help=ERROR)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.table(_error_table(passed).map(_written))
        st.caption("The softmax Jacobian, ∂ŷᵢ/∂zⱼ = ŷᵢ (δᵢⱼ − ŷⱼ):")
        st.table(_jacobian(passed).map(_written))
    vectors = {
        "h": passed.forward.after_pooler,
        "∂L/∂W NEGATIVE": passed.classifier.weight[0],
        "∂L/∂W POSITIVE": passed.classifier.weight[1],
    }
    error, classifier = float(passed.logits[1]), passed.classifier
    compared = [
        compare_gradient("z", passed.logits, own.logits, error),
        compare_gradient("W", classifier.weight, own.classifier_weight, error),
        compare_gradient("b", classifier.bias, own.classifier_bias, error),
    ]
    with right:
        show_checked(
            vector_strips(vectors, row=ROW),
            "back_classifier",
            error_sentence(passed),
            "take_apart_back",
            worst("∂L/∂z, ∂L/∂W, ∂L/∂b", compared),
        )


def _written(number: float) -> str:
    return written(number, ".4f")


def _error_table(passed: BackwardPass) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "ŷ": passed.forward.probabilities,
            "y": np.eye(2)[passed.label],
            "∂L/∂z = ŷ − y": passed.logits,
            "∂L/∂b": passed.classifier.bias,
        },
        index=list(LABELS),
    )


def _jacobian(passed: BackwardPass) -> pd.DataFrame:
    return pd.DataFrame(
        softmax_jacobian(passed.forward.probabilities),
        index=[f"ŷ {label}" for label in LABELS],
        columns=[f"z {label}" for label in LABELS],
    )


def _show_words(passed: BackwardPass, own: OwnGradients) -> None:
    st.markdown("**At the words**", help=WORDS)
    inputs, values = passed.forward.inputs, passed.gradient_times_input
    largest = int(np.abs(values).argmax())
    drawn = choose_stretch(len(inputs), "back_words_drawn", largest)
    error = float(passed.logits[1])
    show_checked(
        gradient_input_bars(inputs.pieces[drawn], values[drawn], first=drawn.start + 1),
        "back_words_bars",
        words_sentence(inputs.pieces, values, inputs.special),
        "take_apart_back_words",
        compare_gradient("∂L/∂ word vectors", passed.summed, own.words, error),
        tables={"All tokens": lambda: _words_table(passed)},
    )


def _words_table(passed: BackwardPass) -> pd.DataFrame:
    inputs = passed.forward.inputs
    return pd.DataFrame(
        {
            "position": range(1, len(inputs) + 1),
            "token": inputs.pieces,
            "gradient × input": passed.gradient_times_input,
            "length of the gradient": np.linalg.norm(passed.summed, axis=-1),
        }
    )
