"""One answer in, what a person reads about it out: the arithmetic from logits to probabilities, and
what of the review the model could not read.
"""

import numpy as np
import pandas as pd
from scipy.special import softmax

from bertsent.data.cleaning import clean_and_count, removed_sentence
from bertsent.data.examples import LABELS, UNDECIDED
from bertsent.probing.loaded_model import LoadedModel, Prediction

SIGNS = {"POSITIVE": "▲", "NEGATIVE": "▼", UNDECIDED: "◇"}


def answer_label(p_positive: float) -> str:
    """The label of a probability with its sign, and how probable it is."""
    return f"{SIGNS[LABELS[int(p_positive > 0.5)]]} {plain_answer(p_positive)}"


def plain_answer(p_positive: float) -> str:
    """The label of a probability, and how probable it is: "POSITIVE 97.3 %"."""
    return f"{LABELS[int(p_positive > 0.5)]} {100 * max(p_positive, 1 - p_positive):.1f} %"


def answer_title(answer: Prediction) -> str:
    """The label with its sign and its probability; no probability where no token is known."""
    if answer.label == UNDECIDED:
        return f"{SIGNS[UNDECIDED]} {UNDECIDED}: no known word"
    return answer_label(answer.p_positive)


def softmax_steps(logits: tuple[float, float], temperature: float = 1.0) -> pd.DataFrame:
    """Softmax of z / T worked out from real logits: a row for each label (row 001-19). The column
    of z / T is there where T is not 1.
    """
    z = np.asarray(logits, np.float64)
    tempered = {"z / T": z / temperature} if temperature != 1 else {}
    name = "exp(z / T)" if tempered else "exp(z)"
    with np.errstate(over="ignore"):
        powers = np.exp(z / temperature)
    return pd.DataFrame(
        {"logit z": z, **tempered, name: powers, "share of the sum": softmax(z / temperature)},
        index=list(LABELS),
    )


def temperature_sentence(logits: tuple[float, float], temperature: float, calibrated: float) -> str:
    """What a temperature makes of an answer, and by which one the model itself was calibrated."""
    now, then = (float(softmax(np.array(logits) / t)[1]) for t in (1.0, temperature))
    said = ""
    if temperature != 1:
        said = (
            f"At T = {temperature:g} the answer is {plain_answer(then)} instead of "
            f"{plain_answer(now)}; no temperature changes the side."
        )
    if calibrated != 1:
        said += (
            f" The logits of this model are divided by T = {calibrated:.3f} already, which was "
            f"chosen on held-out reviews so that it is as often right as it is sure; "
            f"T = {1 / calibrated:.2f} takes that back."
        )
    return said.strip()


def odds_sentence(logits: tuple[float, float]) -> str:
    """What the difference of two logits means for the probabilities."""
    low, high = sorted(logits)
    label, other = (LABELS[::-1] if logits[1] > logits[0] else LABELS)[:2]
    times = np.exp(np.float64(high - low))
    odds = f"{times:,.0f}" if times >= 9.95 else f"{times:.1f}"
    return (
        f"The logit of {label} is {high - low:.2f} larger, so softmax makes {label} "
        f"exp({high - low:.2f}) = {odds} times as probable as {other}."
    )


def reading_sentence(model: LoadedModel, typed: str, answer: Prediction) -> str:
    """What of a typed review the model did not read or does not know; empty where there is no such
    thing.

    Args:
        model: the model that answered.
        typed: the review as it was typed, before it was cleaned.
        answer: its answer.
    """
    text, removed = clean_and_count(typed)
    cut = f"The review was cut at {model.max_length} tokens." if model.is_cut(text) else ""
    unknown = ""
    if answer.label == UNDECIDED:
        unknown = (
            f"No token of this review is in the model's vocabulary ({answer.unknown} × [UNK]). "
            f"The model gives every text with that many unknown tokens the same P(positive), "
            f"{100 * answer.p_positive:.1f} %, which says nothing about this review."
        )
    elif answer.unknown:
        unknown = (
            f"{answer.unknown} of {answer.tokens} tokens "
            f"{'is' if answer.unknown == 1 else 'are'} [UNK]: not in the model's vocabulary."
        )
    return " ".join(filter(None, (removed_sentence(removed), cut, unknown)))
