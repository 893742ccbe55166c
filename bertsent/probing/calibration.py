"""Answers and truths in, how far the confidence can be believed out: expected calibration error and
the temperature that mends it.

Guo, Pleiss, Sun and Weinberger (2017), "On Calibration of Modern Neural Networks", sections 2 and
4.2.
"""

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from bertsent.errors import BadInput

BINS = 15


def expected_calibration_error(
    p_positive: np.ndarray, labels: np.ndarray, bins: int = BINS
) -> float:
    """The mean distance of confidence and accuracy over equally wide bins of confidence, weighted
    by their reviews; 0 is perfect.

    Args:
        p_positive: (n,) P(positive).
        labels: (n,) 0 or 1.
        bins: how many bins from 0 to 1; the confidence of two classes starts at 0.5.

    Raises:
        BadInput: no answers, or not as many as labels.
    """
    return calibration_error(reliability(p_positive, labels, bins))


def calibration_error(table: pd.DataFrame) -> float:
    """The expected calibration error of a reliability diagram."""
    gaps = (table["accuracy"] - table["confidence"]).abs()
    return float((table["n"] * gaps).sum() / table["n"].sum())


def reliability(p_positive: np.ndarray, labels: np.ndarray, bins: int = BINS) -> pd.DataFrame:
    """The reliability diagram as a table, one row per bin that holds answers.

    Returns:
        Columns ``low`` and ``high`` (the bin's confidences, low excluded), ``n``, ``confidence``
        (their mean) and ``accuracy``.

    Raises:
        BadInput: no answers, or not as many as labels.
    """
    p_positive, labels = _checked(p_positive, labels)
    return reliability_of(
        np.maximum(p_positive, 1 - p_positive), (p_positive > 0.5) == labels, bins
    )


def reliability_of(confidence: np.ndarray, right: np.ndarray, bins: int = BINS) -> pd.DataFrame:
    """The same table for answers of any kind.

    Args:
        confidence: (n,) from 0 to 1.
        right: (n,) whether each answer is right.
        bins: how many bins from 0 to 1.

    Raises:
        BadInput: no answers, or not as many of one as of the other.
    """
    confidence, right = _checked(confidence, right)
    # bins are (low, high], as in the paper; 0.7 times ten is a little more than seven
    edges = np.ceil(np.round(confidence * bins, 9)).astype(int)
    place = np.clip(edges - 1, 0, bins - 1)
    answers = pd.DataFrame({"confidence": confidence, "accuracy": right})
    table = answers.groupby(place).mean()
    return table.assign(
        low=table.index / bins, high=(table.index + 1) / bins, n=np.bincount(place)[table.index]
    ).reset_index(drop=True)[["low", "high", "n", "confidence", "accuracy"]]


def at_temperature(p_positive: np.ndarray, temperature: float) -> np.ndarray:
    """What P(positive) would be if the logits were divided by ``temperature``; 1 changes nothing,
    and no answer changes its side.

    Raises:
        BadInput: a temperature that is not above 0.
    """
    p_positive = np.asarray(p_positive, np.float64)
    BadInput.raise_if(
        not temperature > 0,
        f"A temperature of {temperature} is not possible.",
        "Choose one above 0.",
    )
    return p_positive if temperature == 1 else expit(logit(p_positive) / temperature)


def calibration_sentence(p_positive: np.ndarray, labels: np.ndarray, temperature: float) -> str:
    """How sure and how right the answers are at a temperature, and the calibration error."""
    tempered = at_temperature(p_positive, temperature)
    sure = float(np.maximum(tempered, 1 - tempered).mean())
    right = float(((tempered > 0.5) == labels).mean())
    verdicts = {1: "too sure", 0: "as sure as right", -1: "not sure enough"}
    error, plain = (expected_calibration_error(p, labels) for p in (tempered, p_positive))
    tried = f" at T = {temperature:g} (without temperature {plain:.3f})" if temperature != 1 else ""
    return (
        f"On {len(labels):,} reviews it is {100 * sure:.1f} % sure and {100 * right:.1f} % right: "
        f"{verdicts[int(np.sign(sure - right))]}. Expected calibration error {error:.3f}{tried}."
    )


def least_error_temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The T from 0.5 to 2 for which softmax(logits / T) has the least expected calibration error;
    no answer changes its side.

    The likeliest T, which the paper fits, is ruled by the few answers that are surely wrong; this
    one by all alike.

    Args:
        logits: (n, 2).
        labels: (n,) 0 or 1.

    Raises:
        BadInput: no answers, or not as many as labels.
    """
    logits = np.asarray(logits, np.float64)
    margin, labels = _checked(logits[:, 1] - logits[:, 0], labels)
    candidates = np.geomspace(0.5, 2, 141)  # steps of one per cent
    errors = [expected_calibration_error(expit(margin / t), labels) for t in candidates]
    return float(candidates[int(np.argmin(errors))])


def _checked(values: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, labels = np.asarray(values, np.float64), np.asarray(labels)
    BadInput.raise_if(
        not len(values) or len(values) != len(labels),
        f"There are {len(values)} answers for {len(labels)} labels.",
        "Give one answer per label.",
    )
    return values, labels
