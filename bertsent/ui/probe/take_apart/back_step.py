"""One step of AdamW on this one review: the answer after it beside the untouched one."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from scipy.special import softmax

from bertsent.figures.classification import probability_bar
from bertsent.figures.gradients import learning_rate_ladder
from bertsent.probing.forward_pass.adamw_step import (
    RATES,
    USUAL_RATE,
    FirstStep,
    StepTrains,
    logits_after_steps,
)
from bertsent.probing.forward_pass.backward_pass import BackwardPass
from bertsent.probing.forward_pass.comparison import compare
from bertsent.probing.forward_pass.cross_entropy import cross_entropy
from bertsent.probing.forward_pass.gradient_sentences import rates_sentence, step_sentence
from bertsent.probing.forward_pass.own_step import LARGEST, own_logits_after_step
from bertsent.probing.loaded_model import LoadedModel
from bertsent.training.config import TRAINS
from bertsent.ui.probe.take_apart.checks import show_check
from bertsent.ui.probe.take_apart.code import use_in_code
from bertsent.ui.probe.take_apart.gradients import computed_gradients
from bertsent.ui.shared import (
    BY_CONTENT,
    LINKED,
    escape_markdown,
    result,
    show_figure,
    show_help,
)
from bertsent.ui.shared.links import linked_segments
from bertsent.ui.shared.review_numbers import computed_pass

TOLERANCE = 5e-3  # of logits: the sign of a gradient near 0 depends on rounding
STEP = (
    "One update of the weights, with this review as the whole batch, on a copy: the model of this "
    "page stays as it is."
)
ALL_RATES = "The same step at every learning rate, each from the untouched model."
_TRAINS: tuple[StepTrains, ...] = ("everything", "head")


def show_step(model: LoadedModel, text: str, passed: BackwardPass) -> None:
    """The answer before and after the step, and on request after steps of other lengths."""
    with result("back_step"):
        st.markdown("**One step of AdamW**", help=STEP)
        step, trains, all_rates = _choices()
        use_in_code(learning_rate=step.learning_rate, trains=trains)
        before = passed.forward.logits
        after = _after(model, text, passed.label, (step.learning_rate,), trains)[0]
        named = {"Untouched": before, "After the step": after}
        for place, (name, logits) in zip(st.columns(2, gap="large"), named.items(), strict=True):
            place.caption(name)
            place.html(probability_bar(float(softmax(logits)[1])))
        st.caption(escape_markdown(step_sentence(before, after, passed.label, step, trains)))
        _check(model, text, passed.label, after, step, trains)
        show_help("probe", "take_apart_back_step")
    if all_rates:
        with result("back_rates"):
            _show_rates(model, text, passed, step, trains)


def _choices() -> tuple[FirstStep, StepTrains, bool]:
    with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
        rate = st.select_slider(
            "Learning rate",
            RATES,
            USUAL_RATE,
            format_func=lambda rate: f"{rate:.0e}".replace("e-0", "e-"),
            key="step_rate",
            width=320,
            **LINKED,
        )
        names: dict[str, str] = {trains: TRAINS[trains] for trains in _TRAINS}
        chosen = linked_segments("What trains", names, key="step_trains")
        all_rates = st.toggle("Every learning rate", key="step_rates", help=ALL_RATES, **LINKED)
    trains: StepTrains = "head" if chosen == "head" else "everything"
    return FirstStep(rate), trains, all_rates


def _check(
    model: LoadedModel,
    text: str,
    label: int,
    after: np.ndarray,
    step: FirstStep,
    trains: StepTrains,
) -> None:
    own = _own_after(model, text, label, step.learning_rate, trains)
    if own is None:
        st.caption(f"Not compared: a copy of this model has more than {LARGEST:,} weights.")
        return
    show_check(compare("Logits after torch.optim.AdamW", after, own, TOLERANCE))


def _show_rates(
    model: LoadedModel, text: str, passed: BackwardPass, step: FirstStep, trains: StepTrains
) -> None:
    st.markdown("**The same step at every learning rate**")
    logits = _after(model, text, passed.label, RATES, trains)
    before = passed.forward.logits
    losses = [cross_entropy(each, passed.label) for each in logits]
    untouched = cross_entropy(before, passed.label)
    show_figure(
        learning_rate_ladder(
            RATES,
            softmax(logits, axis=-1)[:, 1].tolist(),
            float(softmax(before)[1]),
            step.learning_rate,
            passed.label,
        ),
        "back_ladder",
        "learning-rates",
        rates_sentence(RATES, losses, untouched, passed.label),
    )


@st.cache_data(max_entries=64, show_spinner="Taking the step …", hash_funcs=BY_CONTENT)
def _after(
    model: LoadedModel, text: str, label: int, rates: Sequence[float], trains: StepTrains
) -> np.ndarray:
    """(n, 2): the logits after a step at each rate."""
    steps = [FirstStep(rate) for rate in rates]
    return logits_after_steps(computed_gradients(model, text, label), steps, trains)


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=BY_CONTENT)
def _own_after(
    model: LoadedModel, text: str, label: int, rate: float, trains: StepTrains
) -> np.ndarray | None:
    inputs = computed_pass(model, text).inputs
    return own_logits_after_step(model, inputs, label, FirstStep(rate), trains)
